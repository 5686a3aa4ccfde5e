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
	// PhysicalID is the ID of the resource that is updated or deleted, that Find
	// reads directly, or that an event made and may have to delete again; else
	// "".
	PhysicalID string
	// Birth is when CloudFormation sent the event, to the second, or zero if
	// that is not known.
	Birth time.Time
}

// Middleware runs around a handler's method: it calls next, which calls the
// method, and returns what next returned or another error. It sees a call that
// is tried again once for each try.
type Middleware func(ctx context.Context, op *Operation, next func(context.Context) error) error
