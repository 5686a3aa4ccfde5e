package cfnresource

import "context"

// An Operation is one call of a handler's method, as a [Middleware] sees it.
type Operation struct {
	Request
	Name       string // "Create", "Update", "Delete" or "Find"
	PhysicalID string // of the resource that is updated or deleted, else ""
}

// Middleware runs around a handler's method: it calls next, which calls the
// method, and returns what next returned or another error. It sees a call that
// is tried again once for each try.
type Middleware func(ctx context.Context, op *Operation, next func(context.Context) error) error
