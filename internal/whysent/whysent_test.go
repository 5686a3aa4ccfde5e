package whysent_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/whysent"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const (
	updating = lifecycle.StackUpdateInProgress
	cleanup  = lifecycle.StackUpdateCompleteCleanupInProgress
	undoing  = lifecycle.StackUpdateRollbackCompleteCleanupInProgress
)

// check checks the phase of a request, of whose logical ID the stack has a resource. The zero Resource must not be asked for.
func check(t *testing.T, asked whysent.Request, stack whysent.Stack, there whysent.Resource, want lifecycle.Phase) {
	t.Helper()
	got, err := whysent.Of(asked, stack, func() (whysent.Resource, error) {
		if there == (whysent.Resource{}) {
			return there, errors.New("it was asked for")
		}
		return there, nil
	})
	if got != want || err != nil {
		t.Errorf("a %s: %q, %v; want %q", asked.Type, got, err, want)
	}
}

// An update deletes some resources and keeps others: the one that the stack has under the logical ID says which.
func TestDeletesInAnUpdate(t *testing.T) {
	for name, tt := range map[string]struct {
		stack  lifecycle.StackStatus
		has    string
		status lifecycle.ResourceStatus
		want   lifecycle.Phase
	}{
		"replaced":                           {cleanup, "b", lifecycle.ResourceUpdateComplete, lifecycle.PhaseReplacementCleanup},
		"removed":                            {cleanup, "a", lifecycle.ResourceDeleteInProgress, lifecycle.PhaseRemoval},
		"another try":                        {cleanup, "a", lifecycle.ResourceDeleteFailed, lifecycle.PhaseRemoval},
		"removed with what replaced it":      {cleanup, "b", lifecycle.ResourceDeleteInProgress, lifecycle.PhaseRemoval},
		"the stack's own by now":             {cleanup, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"made by the failed update":          {undoing, "a", lifecycle.ResourceDeleteInProgress, lifecycle.PhaseUpdateRollbackCleanup},
		"a replacement that did not stay":    {undoing, "b", lifecycle.ResourceUpdateComplete, lifecycle.PhaseUpdateRollbackCleanup},
		"the stack's own after the rollback": {undoing, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"to be created again":                {updating, "a", lifecycle.ResourceDeleteInProgress, lifecycle.PhaseUpdating},
		"an earlier cleanup's, before the replacement is undone": {updating, "b", lifecycle.ResourceUpdateInProgress, lifecycle.PhaseNotAwaited},
		"an earlier cleanup's, after it":                         {updating, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, whysent.Request{Type: lifecycle.Delete, PhysicalID: "a"}, whysent.Stack{Status: tt.stack}, whysent.Resource{PhysicalID: tt.has, Status: tt.status}, tt.want)
		})
	}
}

// What a request has made, and what a Delete is about to delete, is not to be deleted while the stack has it: a delivery of its
// event, or a later operation, made it the stack's.
func TestWhatWasMadeMayBeInUse(t *testing.T) {
	all := []lifecycle.RequestType{lifecycle.Create, lifecycle.Update}
	for name, tt := range map[string]struct {
		requests []lifecycle.RequestType
		stack    lifecycle.StackStatus
		has      string
		status   lifecycle.ResourceStatus
		want     lifecycle.Phase
	}{
		"of another delivery, in use":       {all, lifecycle.StackUpdateRollbackComplete, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"in use in the rollback":            {all, undoing, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"while its update goes on":          {all, updating, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"while its update is rolled back":   {all, lifecycle.StackUpdateRollbackInProgress, "a", lifecycle.ResourceUpdateComplete, lifecycle.PhaseNotAwaited},
		"while its creation goes on":        {all, lifecycle.StackCreateInProgress, "a", lifecycle.ResourceCreateComplete, lifecycle.PhaseNotAwaited},
		"kept by its DeletionPolicy":        {all, lifecycle.StackDeleteComplete, "a", lifecycle.ResourceDeleteSkipped, lifecycle.PhaseNotAwaited},
		"to be deleted by the rollback":     {all, lifecycle.StackRollbackInProgress, "a", lifecycle.ResourceCreateComplete, lifecycle.PhaseNotAwaited},
		"being deleted":                     {all, lifecycle.StackRollbackInProgress, "a", lifecycle.ResourceDeleteInProgress, lifecycle.PhaseGivenUp},
		"not deleted":                       {all, lifecycle.StackRollbackFailed, "a", lifecycle.ResourceDeleteFailed, lifecycle.PhaseGivenUp},
		"deleted":                           {all, lifecycle.StackRollbackComplete, "a", lifecycle.ResourceDeleteComplete, lifecycle.PhaseGivenUp},
		"another one":                       {all, lifecycle.StackUpdateRollbackComplete, "b", lifecycle.ResourceUpdateComplete, lifecycle.PhaseGivenUp},
		"another one, of an update":         {all, updating, "b", lifecycle.ResourceUpdateComplete, lifecycle.PhaseUpdating},
		"none yet":                          {all, lifecycle.StackUpdateRollbackComplete, "", lifecycle.ResourceCreateFailed, lifecycle.PhaseGivenUp},
		"of a lost Create, in a cleanup":    {[]lifecycle.RequestType{lifecycle.Delete}, cleanup, "a", lifecycle.ResourceCreateComplete, lifecycle.PhaseNotAwaited},
		"of a lost Create, and another one": {[]lifecycle.RequestType{lifecycle.Delete}, undoing, "b", lifecycle.ResourceCreateComplete, lifecycle.PhaseUpdateRollbackCleanup},
		"and no cleanup deletes it":         {[]lifecycle.RequestType{lifecycle.Delete}, updating, "", "", lifecycle.PhaseUnknown},
	} {
		for _, request := range tt.requests {
			t.Run(name, func(t *testing.T) {
				check(t, whysent.Request{Type: request, PhysicalID: "old", CreatedID: "a"}, whysent.Stack{Status: tt.stack}, whysent.Resource{PhysicalID: tt.has, Status: tt.status}, tt.want)
			})
		}
	}
}

// An operation that began after the event was sent is another one. The event's SentAt is in whole seconds, and by another
// machine's clock.
func TestAnEventOfAnEarlierOperation(t *testing.T) {
	sent := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		stack   lifecycle.StackStatus
		request lifecycle.RequestType
		updated time.Time
		want    lifecycle.Phase
	}{
		"of this operation": {updating, lifecycle.Update, sent.Add(-time.Minute), lifecycle.PhaseUpdating},
		"of the same operation, by two machines' clocks": {updating, lifecycle.Update, sent.Add(5 * time.Second), lifecycle.PhaseUpdating},
		"of an earlier one":                 {updating, lifecycle.Update, sent.Add(5*time.Second + time.Millisecond), lifecycle.PhaseNotAwaited},
		"a Create of an earlier one":        {updating, lifecycle.Create, sent.Add(time.Minute), lifecycle.PhaseNotAwaited},
		"a Create from a change set":        {lifecycle.StackCreateInProgress, lifecycle.Create, sent.Add(-time.Second), lifecycle.PhaseCreating},
		"a cleanup's":                       {cleanup, lifecycle.Delete, sent.Add(-time.Minute), lifecycle.PhaseReplacementCleanup},
		"an earlier cleanup's":              {cleanup, lifecycle.Delete, sent.Add(time.Minute), lifecycle.PhaseNotAwaited},
		"in a stack that was never updated": {lifecycle.StackCreateInProgress, lifecycle.Create, time.Time{}, lifecycle.PhaseCreating},

		// What the time is of a stack that rolls back is not known.
		"in a rollback": {lifecycle.StackUpdateRollbackInProgress, lifecycle.Update, sent.Add(time.Minute), lifecycle.PhaseUpdateRollback},
		"in a deletion": {lifecycle.StackDeleteInProgress, lifecycle.Delete, sent.Add(time.Minute), lifecycle.PhaseDeleting},
	} {
		t.Run(name, func(t *testing.T) {
			asked, stack := whysent.Request{Type: tt.request, PhysicalID: "a", SentAt: sent}, whysent.Stack{Status: tt.stack, Updated: tt.updated}
			there := whysent.Resource{PhysicalID: "b", Status: lifecycle.ResourceUpdateComplete}
			check(t, asked, stack, there, tt.want)
			if asked.SentAt = (time.Time{}); tt.want == lifecycle.PhaseNotAwaited {
				if got, _ := whysent.Of(asked, stack, func() (whysent.Resource, error) { return there, nil }); !got.Awaited() {
					t.Errorf("without SentAt: %q", got)
				}
			}
		})
	}
}

// The resource is asked for only where it counts.
func TestOneQuestionIsEnoughElsewhere(t *testing.T) {
	for _, tt := range []struct {
		stack   lifecycle.StackStatus
		request lifecycle.RequestType
		want    lifecycle.Phase
	}{
		{cleanup, lifecycle.Update, lifecycle.PhaseNotAwaited},
		{updating, lifecycle.Create, lifecycle.PhaseUpdating},
		{lifecycle.StackDeleteInProgress, lifecycle.Delete, lifecycle.PhaseDeleting},
		{lifecycle.StackUpdateComplete, lifecycle.Delete, lifecycle.PhaseNotAwaited},
		{lifecycle.StackUpdateRollbackInProgress, lifecycle.Update, lifecycle.PhaseUpdateRollback},
	} {
		check(t, whysent.Request{Type: tt.request, PhysicalID: "a"}, whysent.Stack{Status: tt.stack}, whysent.Resource{}, tt.want)
	}
}

// That the stack has no such resource says that nobody waits for what made something. Of a Delete it says nothing.
func TestNoSuchResource(t *testing.T) {
	for name, tt := range map[string]struct {
		asked  whysent.Request
		status lifecycle.StackStatus
		want   lifecycle.Phase
	}{
		"an Update that made something, of an update that goes on":     {whysent.Request{Type: lifecycle.Update, CreatedID: "new"}, updating, lifecycle.PhaseGivenUp},
		"a Create that made something, of an update that was undone":   {whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateRollbackComplete, lifecycle.PhaseGivenUp},
		"a Create that made something, and the resource was taken out": {whysent.Request{Type: lifecycle.Create, CreatedID: "new"}, lifecycle.StackUpdateComplete, lifecycle.PhaseNotAwaited},
		"a Delete": {whysent.Request{Type: lifecycle.Delete, PhysicalID: "old"}, cleanup, lifecycle.PhaseUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := whysent.Of(tt.asked, whysent.Stack{Status: tt.status}, func() (whysent.Resource, error) {
				return whysent.Resource{}, fmt.Errorf("DescribeStackResource: %w", whysent.ErrNoResource)
			})
			if got != tt.want || (err != nil) != (tt.want == lifecycle.PhaseUnknown) {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAStatusOfAnotherTime(t *testing.T) {
	if got, err := whysent.Of(whysent.Request{Type: lifecycle.Create}, whysent.Stack{Status: "SOMETHING_NEW"}, nil); got != lifecycle.PhaseUnknown || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}
