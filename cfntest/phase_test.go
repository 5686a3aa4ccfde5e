package cfntest_test

import (
	"context"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// The phase in the context overrides Options.Phase, for the handler and the dispatcher.
func TestWithPhase(t *testing.T) {
	var got lifecycle.Phase
	look := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[bookProps]) (data struct{}, err error) {
		got = req.Phase(ctx)
		return data, nil
	})
	d := cfnresource.New(look, quietly, func(o *cfnresource.Options) {
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			return lifecycle.PhaseUpdating, nil
		}
	})
	// A template's typo: in a rollback, it is none of this deployment's.
	props := map[string]any{"Title": "Emma", "Pags": 3}
	event := cfntest.UpdateEvent("book", props, props)
	if a := cfntest.Invoke(t, d, event); a.Status != "FAILED" {
		t.Errorf("an Update that leads forward is answered %s", a.Status)
	}
	ctx := cfntest.WithPhase(t.Context(), lifecycle.PhaseUpdateRollback)
	if a := cfntest.InvokeContext(ctx, t, d, event); a.Status != "SUCCESS" || got != lifecycle.PhaseUpdateRollback {
		t.Errorf("in the phase %q it is answered %s %s", got, a.Status, a.Reason)
	}
}
