package cfnresource

import (
	"context"
	"time"
)

// An Operation is one call of a handler's method, as a [Middleware] sees it, or
// the event whose phase [Options].Phase is asked for.
type Operation struct {
	Request
	Name string // "Create", "Update", "Delete" or "Find"
	// PhysicalID is the ID of the resource that is updated or deleted, or that
	// Find reads directly; else "".
	PhysicalID string
	// CreatedID is the ID of what a Create or Update has made, or of what a Delete is about to
	// delete, where the dispatcher asks whether it may delete that; else "". If the stack has it
	// under the logical ID, and does not delete it, the phase is lifecycle.PhaseNotAwaited.
	CreatedID string
	// SentAt is when CloudFormation sent the event, to the second, or zero if that is not known.
	SentAt time.Time
}

// Middleware runs around a handler's method: it calls next, which calls the method, and returns
// what next returned or another error. If it drops the method's error, the call has failed all the
// same. If a call is tried again, each try goes through it.
type Middleware func(ctx context.Context, op *Operation, next func(context.Context) error) error
