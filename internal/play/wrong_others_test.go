package play_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is right in a service that has no more than its own, and not among hundreds of others.

const tooFew = "no history that Explore plays has so many boxes"

// readsFirstPage looks for its box among the first of all.
type readsFirstPage struct{ found }

func (h readsFirstPage) Find(ctx context.Context, req *finding) (string, error) {
	read := 0
	return h.findOf(ctx, req, func(b *box) bool { read++; return read <= page && b.tag == req.StableID() })
}

var _ = wrong(func(d *depot) readsFirstPage { return readsFirstPage{found{d}} }, unexplored(tooFew), "among-others")

// readsNewest looks for its box among the last that were made.
type readsNewest struct{ found }

func (h readsNewest) Find(ctx context.Context, req *finding) (found string, err error) {
	err = h.d.effect(ctx, func() error {
		names := h.d.names()
		age := func(name string) int { n, _ := strconv.Atoi(strings.TrimPrefix(name, "box-")); return n }
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(age(b), age(a)) })
		for _, name := range names[:min(len(names), 5*page)] {
			if h.d.boxes[name].tag == req.StableID() && (found == "" || name == req.PhysicalID) {
				found = name
			}
		}
		return nil
	})
	return found, err
}

var _ = wrong(func(d *depot) readsNewest { return readsNewest{found{d}} }, unexplored(tooFew), "among-others")

// onFirstPage reports whether a box is among the first of all.
func (d *depot) onFirstPage(ctx context.Context, id string) (is bool, err error) {
	err = d.effect(ctx, func() error {
		names := d.names()
		is = slices.Contains(names[:min(len(names), page)], id)
		return nil
	})
	return is, err
}

// deletesFromFirstPage takes what the first page does not have for gone.
type deletesFromFirstPage struct{ named }

func (h deletesFromFirstPage) Delete(ctx context.Context, req *deletion) error {
	if is, err := h.d.onFirstPage(ctx, req.PhysicalID); err != nil || !is {
		return err
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(func(d *depot) deletesFromFirstPage { return deletesFromFirstPage{named{d}} }, unexplored(tooFew), "among-others")

// updatesFirstPage changes its box where the first page has it.
type updatesFirstPage struct{ named }

func (h updatesFirstPage) Update(ctx context.Context, req *updating) (boxData, error) {
	names := func() []string { h.d.mu.Lock(); defer h.d.mu.Unlock(); return h.d.names() }()
	if i := slices.Index(names, req.PhysicalID); i > page {
		return req.Properties.data(), nil
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) updatesFirstPage { return updatesFirstPage{named{d}} }, unexplored(tooFew), "among-others")

// clearsUp removes boxes when there are many, and does not ask whose they are.
type clearsUp struct{ named }

func (h clearsUp) Create(ctx context.Context, req *creation) (boxData, error) {
	err := h.d.effect(ctx, func() error {
		if names := h.d.names(); len(names) > 10*page {
			delete(h.d.boxes, names[0])
		}
		return nil
	})
	if err != nil {
		return boxData{}, err
	}
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) clearsUp { return clearsUp{named{d}} }, unexplored(tooFew), "among-others")

// Without a Crowd, the handler itself makes what others have; where two stacks want one name, it cannot.
func TestOtherPeoplesThingsAreMadeByTheHandler(t *testing.T) {
	for name, want := range map[string]string{
		"readsFirstPage": "failed", "readsNewest": "failed", "deletesFromFirstPage": "failed", "updatesFirstPage": "failed",
	} {
		c := withoutCrowd(wrongNamed(name).contract())
		if r := play.RunChecks(t, c, "among-others")[0]; r.Outcome != want {
			t.Errorf("%s: among-others %s: %s", name, r.Outcome, r.Text)
		}
	}
	for name, want := range map[string]string{"named": "passed", "found": "passed", "waiting": "passed", "chosen": "skipped", "holdsFew": "skipped"} {
		handler := rightHandlers[name]
		if name == "holdsFew" {
			handler = func(d *depot) simulate.Function { return process(holdsFew{named{d}}) }
		}
		c := withoutCrowd(depotContract(handler))
		if r := play.RunChecks(t, c, "among-others")[0]; r.Outcome != want {
			t.Errorf("%s: among-others %s: %s", name, r.Outcome, r.Text)
		}
	}
}

// keepsTheEnd names boxes by so little of the StableID that some stacks have one name.
type keepsTheEnd struct {
	found
	takes bool // what is there
}

func (h keepsTheEnd) Create(ctx context.Context, req *creation) (boxData, error) {
	id := "box-" + req.StableID()[len(req.StableID())-2:]
	err := h.d.buildNew(ctx, id, box{room: req.Properties.Room, tag: req.StableID(), owner: owner(req.Request)})
	if err != nil && !h.takes {
		return boxData{}, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

// A service without room refuses every stack, and one name for two stacks only the second of them.
func TestOneNameForTwoStacksIsNoLackOfRoom(t *testing.T) {
	for takes, says := range map[bool]string{false: "two stacks want one name", true: "answers two stacks with the ID box-"} {
		c := withoutCrowd(depotContract(func(d *depot) simulate.Function { return process(keepsTheEnd{found{d}, takes}) }))
		r := play.RunChecks(t, c, "among-others")[0]
		if r.Outcome != "failed" || !strings.Contains(r.Text, says) || !strings.Contains(r.Text, "Do not cut the StableID") {
			t.Errorf("among-others %s, and does not say %q: %s", r.Outcome, says, r.Text)
		}
	}
}

// In real time the handler is not asked, and not said to be unable.
func TestNobodyMakesThingsInRealTime(t *testing.T) {
	c := withoutCrowd(depotContract(rightHandlers["named"]))
	c.RealTime = true
	if text, _ := play.RunCheck(t, c, "among-others"); !strings.Contains(text, "in real time the handler would take too long") {
		t.Error(text)
	}
}

// holdsFew is right, and of a depot that has room for forty boxes.
type holdsFew struct{ named }

func (h holdsFew) Create(ctx context.Context, req *creation) (data boxData, err error) {
	err = h.d.effect(ctx, func() error {
		if len(h.d.boxes) >= 40 && h.d.boxes[req.StableID()] == nil {
			return errors.New("the depot is full")
		}
		return nil
	})
	if err != nil {
		return data, err
	}
	return h.named.Create(ctx, req)
}

func withoutCrowd(c play.Contract) play.Contract {
	return withService(c, func(s *play.Service) { s.Crowd = nil })
}

type keyProps struct{ Holder string }

// keyHolders handles the depot's other type: who has a key to it.
type keyHolders struct{ d *depot }

func (h keyHolders) Create(ctx context.Context, req *cfnresource.CreateRequest[keyProps]) (struct{}, error) {
	return struct{}{}, h.d.effect(ctx, func() error { h.d.doors[req.StableID()] = 1; return nil })
}

func (h keyHolders) Update(context.Context, *cfnresource.UpdateRequest[keyProps]) (struct{}, error) {
	return struct{}{}, nil
}

func (h keyHolders) Delete(ctx context.Context, req *cfnresource.DeleteRequest[keyProps]) error {
	return h.d.effect(ctx, func() error { delete(h.d.doors, req.PhysicalID); return nil })
}

// takesKeys takes all keys away with a box.
type takesKeys struct{ named }

func (h takesKeys) Delete(ctx context.Context, req *deletion) error {
	return errors.Join(h.named.Delete(ctx, req), h.d.effect(ctx, func() error {
		maps.DeleteFunc(h.d.doors, func(who string, _ int) bool { return who != "porter" })
		return nil
	}))
}

// emptiesDepot takes all boxes away with a key.
type emptiesDepot struct{ keyHolders }

func (h emptiesDepot) Delete(ctx context.Context, req *cfnresource.DeleteRequest[keyProps]) error {
	return errors.Join(h.keyHolders.Delete(ctx, req), h.d.effect(ctx, func() error { clear(h.d.boxes); return nil }))
}

// What is done to a resource of one type leaves alone those of the function's other types.
func TestAnotherTypeIsLeftAlone(t *testing.T) {
	function := func(boxes func(named) cfnresource.Handler[boxProps, boxData], keysOf func(keyHolders) cfnresource.Handler[keyProps, struct{}]) play.Contract {
		c := depotContract(func(d *depot) simulate.Function {
			both := cfnresource.NewDispatcher(func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
			cfnresource.Handle(both, "Custom::Box", boxes(named{d}))
			cfnresource.Handle(both, "Custom::Key", keysOf(keyHolders{d}))
			return both
		})
		c.ResourceType = "Custom::Box"
		return c
	}
	rightBoxes := func(h named) cfnresource.Handler[boxProps, boxData] { return h }
	rightKeys := func(h keyHolders) cfnresource.Handler[keyProps, struct{}] { return h }
	for _, test := range []struct {
		name string
		c    play.Contract
		want string
	}{
		{"right", function(rightBoxes, rightKeys), ""},
		{"no such type", function(rightBoxes, rightKeys), "The Contract's Others has Custom::Lock, but its Create did not succeed"},
		{"takesKeys", function(func(h named) cfnresource.Handler[boxProps, boxData] { return takesKeys{h} }, rightKeys), "Around does not show what it showed before the Create"},
		{"emptiesDepot", function(rightBoxes, func(h keyHolders) cfnresource.Handler[keyProps, struct{}] { return emptiesDepot{h} }), "There is nothing under "},
	} {
		test.c.Others = map[string]any{"Custom::Key": keyProps{"gardener"}}
		if test.name == "no such type" {
			test.c.Others["Custom::Lock"] = keyProps{"nobody"}
		}
		text, _ := play.RunCheck(t, test.c, "sibling-is-left-alone")
		if !strings.Contains(text, test.want) || (text == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, text, test.want)
		}
		if w := play.Warnings(t, test.c, "create-delete"); strings.Contains(fmt.Sprint(w), "Custom::Key") {
			t.Errorf("%s: warned of what Others has: %q", test.name, w)
		}
	}
}

// forgetsSoon takes what it has made a minute ago for gone. It works slowly.
type forgetsSoon struct{ forgetsOld }

func (h forgetsSoon) Create(ctx context.Context, req *creation) (boxData, error) {
	if err := sleep(ctx, 5*time.Second); err != nil {
		return boxData{}, err
	}
	return h.forgetsOld.Create(ctx, req)
}

func (h forgetsSoon) Delete(ctx context.Context, req *deletion) error {
	if seen, ok := h.records.Load(bornKey{h.d, req.PhysicalID}); ok && time.Since(seen.(time.Time)) > time.Minute {
		return nil
	}
	return h.named.Delete(ctx, req)
}

// Other people's things take time to make. What that time does is not laid to a list.
func TestNoListIsBlamedForWhatTimeDoes(t *testing.T) {
	records := new(sync.Map)
	c := adapted(func(h named) forgetsSoon { return forgetsSoon{forgetsOld{h, records}} })
	text, _ := play.RunCheck(t, c, "among-others")
	if text == "" || strings.Contains(text, "page") || !strings.Contains(text, "did not remove all of it") {
		t.Errorf("among-others says %q", text)
	}
}

// looksOnFirstPage looks there for its box once it is made.
type looksOnFirstPage struct{ deletesFromFirstPage }

func (h looksOnFirstPage) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if data, err = h.named.Create(ctx, req); err != nil {
		return data, err
	}
	is, err := h.d.onFirstPage(ctx, req.StableID())
	if err == nil && !is {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "there is no box %s", req.StableID())
	}
	return data, err
}

// A service in which a Create that fails has left something had room for it.
func TestAServiceThatMadeAThingHadRoomForIt(t *testing.T) {
	c := adapted(func(h named) looksOnFirstPage { return looksOnFirstPage{deletesFromFirstPage{h}} })
	text, _ := play.RunCheck(t, c, "among-others")
	if !strings.Contains(text, "The next Create fails, though it has made") || !strings.Contains(text, "read every page") {
		t.Errorf("it says %q", text)
	}
}
