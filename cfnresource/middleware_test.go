package cfnresource_test

import (
	"context"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A middleware that returns before the method does, or catches its panic, makes
// no success of it: nobody knows what was done.
func TestMiddlewareReturnsBeforeTheMethod(t *testing.T) {
	slow := creates(func(context.Context, *create) (data, error) {
		<-time.After(time.Second)
		return data{"A": "b"}, nil
	})
	for _, tt := range []struct {
		name       string
		handler    *fake
		middleware cfnresource.Middleware
	}{
		{"while it runs", slow, func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
			go func() { _ = next(ctx) }()
			<-time.After(time.Millisecond)
			return nil
		}},
		{"when it may have ended", slow, func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
			go func() { _ = next(ctx) }()
			<-time.After(time.Second)
			return context.DeadlineExceeded
		}},
		{"after a panic", creates(func(context.Context, *create) (data, error) { panic("no") }),
			func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
				defer func() { _ = recover() }()
				return next(ctx)
			}},
		{"with an error after a panic", creates(func(context.Context, *create) (data, error) { panic("no") }),
			func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) (err error) {
				defer func() {
					_ = recover()
					err = errSome
				}()
				return next(ctx)
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := dispatcher(tt.handler, func(o *cfnresource.Options) { o.Middleware = append(o.Middleware, tt.middleware) })
				if got := invoke(t, d, created(nil)); got.Status != "FAILED" || got.PhysicalResourceId != stable("a") {
					t.Errorf("%s %s (%s), want FAILED %s", got.Status, got.PhysicalResourceId, got.Reason, stable("a"))
				}
			})
		})
	}
}
