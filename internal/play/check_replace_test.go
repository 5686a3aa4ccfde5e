package play_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// readsFirst reads from the service before it does what a note does, so that its first
// Step precedes any effect. It is late if it calls Created only when all is done.
type readsFirst struct {
	note
	late bool
}

func (h readsFirst) Create(ctx context.Context, req *cfnresource.CreateRequest[noteProps]) (data struct{}, err error) {
	if err := simulate.Step(ctx); err != nil {
		return data, err
	}
	if !h.late {
		if data, err = h.note.Create(ctx, req); err != nil {
			return data, err
		}
		return data, simulate.Step(ctx)
	}
	id := req.StableID()
	if err := h.board.pin(ctx, id, req.Properties, true); errors.Is(err, errNoteThere) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	if err := simulate.Step(ctx); err != nil {
		return data, err
	}
	req.Created(id)
	return data, nil
}

// At which steps things are made, and which are before an effect, does not
// matter: one step may leave a thing that no handler could name.
func TestOneStepOfAReplacementMayLeaveTheNewThing(t *testing.T) {
	for late, want := range map[bool][]string{false: nil, true: {"replace-failed-nothing-left"}} {
		results := play.RunChecks(t, adapted(func(n note) readsFirst { return readsFirst{n, late} }))
		failed := outcomes(results, "failed")
		if diff := cmp.Diff(want, failed); diff != "" {
			t.Errorf("late is %t: failing checks (-want +got):\n%s", late, diff)
			for _, name := range failed {
				t.Log(textOf(results, name))
			}
		}
	}
}
