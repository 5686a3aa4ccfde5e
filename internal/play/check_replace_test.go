package play_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// readsFirst reads from the service before it builds a box, so that its first Step
// precedes any effect. It is late if it calls Created only when all is done.
type readsFirst struct {
	named
	late bool
}

func (h readsFirst) Create(ctx context.Context, req *creation) (boxData, error) {
	if err := simulate.Step(ctx); err != nil {
		return boxData{}, err
	}
	create := h.named.Create
	if h.late {
		create = callsCreatedLate{h.named}.Create
	}
	data, err := create(ctx, req)
	if err == nil {
		err = simulate.Step(ctx)
	}
	return data, err
}

// At which steps things are made, and which are before an effect, does not
// matter: one step may leave a thing that no handler could name.
func TestOneStepOfAReplacementMayLeaveTheNewThing(t *testing.T) {
	for late, want := range map[bool][]string{false: nil, true: {"replace-failed-nothing-left"}} {
		results := play.RunChecks(t, adapted(func(h named) readsFirst { return readsFirst{h, late} }))
		failed := outcomes(results, "failed")
		if diff := cmp.Diff(want, failed); diff != "" {
			t.Errorf("late is %t: failing checks (-want +got):\n%s", late, diff)
			for _, name := range failed {
				t.Log(textOf(results, name))
			}
		}
	}
}
