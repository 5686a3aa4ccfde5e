package whysent_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/whysent"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What the table of statuses does not tell is told by when the stack's update
// began, and by the resource.
func TestOf(t *testing.T) {
	sent := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	later := sent.Add(6 * time.Second)
	errAsked := errors.New("it was asked for")
	for name, tt := range map[string]struct {
		asked whysent.Request
		stack whysent.Stack
		there whysent.Resource // the zero Resource must not be asked for
		want  lifecycle.Phase
	}{
		"an update": {
			whysent.Request{Type: lifecycle.Update, SentAt: sent}, whysent.Stack{Status: lifecycle.StackUpdateInProgress, Updated: sent},
			whysent.Resource{}, lifecycle.PhaseUpdating,
		},
		"an update whose LastUpdatedTime is ahead of the second in which the event was signed": {
			whysent.Request{Type: lifecycle.Update, SentAt: sent}, whysent.Stack{Status: lifecycle.StackUpdateInProgress, Updated: sent.Add(5 * time.Second)},
			whysent.Resource{}, lifecycle.PhaseUpdating,
		},
		"one of an earlier operation": {
			whysent.Request{Type: lifecycle.Update, SentAt: sent}, whysent.Stack{Status: lifecycle.StackUpdateInProgress, Updated: later},
			whysent.Resource{}, lifecycle.PhaseNotAwaited,
		},
		"a rollback, which began after it": {
			whysent.Request{Type: lifecycle.Update, SentAt: sent}, whysent.Stack{Status: lifecycle.StackUpdateRollbackInProgress, Updated: later},
			whysent.Resource{}, lifecycle.PhaseUpdateRollback,
		},
		"the Delete of what was replaced": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "old"}, whysent.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			whysent.Resource{PhysicalID: "new", Status: lifecycle.ResourceUpdateComplete}, lifecycle.PhaseReplacementCleanup,
		},
		"of what was removed": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "old"}, whysent.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			whysent.Resource{PhysicalID: "old", Status: lifecycle.ResourceDeleteInProgress}, lifecycle.PhaseRemoval,
		},
		"of what is the stack's": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "old"}, whysent.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			whysent.Resource{PhysicalID: "old", Status: lifecycle.ResourceUpdateComplete}, lifecycle.PhaseNotAwaited,
		},
		"of what a lost Create made, and the stack uses": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "made-up", CreatedID: "new"}, whysent.Stack{Status: lifecycle.StackUpdateCompleteCleanupInProgress},
			whysent.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseNotAwaited,
		},
		"and the stack does not use": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "made-up", CreatedID: "lost"}, whysent.Stack{Status: lifecycle.StackUpdateRollbackCompleteCleanupInProgress},
			whysent.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseUpdateRollbackCleanup,
		},
		"and no cleanup deletes, as far as is shown": {
			whysent.Request{Type: lifecycle.Delete, PhysicalID: "old", CreatedID: "old"}, whysent.Stack{Status: lifecycle.StackUpdateInProgress},
			whysent.Resource{}, lifecycle.PhaseUnknown,
		},
		"a Create of what is in use by now": {
			whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, whysent.Stack{Status: lifecycle.StackCreateInProgress},
			whysent.Resource{PhysicalID: "new", Status: lifecycle.ResourceCreateComplete}, lifecycle.PhaseNotAwaited,
		},
		"of what is being deleted": {
			whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, whysent.Stack{Status: lifecycle.StackRollbackInProgress},
			whysent.Resource{PhysicalID: "new", Status: lifecycle.ResourceDeleteInProgress}, lifecycle.PhaseGivenUp,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := whysent.Of(tt.asked, tt.stack, func() (whysent.Resource, error) {
				if tt.there == (whysent.Resource{}) {
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
		asked  whysent.Request
		status lifecycle.StackStatus
		want   lifecycle.Phase
	}{
		"an Update that made something, of an update that goes on":     {whysent.Request{Type: lifecycle.Update, CreatedID: "new"}, lifecycle.StackUpdateInProgress, lifecycle.PhaseGivenUp},
		"a Create that made something, of an update that was undone":   {whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateRollbackComplete, lifecycle.PhaseGivenUp},
		"a Create that made something, and the resource was taken out": {whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateComplete, lifecycle.PhaseNotAwaited},
		"a Delete": {whysent.Request{Type: lifecycle.Delete, PhysicalID: "old"}, lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.PhaseUnknown},
	} {
		t.Run("no such resource: "+name, func(t *testing.T) {
			got, err := whysent.Of(tt.asked, whysent.Stack{Status: tt.status}, func() (whysent.Resource, error) {
				return whysent.Resource{}, fmt.Errorf("DescribeStackResource: %w", whysent.ErrNoResource)
			})
			if got != tt.want || (err != nil) != (tt.want == lifecycle.PhaseUnknown) {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if got, err := whysent.Of(whysent.Request{Type: lifecycle.Create}, whysent.Stack{Status: "SOMETHING_NEW"}, nil); got != lifecycle.PhaseUnknown || err == nil {
		t.Errorf("in a status of another time: %q, %v", got, err)
	}
}
