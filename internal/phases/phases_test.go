package phases_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/phases"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What the table of statuses does not tell is told by when the stack's update
// began, and by the resource.
func TestOf(t *testing.T) {
	sent := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	later := sent.Add(2 * time.Second)
	errAsked := errors.New("it was asked for")
	for name, tt := range map[string]struct {
		asked phases.Request
		stack phases.Stack
		there phases.Resource // the zero Resource must not be asked for
		want  lifecycle.Phase
	}{
		"an update": {
			phases.Request{Type: lifecycle.Update, SentAt: sent}, phases.Stack{Status: lifecycle.StackUpdateInProgress, Updated: sent},
			phases.Resource{}, lifecycle.PhaseUpdating,
		},
		"one of an earlier operation": {
			phases.Request{Type: lifecycle.Update, SentAt: sent}, phases.Stack{Status: lifecycle.StackUpdateInProgress, Updated: later},
			phases.Resource{}, lifecycle.PhaseNotAwaited,
		},
		"a rollback, which began after it": {
			phases.Request{Type: lifecycle.Update, SentAt: sent}, phases.Stack{Status: lifecycle.StackUpdateRollbackInProgress, Updated: later},
			phases.Resource{}, lifecycle.PhaseUpdateRollback,
		},
		"the Delete of what was replaced": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "old"}, phases.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			phases.Resource{PhysicalID: "new", Status: lifecycle.ResourceUpdateComplete}, lifecycle.PhaseReplacementCleanup,
		},
		"of what was removed": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "old"}, phases.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			phases.Resource{PhysicalID: "old", Status: lifecycle.ResourceDeleteInProgress}, lifecycle.PhaseRemoval,
		},
		"of what is the stack's": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "old"}, phases.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			phases.Resource{PhysicalID: "old", Status: lifecycle.ResourceUpdateComplete}, lifecycle.PhaseNotAwaited,
		},
		"of what a lost Create made, and the stack uses": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "made-up", CreatedID: "new"}, phases.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			phases.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseNotAwaited,
		},
		"and the stack does not use": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "made-up", CreatedID: "lost"}, phases.Stack{Status: lifecycle.StackUpdateRollbackCompleteCleanupInProgress},
			phases.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseUpdateRollbackCleanup,
		},
		"and no cleanup deletes, as far as is shown": {
			phases.Request{Type: lifecycle.Delete, PhysicalID: "old", CreatedID: "old"}, phases.Stack{Status: lifecycle.StackUpdateInProgress},
			phases.Resource{}, lifecycle.PhaseUnknown,
		},
		"a Create of what is in use by now": {
			phases.Request{Type: lifecycle.Create, CreatedID: "new"}, phases.Stack{Status: lifecycle.StackCreateInProgress},
			phases.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseNotAwaited,
		},
		"of what is being deleted": {
			phases.Request{Type: lifecycle.Create, CreatedID: "new"}, phases.Stack{Status: lifecycle.StackRollbackInProgress},
			phases.Resource{PhysicalID: "new", Status: lifecycle.ResourceDeleteInProgress}, lifecycle.PhaseGivenUp,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := phases.Of(tt.asked, tt.stack, func() (phases.Resource, error) {
				if tt.there == (phases.Resource{}) {
					return tt.there, errAsked
				}
				return tt.there, nil
			})
			if got != tt.want || err != nil {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
		})
	}
	for name, tt := range map[string]struct {
		asked  phases.Request
		status lifecycle.StackStatus
		want   lifecycle.Phase
	}{
		"an Update that made something, of an update that goes on":     {phases.Request{Type: lifecycle.Update, CreatedID: "new"}, lifecycle.StackUpdateInProgress, lifecycle.PhaseGivenUp},
		"a Create that made something, of an update that was undone":   {phases.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateRollbackComplete, lifecycle.PhaseGivenUp},
		"a Create that made something, and the resource was taken out": {phases.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateComplete, lifecycle.PhaseNotAwaited},
		"a Delete": {phases.Request{Type: lifecycle.Delete, PhysicalID: "old"}, lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.PhaseUnknown},
	} {
		t.Run("no such resource: "+name, func(t *testing.T) {
			got, err := phases.Of(tt.asked, phases.Stack{Status: tt.status}, func() (phases.Resource, error) {
				return phases.Resource{}, fmt.Errorf("DescribeStackResource: %w", phases.ErrNoResource)
			})
			if got != tt.want || (err != nil) != (tt.want == lifecycle.PhaseUnknown) {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if got, err := phases.Of(phases.Request{Type: lifecycle.Create}, phases.Stack{Status: "SOMETHING_NEW"}, nil); got != lifecycle.PhaseUnknown || err == nil {
		t.Errorf("in a status of another time: %q, %v", got, err)
	}
}
