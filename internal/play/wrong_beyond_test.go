package play_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is right, or has one fault, with what is beyond the resource's own life: what users put
// into it, and what cannot be taken back.

// rebuilds makes the box once more, under its name, to change it.
type rebuilds struct{ named }

func (h rebuilds) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.filled && b.filling != req.Properties.filling() {
			*b = box{room: req.Properties.Room, tag: b.tag, owner: b.owner}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNoBox) {
		return boxData{}, err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) rebuilds { return rebuilds{named{d}} },
	unexplored("no history of Explore has a use"), "use-outlives-updates")

// movesContent empties the box that a replacement is of.
type movesContent struct{ named }

func (h movesContent) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.effect(ctx, func() error {
		for name, b := range h.d.boxes {
			if b.owner == owner(req.Request) && name != req.CreatedID() {
				h.d.boxes[req.CreatedID()].content += b.content
				b.content = 0
			}
		}
		return nil
	})
}

var _ = wrong(func(d *depot) movesContent { return movesContent{named{d}} },
	unexplored("no history of Explore has a use"), "use-outlives-updates")

// leavesTheFull succeeds, and leaves what is not empty.
type leavesTheFull struct{ named }

func (h leavesTheFull) Delete(ctx context.Context, req *deletion) error {
	if err := refusesTheFull(h).Delete(ctx, req); !errors.Is(err, errFull) {
		return err
	}
	return nil
}

var _ = wrong(func(d *depot) leavesTheFull { return leavesTheFull{named{d}} },
	unexplored("no history of Explore has a use"), "use-outlives-updates")

// clearsAPage empties a box as far as a page of what is in it goes, and removes it if it is empty then.
type clearsAPage struct{ named }

func (h clearsAPage) Delete(ctx context.Context, req *deletion) error {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		b.content -= min(1000, b.content)
		return nil
	})
	if err != nil {
		return gone(err)
	}
	return leavesTheFull(h).Delete(ctx, req)
}

var _ = wrong(func(d *depot) clearsAPage { return clearsAPage{named{d}} },
	unexplored("no history of Explore has a use"), "use-outlives-updates")

var errFull = errors.New("the box is not empty")

// refusesTheFull is right: it says that it does not remove what others have put there.
type refusesTheFull struct{ named }

func (h refusesTheFull) Delete(ctx context.Context, req *deletion) error {
	isFull, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.content > 0 })
	if err == nil && isFull != "" {
		err = errFull
	}
	if err != nil {
		return err
	}
	return h.named.Delete(ctx, req)
}

// refusesTheReadable does so unless the properties cannot be read: then it leaves all things, and succeeds.
type refusesTheReadable struct{ refusesTheFull }

func (h refusesTheReadable) Delete(ctx context.Context, req *deletion) error {
	if req.PropertiesErr != nil {
		return nil
	}
	return h.refusesTheFull.Delete(ctx, req)
}

// A Delete that succeeds shows that others may fill a thing only if it has removed the thing.
func TestADeleteThatLeavesAThingHasNotEmptiedIt(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(refusesTheReadable{refusesTheFull{named{d}}}) })
	results := play.RunChecks(t, c, "delete-undecodable-properties", "use-outlives-updates")
	if diff := cmp.Diff([]string{"delete-undecodable-properties"}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
}

func TestADeleteMaySayThatAThingIsInUse(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(refusesTheFull{named{d}}) })
	if text, _ := play.RunCheck(t, c, "use-outlives-updates"); text != "" {
		t.Error(text)
	}
}

// leavesTheUpdated leaves what is not empty once it was updated.
type leavesTheUpdated struct {
	refusesTheFull
	updated *sync.Map // by depot
}

func (h leavesTheUpdated) Update(ctx context.Context, req *updating) (boxData, error) {
	h.updated.Store(h.d, true)
	return h.refusesTheFull.Update(ctx, req)
}

func (h leavesTheUpdated) Delete(ctx context.Context, req *deletion) error {
	err := h.refusesTheFull.Delete(ctx, req)
	if _, updated := h.updated.Load(h.d); updated && errors.Is(err, errFull) {
		return nil
	}
	return err
}

// What is in use, and stays though its Delete succeeds, is left behind, also if an event was delivered twice at once.
func TestADeleteThatSucceedsLeavesNothingInUse(t *testing.T) {
	updated := new(sync.Map)
	c := depotContract(func(d *depot) simulate.Function { return process(leavesTheUpdated{refusesTheFull{named{d}}, updated}) })
	for _, line := range []string{"v0 use v1", "v0 use v1!twice@1"} {
		if found, _ := play.Replayed(t, c, line); !strings.Contains(found, "The service still has") || !strings.Contains(found, strconv.Quote(line)) {
			t.Errorf("%s: found %q", line, found)
		}
	}
}

// A second use would be judged by what State shows after one.
func TestAHistoryHasOneUse(t *testing.T) {
	if found, _ := play.Replayed(t, depotContract(rightHandlers["named"]), "v0 use v1 use v0"); !strings.Contains(found, "a history that cannot be played") {
		t.Errorf("found %q", found)
	}
}

func TestAUseThatStateDoesNotShowIsSaid(t *testing.T) {
	c := withService(depotContract(rightHandlers["named"]), func(s *play.Service) { s.Use = func(string) {} })
	if text, _ := play.RunCheck(t, c, "use-outlives-updates"); !strings.Contains(text, "State shows the same before Use and after it") {
		t.Error(text)
	}
}

// keyed gives each box's owner a key to the depot, and takes it back when the box is gone.
type keyed struct {
	named
	takeBack func(doors map[string]int, key string)
}

func (h keyed) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.effect(ctx, func() error { h.d.doors[req.CreatedID()] = 1; return nil })
}

func (h keyed) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.d.effect(ctx, func() error { h.d.doors[req.PhysicalID] = 1; return nil })
}

func (h keyed) Delete(ctx context.Context, req *deletion) error {
	if err := h.d.effect(ctx, func() error { h.takeBack(h.d.doors, req.PhysicalID); return nil }); err != nil {
		return err
	}
	return h.named.Delete(ctx, req)
}

var (
	_ = wrongFunction("keepsItsKey", func(d *depot) simulate.Function {
		return process(keyed{named{d}, func(map[string]int, string) {}})
	}, explored("v0"), "create-delete")
	_ = wrongFunction("takesAllKeys", func(d *depot) simulate.Function {
		return process(keyed{named{d}, func(doors map[string]int, _ string) { clear(doors) }})
	}, explored("v0"), "create-delete")
)

// mailing returns a process of an action that sends a mail.
func mailing(d *depot, send func(req *updating)) simulate.Function {
	return process(cfnresource.Action(func(ctx context.Context, req *updating) (data boxData, err error) {
		return data, d.effect(ctx, func() error { send(req); return nil })
	}))
}

func withoutState(c *play.Contract) {
	*c = withService(*c, func(s *play.Service) { *s = play.Service{Function: s.Function, Effects: s.Effects} })
	c.Refused = nil
}

var _ = wrongFunction("mailsEachTime", func(d *depot) simulate.Function {
	return mailing(d, func(req *updating) { d.mails[req.StableID()]++ })
}, unexplored("no history has effects").with(withoutState), "redelivered-does-no-more")

func TestAnActionMayActOnceForEachEvent(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function {
		return mailing(d, func(req *updating) { d.mails[req.IdempotencyToken()] = 1 })
	})
	withoutState(&c)
	if text, _ := play.RunCheck(t, c, "redelivered-does-no-more"); text != "" {
		t.Error(text)
	}
}

// What a process that dies, or a service that fails, leaves undone or done twice, though the request succeeds.
func TestWhatCannotBeTakenBackIsDoneOnce(t *testing.T) {
	for name, act := range map[string]func(ctx context.Context, d *depot, req *updating) error{
		"noted first": func(ctx context.Context, d *depot, req *updating) error {
			noted := req.IdempotencyToken() + " noted"
			if d.doors[noted] > 0 {
				return nil
			}
			if err := d.effect(ctx, func() error { d.doors[noted] = 1; return nil }); err != nil {
				return err
			}
			return d.effect(ctx, func() error { d.mails[req.IdempotencyToken()]++; return nil })
		},
		"failed silently": func(ctx context.Context, d *depot, req *updating) error {
			_ = d.effect(ctx, func() error { d.mails[req.IdempotencyToken()] = 1; return nil })
			return nil
		},
		"not done": func(ctx context.Context, d *depot, req *updating) error {
			if !req.Adopted {
				return nil
			}
			return d.effect(ctx, func() error { d.mails[req.IdempotencyToken()] = 1; return nil })
		},
	} {
		c := depotContract(func(d *depot) simulate.Function {
			return process(cfnresource.Action(func(ctx context.Context, req *updating) (data struct{}, err error) {
				return data, act(ctx, d, req)
			}))
		})
		withoutState(&c)
		if text, _ := play.RunCheck(t, c, "redelivered-does-no-more"); !strings.Contains(text, "ffects") {
			t.Errorf("%s: it says %q", name, text)
		}
	}
}
