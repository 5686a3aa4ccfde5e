package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Service may call its own operations, which have a Step and no method's context: those Steps are not the handler's.
func TestAStepOfTheServiceItselfIsNoStrayOne(t *testing.T) {
	for name, passes := range map[string]bool{"right": true, "wrong": false} {
		handler := func(d *depot) simulate.Function { return process(named{d}) }
		if !passes {
			handler = func(d *depot) simulate.Function { return process(updatesInBackground{named{d}}) }
		}
		c := withService(depotContract(handler), func(s *play.Service) {
			state, occupy := s.State, s.Occupy
			s.State = func(id string) any { _ = simulate.Step(context.Background()); return state(id) }
			s.Occupy = func(name string) { _ = simulate.Step(context.Background()); occupy(name) }
		})
		text := ""
		for _, r := range play.RunChecks(t, c, "create-delete", "provider-upgrade-keeps-id", "context-ends-handler-returns") {
			if r.Outcome == "failed" {
				text += r.Text
			}
		}
		if (text == "") != passes {
			t.Errorf("of a %s handler: %s", name, text)
		}
	}
}

// staysInItsRoom is of a depot that shows a box a while after it was made. It refuses to move a box.
type staysInItsRoom struct {
	found
	lag      time.Duration
	searches bool // it does not read the box that the event is about first: that is wrong
}

func (h staysInItsRoom) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.found.Create(ctx, req)
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if b := h.d.boxes[req.CreatedID()]; b != nil {
		b.ready = time.Now().Add(h.lag)
	}
	return data, err
}

func (h staysInItsRoom) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.IdentityChanged {
		there, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.room == req.Properties.Room })
		if err == nil && there == "" {
			err = cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved")
		}
		if err != nil {
			return boxData{}, err
		}
	}
	return h.found.Update(ctx, req)
}

func (h staysInItsRoom) Find(ctx context.Context, req *finding) (id string, err error) {
	isMine := func(b *box) bool { return b.tag == req.StableID() && !time.Now().Before(b.ready) }
	if req.PhysicalID != "" && !h.searches {
		id, err = h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && isMine(b) })
	}
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(_ string, b *box) bool { return isMine(b) })
	}
	return id, err
}

// The SDK asks Find again while a new thing may not show: what an event comes to in the end is what counts.
func TestAThingThatShowsLateIsFoundInTheEnd(t *testing.T) {
	for h, passes := range map[staysInItsRoom]bool{
		{}:                                     true,
		{lag: 2 * time.Second}:                 true,
		{searches: true}:                       false,
		{lag: 2 * time.Second, searches: true}: false,
	} {
		c := depotContract(func(d *depot) simulate.Function { return process(staysInItsRoom{found{d}, h.lag, h.searches}) })
		if text, _ := play.RunCheck(t, c, "find-reads-the-id-first"); (text == "") != passes {
			t.Errorf("of a handler with the lag %v that searches first, %v: %s", h.lag, h.searches, text)
		}
	}
}

// compoundID is right: the ID of a box has its room, which an older program left out.
type compoundID struct{ chosen }

func roomed(room, id string) string {
	if strings.Contains(id, "/") {
		return id
	}
	return room + "/" + id
}

func (h compoundID) Create(ctx context.Context, req *creation) (data boxData, err error) {
	p := req.Properties
	id := roomed(p.Room, req.StableID())
	if err := h.d.buildNew(ctx, id, box{room: p.Room, tag: req.StableID(), owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(id)
	return p.data(), h.d.fill(ctx, id, p.filling())
}

func (h compoundID) Update(ctx context.Context, req *updating) (boxData, error) {
	p, id := req.Properties, roomed(req.Properties.Room, req.PhysicalID)
	err := h.d.fill(ctx, id, p.filling())
	if errors.Is(err, errNoBox) && !req.IdentityChanged {
		if err = h.d.build(ctx, id, box{room: p.Room, tag: req.StableID(), owner: owner(req.Request)}); err == nil {
			err = h.d.fill(ctx, id, p.filling())
		}
	}
	return p.data(), err
}

func (h compoundID) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.remove(ctx, roomed(req.Properties.Room, req.PhysicalID)))
}

func (h compoundID) Find(ctx context.Context, req *finding) (string, error) {
	return h.found.Find(ctx, req)
}

// A handler that keeps the ID of an older program's thing is not accused of a second thing where the Service shows that thing
// under an ID of another form.
func TestAServiceMayNotKnowAnOlderProgramsID(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(compoundID{chosen{found{d}}}) })
	c = withService(c, func(s *play.Service) { s.Occupy = nil })
	r := play.RunChecks(t, c, "provider-upgrade-keeps-id")[0]
	told := r.Text + strings.Join(r.Warnings, "")
	if r.Outcome == "failed" || !strings.Contains(told, "Have State and List know a thing by the ID") {
		t.Errorf("it %s: %s", r.Outcome, told)
	}
}
