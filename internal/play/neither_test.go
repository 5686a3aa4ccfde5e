package play_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// neither is right, as far as its kind can be: its boxes have IDs of the depot's, and
// nothing on them leads back to the stack.
type neither struct{ d *depot }

func (h neither) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room})
	if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h neither) Update(ctx context.Context, req *updating) (boxData, error) {
	return found(h).Update(ctx, req)
}

func (h neither) Delete(ctx context.Context, req *deletion) error {
	return found(h).Delete(ctx, req)
}

var neitherBoxes = neitherContract(func(d *depot) simulate.Function { return process(neither{d}) })

func neitherContract(process func(d *depot) simulate.Function) play.Contract {
	c := depotContract(process)
	c.Replacing, c.Neither = nil, true
	return c
}

// A Contract that says Neither has what no handler of the kind can hold left out, by name.
func TestWhatTheKindNeitherCannotHoldIsLeftOutByName(t *testing.T) {
	var left []string
	for _, r := range play.RunChecks(t, neitherBoxes) {
		if r.Outcome == "failed" || r.Outcome == "unjudged" {
			t.Errorf("%s %s: %s", r.Name, r.Outcome, r.Text)
		}
		if strings.Contains(r.Text, "neither") {
			left = append(left, r.Name)
		}
	}
	want := []string{
		"create-redelivered-one-resource", "create-error-after-making", "create-out-of-time-nothing-left", "create-died-half-way-is-finished",
		"create-refused-nothing-left", "create-cancelled-while-running", "delete-lost-create",
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if e := play.Exploration(t, neitherBoxes, play.ExploreOptions{Depth: 2}); len(e.Findings) > 0 {
		t.Errorf("%d of %d histories do harm: %s", len(e.Findings), e.Played, e.Findings[0])
	}
	undeclared := neitherBoxes
	undeclared.Neither = false
	if text, _ := play.RunCheck(t, undeclared, "delete-lost-create"); text == "" {
		t.Error("without Neither, what cannot be held is not told")
	}
}

// The kind excuses nothing that it can hold.
func TestTheKindNeitherDoesNotExcuseALateCreated(t *testing.T) {
	c := neitherContract(func(d *depot) simulate.Function { return process(neitherNamesLate{neither{d}}) })
	c.Refused = nil
	e := play.Exploration(t, c, play.ExploreOptions{Depth: 1})
	if want := "v0!fail-at-step:3@1"; len(e.Lines) == 0 || e.Lines[0] != want {
		t.Errorf("found %q, want %s first", e.Lines, want)
	}
}

// neitherNamesLate calls Created behind its last effect.
type neitherNamesLate struct{ neither }

func (h neitherNamesLate) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room})
	if err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}
