package play_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// The handlers here are right as long as nothing else is there, or goes on, at the same time.

// atOnce has two calls to make, and makes them at the same time. If it waits for both, it is right.
type atOnce struct {
	named
	waits bool
}

func (h atOnce) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	touch := func() error { return h.d.change(ctx, req.PhysicalID, func(*box) error { return nil }) }
	results := make(chan error, 2)
	var both sync.WaitGroup
	for range cap(results) {
		both.Go(func() {
			err := errors.New("the process has died")
			defer func() { results <- err }()
			err = touch()
		})
	}
	if h.waits {
		both.Wait()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			return boxData{}, err
		}
	}
	return data, nil
}

// What still calls the service when the event is answered meets the rollback.
func TestWorkThatGoesOnAfterTheAnswerIsSeen(t *testing.T) {
	for _, waits := range []bool{true, false} {
		c := depotContract(func(d *depot) simulate.Function { return process(atOnce{named{d}, waits}) })
		text, _ := play.RunCheck(t, c, "context-ends-handler-returns")
		if says := strings.Contains(text, "was answered while some of its work went on"); says == waits || waits && text != "" {
			t.Errorf("of a handler that waits, %v: %s", waits, text)
		}
	}
}

// numbersKeys gives each box a key with a number, by how many keys there are. If it looks for a number that is free, it is
// right.
type numbersKeys struct {
	named
	looks bool
}

func (h numbersKeys) Create(ctx context.Context, req *creation) (boxData, error) {
	err := h.d.effect(ctx, func() error {
		taken := map[int]bool{}
		for _, n := range h.d.doors {
			taken[n] = true
		}
		number := len(taken) + 1
		for h.looks && taken[number] {
			number++
		}
		if taken[number] {
			return errors.New("there is a key of that number")
		}
		h.d.doors[req.StableID()] = number
		return nil
	})
	if err != nil {
		return boxData{}, err
	}
	return h.named.Create(ctx, req)
}

func (h numbersKeys) Delete(ctx context.Context, req *deletion) error {
	err := h.d.effect(ctx, func() error { delete(h.d.doors, req.PhysicalID); return nil })
	if err != nil {
		return err
	}
	return h.named.Delete(ctx, req)
}

// When the first of two is deleted, what comes next is not numbered by how many there are.
func TestWhatComesAfterADeletedOneIsPlayed(t *testing.T) {
	for _, looks := range []bool{true, false} {
		c := depotContract(func(d *depot) simulate.Function { return process(numbersKeys{named{d}, looks}) })
		text, _ := play.RunCheck(t, c, "sibling-is-left-alone")
		if passes := text == ""; passes != looks {
			t.Errorf("of a handler that looks, %v: %s", looks, text)
		}
	}
}

// emptiesTheDepot removes all that there is with the last box. If it looks again when it does so, it is right.
type emptiesTheDepot struct {
	named
	looks bool
}

func (h emptiesTheDepot) Delete(ctx context.Context, req *deletion) error {
	isLast := func() bool { return h.d.boxes[req.PhysicalID] != nil && len(h.d.boxes) == 1 }
	was := false
	if err := h.d.effect(ctx, func() error { was = isLast(); return nil }); err != nil {
		return err
	}
	if !was {
		return h.named.Delete(ctx, req)
	}
	return h.d.effect(ctx, func() error {
		if delete(h.d.boxes, req.PhysicalID); !h.looks {
			clear(h.d.boxes)
		}
		return nil
	})
}

// A Delete for one stack meets the Create for another.
func TestADeleteForAnotherStackTakesLong(t *testing.T) {
	for _, looks := range []bool{true, false} {
		c := depotContract(func(d *depot) simulate.Function { return process(emptiesTheDepot{named{d}, looks}) })
		text, _ := play.RunCheck(t, c, "stranger-holds-the-name")
		if passes := text == ""; passes != looks {
			t.Errorf("of a handler that looks, %v: %s", looks, text)
		}
	}
}

// waitsForTheName waits in Delete until no box has the name. If it removes each that has it, it takes somebody else's.
type waitsForTheName struct {
	chosen
	removes bool
}

func (h waitsForTheName) Delete(ctx context.Context, req *deletion) error {
	if err := h.chosen.Delete(ctx, req); err != nil {
		return err
	}
	return cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (isFree bool, err error) {
		err = h.d.effect(ctx, func() error {
			if h.removes {
				delete(h.d.boxes, req.PhysicalID)
			}
			isFree = h.d.boxes[req.PhysicalID] == nil
			return nil
		})
		return isFree, err
	})
}

// What a Delete for another stack does is told of the Delete: its Create had ended before, and had the name by right.
func TestWhatAnotherStackDoesIsToldOfItsRequest(t *testing.T) {
	for _, removes := range []bool{true, false} {
		c := depotContract(func(d *depot) simulate.Function { return process(waitsForTheName{chosen{found{d}}, removes}) })
		text, _ := play.Replayed(t, c, "namesakes!held-at-step:4@2 v0")
		isTold := strings.Contains(text, "another stack, whose Delete met held-at-step:4@2, changes or removes hall") && !strings.Contains(text, "Have Create return AlreadyExists")
		if isTold != removes || !removes && text != "" {
			t.Errorf("of a handler that removes, %v: %s", removes, text)
		}
	}
}
