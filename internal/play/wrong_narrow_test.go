package play_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is right but for something that shows only later, only sometimes, or only in part.

// tellsLater has no key in the first minutes.
type tellsLater struct{ named }

func (h tellsLater) Create(ctx context.Context, req *creation) (boxData, error) {
	_, err := h.named.Create(ctx, req)
	return h.told(req.Properties), err
}

func (h tellsLater) Update(ctx context.Context, req *updating) (boxData, error) {
	_, err := h.named.Update(ctx, req)
	return h.told(req.Properties), err
}

func (h tellsLater) told(p boxProps) (data boxData) {
	if sinceBubble() > 10*time.Minute {
		data = p.data()
	}
	return data
}

// sinceBubble returns how much virtual time has passed.
func sinceBubble() time.Duration { return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) }

// showsAPart shows the beginning of a password that the depot did not take.
type showsAPart struct{ named }

func (h showsAPart) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		err = fmt.Errorf("the depot does not take %.8s…: %w", req.Properties.Password, err)
	}
	return data, err
}

// doorData have a secret that is not tagged.
type doorData struct{ DoorPassword string }

type tellsPassword struct{ named }

func (h tellsPassword) Create(ctx context.Context, req *creation) (doorData, error) {
	_, err := h.named.Create(ctx, req)
	return doorData{"made by the depot"}, err
}

func (h tellsPassword) Update(ctx context.Context, req *updating) (doorData, error) {
	_, err := h.named.Update(ctx, req)
	return doorData{"made by the depot"}, err
}

// logsKey logs an attribute whose tag alone says that it is a secret.
type logsKey struct{ named }

func (h logsKey) Create(ctx context.Context, req *creation) (boxData, error) {
	_, err := h.named.Create(ctx, req)
	data := boxData{Key: "made by the depot"}
	log.Printf("the key is %s", data.Key)
	return data, err
}

// keepsVersions keeps each filling, of which a box holds five.
type keepsVersions struct{ named }

func (h keepsVersions) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.versions++; b.versions > 5 {
			return errors.New("there are five versions already")
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNoBox) {
		return boxData{}, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) keepsVersions { return keepsVersions{named{d}} },
	unexplored("no history has so many Updates"), "updates-go-on")

// refusesThePast changes nothing that was to open before now.
type refusesThePast struct{ named }

func (h refusesThePast) Update(ctx context.Context, req *updating) (boxData, error) {
	if opens := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC); time.Now().After(opens) {
		return boxData{}, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the day is past")
	}
	return h.named.Update(ctx, req)
}

// emptiesAPage removes a box with little in it, and says that one with more is not empty.
type emptiesAPage struct{ named }

func (h emptiesAPage) Delete(ctx context.Context, req *deletion) error {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.content > page {
			return errFull
		}
		return nil
	})
	if err != nil {
		return gone(err)
	}
	return h.named.Delete(ctx, req)
}

// deniedIsGone takes what it may not do for done.
type deniedIsGone struct{ named }

func (h deniedIsGone) Delete(ctx context.Context, req *deletion) error {
	err := h.named.Delete(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied {
		return nil
	}
	return err
}

// findsTheRetired finds a box that was deleted a moment ago.
type findsTheRetired struct{ found }

func (h findsTheRetired) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error {
		b.retired, b.ready = true, time.Now().Add(20*time.Second)
		return nil
	}))
}

func (h findsTheRetired) Find(ctx context.Context, req *finding) (id string, err error) {
	if id, err = h.found.Find(ctx, req); id != "" || err != nil {
		return id, err
	}
	return id, h.d.effect(ctx, func() error {
		for name, b := range h.d.boxes {
			if b.retired && b.tag == req.StableID() && time.Now().Before(b.ready) {
				id = name
			}
		}
		return nil
	})
}

// addressData have the ID in a text.
type addressData struct{ Address string }

// tellsTheOldAddress answers, from Update, what was the address before.
type tellsTheOldAddress struct{ named }

func address(id string, size int) addressData {
	return addressData{fmt.Sprintf("https://depot.example.com/%s?size=%d", id, size)}
}

func (h tellsTheOldAddress) Create(ctx context.Context, req *creation) (addressData, error) {
	_, err := h.named.Create(ctx, req)
	return address(req.StableID(), req.Properties.Size), err
}

func (h tellsTheOldAddress) Update(ctx context.Context, req *updating) (addressData, error) {
	_, err := h.named.Update(ctx, req)
	if req.Adopted || req.OldPropertiesErr != nil {
		return address(req.PhysicalID, req.Properties.Size), err
	}
	return address(req.PhysicalID, req.OldProperties.Size), err
}

// cutsTheName names a box by the beginning of its room.
type cutsTheName struct{ chosen }

func (h cutsTheName) Create(ctx context.Context, req *creation) (boxData, error) {
	id := roomName(req.Properties.Room)
	if err := h.d.buildNew(ctx, id, box{room: id, tag: req.StableIDOf(id), owner: owner(req.Request)}); err != nil {
		return boxData{}, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h cutsTheName) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, b *box) bool {
		return name == roomName(req.Properties.Room) && b.owner == owner(req.Request)
	})
}

func roomName(room string) string { return room[:min(20, len(room))] }

// sharesDoors writes all doors to add one, under an ID that the template chooses.
type sharesDoors struct{ d *depot }

func (h sharesDoors) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if err = h.set(ctx, req.Properties); err == nil {
		req.Created(req.Properties.Room)
	}
	return data, err
}

func (h sharesDoors) Update(ctx context.Context, req *updating) (data boxData, err error) {
	return data, h.set(ctx, req.Properties)
}

func (h sharesDoors) set(ctx context.Context, p boxProps) error {
	var doors map[string]int
	if err := h.d.effect(ctx, func() error { doors = maps.Clone(h.d.doors); return nil }); err != nil {
		return err
	}
	doors[p.Room] = p.Size
	return h.d.effect(ctx, func() error { h.d.doors = doors; return nil })
}

func (h sharesDoors) Delete(ctx context.Context, req *deletion) error {
	return h.d.effect(ctx, func() error { delete(h.d.doors, req.PhysicalID); return nil })
}

// asAction is a process of an action, with what it does.
func asAction(act func(ctx context.Context, d *depot, req *updating) error) func(d *depot) simulate.Function {
	return func(d *depot) simulate.Function {
		return process(cfnresource.Action(func(ctx context.Context, req *updating) (data struct{}, err error) {
			return data, act(ctx, d, req)
		}))
	}
}

func TestWhatShowsLaterOrInPartFails(t *testing.T) {
	ofDoors := depotContract(func(d *depot) simulate.Function { return process(sharesDoors{d}) })
	ofDoors.New = func(testing.TB) play.Service {
		d := newDepot()
		return play.Service{
			Function: func() simulate.Function { return process(sharesDoors{d}) },
			State: func(id string) any {
				d.mu.Lock()
				defer d.mu.Unlock()
				if size, is := d.doors[id]; is {
					return size
				}
				return nil
			},
		}
	}
	of := func(function func(d *depot) simulate.Function, change ...func(*play.Service)) play.Contract {
		c := depotContract(function)
		for _, f := range change {
			c = withService(c, f)
		}
		return c
	}
	action := func(act func(ctx context.Context, d *depot, req *updating) error) play.Contract {
		c := depotContract(asAction(act))
		withoutState(&c)
		return c
	}
	ages := func(s *play.Service) {
		state, first := s.State, map[string]time.Duration{}
		s.State = func(id string) any {
			now := state(id)
			if now == nil {
				return nil
			}
			if _, seen := first[id]; !seen {
				first[id] = sinceBubble()
			}
			return []any{now, sinceBubble()-first[id] > time.Hour}
		}
	}
	withoutRoom := func(s *play.Service) {
		state := s.State
		s.State = func(id string) any {
			if now, is := state(id).(look); is {
				return now.Filling
			}
			return nil
		}
	}
	for _, test := range []struct {
		name, check, says string
		c                 play.Contract
	}{
		{"changes by itself", "state-shows-properties", "[1] is of time", of(rightHandlers["named"], ages)},
		{"tellsLater", "data-same-after-update", "Key in Data is empty in the answer to the Create, but not in the answer to an Update later", of(func(d *depot) simulate.Function { return process(tellsLater{named{d}}) })},
		{"showsAPart", "secrets-stay-out-of-log", "or a part of it", of(func(d *depot) simulate.Function { return process(showsAPart{named{d}}) })},
		{"logsKey", "secrets-stay-out-of-log", "The log holds a secret", of(func(d *depot) simulate.Function { return process(logsKey{named{d}}) })},
		{"tellsPassword", "secrets-stay-out-of-log", "Data has DoorPassword without NoEcho", of(func(d *depot) simulate.Function { return process(tellsPassword{named{d}}) })},
		{"refusesThePast", "time-passes", "v0 50y v1", of(func(d *depot) simulate.Function { return process(refusesThePast{named{d}}) })},
		{"emptiesAPage", "use-outlives-updates", "succeeds when users have put less into the resource", of(func(d *depot) simulate.Function { return process(emptiesAPage{named{d}}) })},
		{"deniedIsGone", "delete-failed-is-told", "refuse-from-step", of(func(d *depot) simulate.Function { return process(deniedIsGone{named{d}}) })},
		{"findsTheRetired", "update-replaces", "v0 v2 v0", of(func(d *depot) simulate.Function { return process(findsTheRetired{found{d}}) })},
		{"tellsTheOldAddress", "update-keeps-id", "Address, apart from the ID, in Data is not what a Create", of(func(d *depot) simulate.Function { return process(tellsTheOldAddress{named{d}}) })},
		{"cutsTheName", "leads-where-create-does", "one ID for two things", of(func(d *depot) simulate.Function { return process(cutsTheName{chosen{found{d}}}) }, withoutRoom)},
		{"sharesDoors", "siblings-at-once", "which is another resource's, was deleted", ofDoors},
		{"a token for each try", "redelivered-does-no-more", "with which nothing goes wrong", action(func(ctx context.Context, d *depot, req *updating) error {
			tries := 0
			return cfnresource.Retry(ctx, func(ctx context.Context) error {
				tries++
				return d.effect(ctx, func() error { d.mails[fmt.Sprint(req.IdempotencyToken(), tries)] = 1; return nil })
			})
		})},
		{"taken for the first", "redelivered-does-no-more", "the Update back to Properties has none", action(func(ctx context.Context, d *depot, req *updating) error {
			return d.effect(ctx, func() error { d.mails[fmt.Sprint(req.Properties)] = 1; return nil })
		})},
	} {
		if text, _ := play.RunCheck(t, test.c, test.check); !strings.Contains(text, test.says) {
			t.Errorf("%s, %s: %q, want it to say %q", test.name, test.check, text, test.says)
		}
	}
}
