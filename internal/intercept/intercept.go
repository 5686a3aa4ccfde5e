// Package intercept lets the test kit stand around the calls of a handler's
// methods. On Lambda nobody does, and it costs one look into the context.
package intercept

import "context"

// A Call is one call of a handler's method.
type Call struct {
	Method     string // "Create", "Update", "Delete" or "Find"
	PhysicalID string // that the method is called for; "" for Create and Find
	// Tracked returns the ID that the method has tracked so far. It is nil
	// except for Create.
	Tracked func() string
}

// A Method does the call, and returns the ID that the handler returned, if it
// returned one.
type Method func() (physicalID string, err error)

// A Func is called in place of a method, in the goroutine in which the method
// is to run. What it returns is what the method is taken to have returned.
type Func func(ctx context.Context, c Call, method Method) (physicalID string, err error)

type key struct{}

// With returns a context in which fn stands around each method.
func With(ctx context.Context, fn Func) context.Context {
	return context.WithValue(ctx, key{}, fn)
}

// Do calls a method, through the context's Func if it has one.
func Do(ctx context.Context, c Call, method Method) (physicalID string, err error) {
	if fn, ok := ctx.Value(key{}).(Func); ok {
		return fn(ctx, c, method)
	}
	return method()
}
