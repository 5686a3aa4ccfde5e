// Package phases says why a custom resource's request came, by what
// CloudFormation tells of its stack. stackphase asks AWS, and the test kit asks
// the stack that it plays.
package phases

import (
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// Asked is the request that is asked about.
type Asked struct {
	Request    lifecycle.Request
	PhysicalID string
	Made       string    // what it made, and may have to delete again, or ""
	Birth      time.Time // known to the second
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

// Of returns the phase. It asks for the resource only where that matters.
func Of(a Asked, s Stack, resource func() (Resource, error)) (lifecycle.Phase, error) {
	phase := lifecycle.PhaseOf(s.Status, a.Request, true)
	switch {
	case phase == lifecycle.PhaseUnknown:
		return phase, fmt.Errorf("the stack's status is %q, in which a %s has no known reason", s.Status, a.Request)
	case forward(s.Status) && begunAfter(s.Updated, a.Birth):
		return lifecycle.PhaseNotAwaited, nil
	case a.Request == lifecycle.Delete && inUpdate(s.Status):
		return ofDelete(a, s, resource)
	case a.Made != "":
		return ofMaker(a, phase, resource)
	}
	return phase, nil
}

// forward reports whether the status is one of a stack that goes forward: its
// requests belong to the operation that began last.
func forward(s lifecycle.StackStatus) bool {
	switch s {
	case lifecycle.StackCreateInProgress, lifecycle.StackUpdateInProgress, lifecycle.StackUpdateCompleteCleanupInProgress:
		return true
	default:
		return false
	}
}

// begunAfter reports whether an operation that began at a time, if that is known,
// began after the birth of an event.
func begunAfter(began, birth time.Time) bool {
	return !began.IsZero() && !birth.IsZero() && began.After(birth.Add(time.Second))
}

// inUpdate reports whether the status is one in which an update, or its
// rollback, deletes some resources and keeps others.
func inUpdate(s lifecycle.StackStatus) bool {
	switch s {
	case lifecycle.StackUpdateInProgress, lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.StackUpdateRollbackCompleteCleanupInProgress:
		return true
	default:
		return false
	}
}

// ofDelete looks at the resource that the stack now has under the logical ID.
// What is being deleted is what the Delete is about. What a cleanup replaced has
// left its place to another physical ID. Anything else is the stack's own: the
// Delete is an earlier operation's, and no longer awaited.
func ofDelete(a Asked, s Stack, resource func() (Resource, error)) (lifecycle.Phase, error) {
	r, err := resource()
	if err != nil {
		return lifecycle.PhaseUnknown, err
	}
	switch {
	case strings.HasPrefix(string(r.Status), "DELETE_"):
		return lifecycle.PhaseOf(s.Status, lifecycle.Delete, false), nil
	case r.PhysicalID != a.PhysicalID && s.Status != lifecycle.StackUpdateInProgress:
		return lifecycle.PhaseOf(s.Status, lifecycle.Delete, true), nil
	default:
		return lifecycle.PhaseNotAwaited, nil
	}
}

// ofMaker looks whether what a request has made is the stack's by now: unless it
// is being deleted, it is in use, or is kept. A second delivery of a request has
// made what the first one was answered for.
func ofMaker(a Asked, phase lifecycle.Phase, resource func() (Resource, error)) (lifecycle.Phase, error) {
	r, err := resource()
	if err != nil {
		return lifecycle.PhaseUnknown, err
	}
	if r.PhysicalID != a.Made {
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
