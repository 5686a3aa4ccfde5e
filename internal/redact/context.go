package redact

import "context"

type contextKey struct{}

// NewContext returns a context of an event, which brings the event's Redactor to whoever works on it.
func NewContext(ctx context.Context, r *Redactor) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// FromContext returns the Redactor that [NewContext] put into ctx, or nil.
func FromContext(ctx context.Context) *Redactor {
	r, _ := ctx.Value(contextKey{}).(*Redactor)
	return r
}

// Lasting returns ctx for what outlives the event: secrets that are added with it stay known to the
// events that follow.
func Lasting(ctx context.Context) context.Context {
	if r := FromContext(ctx); r != nil && r.lasting != nil {
		return NewContext(ctx, r.lasting)
	}
	return ctx
}
