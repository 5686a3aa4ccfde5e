// Package whysent says why a custom resource's request came, from what CloudFormation shows of its
// stack. Package stackphase asks AWS, and the test kit asks its own stack.
package whysent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// Request is the request whose phase is wanted.
type Request struct {
	Type       lifecycle.RequestType
	PhysicalID string
	CreatedID  string    // of what it made, or of what a Delete is about to delete; or ""
	SentAt     time.Time // known to the second
}

// A Stack is what DescribeStacks tells of one.
type Stack struct {
	Status  lifecycle.StackStatus
	Updated time.Time // LastUpdatedTime, or the zero time
}

// A Resource is what DescribeStackResource tells of the one that the stack has
// under the request's logical ID.
type Resource struct {
	PhysicalID string
	Status     lifecycle.ResourceStatus
}

// ErrNoResource is returned where the stack has no resource of the logical ID.
var ErrNoResource = errors.New("the stack has no such resource")

// Of returns the phase. It asks for the resource only where that matters.
func Of(a Request, s Stack, resource func() (Resource, error)) (lifecycle.Phase, error) {
	phase := lifecycle.PhaseOf(s.Status, a.Type, true)
	switch {
	case phase == lifecycle.PhaseUnknown:
		return phase, fmt.Errorf("the stack's status is %q, in which a %s has no known reason", s.Status, a.Type)
	case forward(s.Status) && startedAfter(s.Updated, a.SentAt):
		return lifecycle.PhaseNotAwaited, nil
	case a.Type == lifecycle.Delete && a.CreatedID != "" && phase != lifecycle.PhaseReplacementCleanup && phase != lifecycle.PhaseUpdateRollbackCleanup:
		return lifecycle.PhaseUnknown, nil // only a cleanup keeps one resource and deletes another of the same logical ID
	case a.Type == lifecycle.Delete && inUpdate(s.Status):
		return deletePhase(a, s, resource)
	case a.CreatedID != "":
		return createdPhase(a, phase, resource)
	}
	return phase, nil
}

// forward reports whether the status is one of a stack that goes forward: its
// requests belong to the operation that began last.
func forward(s lifecycle.StackStatus) bool {
	return s == lifecycle.StackCreateInProgress || s == lifecycle.StackUpdateInProgress || s == lifecycle.StackUpdateCompleteCleanupInProgress
}

// tolerance is how much later than an event the LastUpdatedTime of the event's own operation may be. The event
// has the second in which its URL was signed, and the two times are those of different machines.
const tolerance = 5 * time.Second

// startedAfter reports whether an operation that began at a time, if that is known,
// began after an event was sent.
func startedAfter(began, sent time.Time) bool {
	return !began.IsZero() && !sent.IsZero() && began.After(sent.Add(tolerance))
}

// inUpdate reports whether the status is one in which an update, or its
// rollback, deletes some resources and keeps others.
func inUpdate(s lifecycle.StackStatus) bool {
	return s == lifecycle.StackUpdateInProgress || s == lifecycle.StackUpdateCompleteCleanupInProgress || s == lifecycle.StackUpdateRollbackCompleteCleanupInProgress
}

// deletePhase looks at the resource that the stack now has under the logical ID. If it is being
// deleted, the Delete is about it. In a cleanup, another physical ID means that it was replaced.
// Otherwise the stack uses it: the Delete belongs to an earlier operation, and is no longer
// awaited, or a later Create has adopted what it would delete.
func deletePhase(a Request, s Stack, resource func() (Resource, error)) (lifecycle.Phase, error) {
	r, err := resource()
	if err != nil {
		return lifecycle.PhaseUnknown, err
	}
	switch {
	case strings.HasPrefix(string(r.Status), "DELETE_"):
		return lifecycle.PhaseOf(s.Status, lifecycle.Delete, false), nil
	case r.PhysicalID != cmp.Or(a.CreatedID, a.PhysicalID) && s.Status != lifecycle.StackUpdateInProgress:
		return lifecycle.PhaseOf(s.Status, lifecycle.Delete, true), nil
	default:
		return lifecycle.PhaseNotAwaited, nil
	}
}

// createdPhase checks whether the stack uses what a request has made. It does if it shows that ID,
// and the resource is not being deleted. So a second delivery does not delete what the first one
// was answered for. If the stack has no such resource any more, nobody waits for what made it.
func createdPhase(a Request, phase lifecycle.Phase, resource func() (Resource, error)) (lifecycle.Phase, error) {
	r, err := resource()
	switch {
	case errors.Is(err, ErrNoResource) && phase.Awaited():
		return lifecycle.PhaseGivenUp, nil
	case errors.Is(err, ErrNoResource):
		return phase, nil
	case err != nil:
		return lifecycle.PhaseUnknown, err
	}
	if r.PhysicalID != a.CreatedID {
		return phase, nil
	}
	switch r.Status {
	case lifecycle.ResourceCreateInProgress, // it is not known yet; the ID is that of a resource before it
		lifecycle.ResourceDeleteInProgress, lifecycle.ResourceDeleteFailed, lifecycle.ResourceDeleteComplete:
		return phase, nil
	default:
		return lifecycle.PhaseNotAwaited, nil
	}
}
