package cfnresource_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		subtest(t, tt.name, func(t *testing.T) {
			d := dispatcher(tt.handler, func(o *cfnresource.Options) { o.Middleware = append(o.Middleware, tt.middleware) })
			if got := invoke(t, d, created(nil)); got.Status != "FAILED" || got.PhysicalResourceId != stable("a") {
				t.Errorf("%s %s (%s), want FAILED %s", got.Status, got.PhysicalResourceId, got.Reason, stable("a"))
			}
		})
	}
}

// The first middleware is outermost, and sees every call, each try of it.
func TestMiddleware(t *testing.T) {
	var seen []string
	mw := func(name string) cfnresource.Middleware {
		return func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
			seen = append(seen, fmt.Sprintf("%s %s %s", name, op.Name, op.PhysicalID))
			err := next(ctx)
			seen = append(seen, fmt.Sprintf("%s %v", name, err))
			return err
		}
	}
	d := dispatcher(&finder{}, func(o *cfnresource.Options) { o.Middleware = []cfnresource.Middleware{mw("outer"), mw("inner")} })
	invoke(t, d, created(nil))
	invoke(t, d, deleted("svc-1"))
	want := []string{
		"outer Find ", "inner Find ", "inner <nil>", "outer <nil>",
		"outer Create ", "inner Create ", "inner <nil>", "outer <nil>",
		"outer Delete svc-1", "inner Delete svc-1", "inner <nil>", "outer <nil>",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Run("one that does not call next", func(t *testing.T) {
		d := dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(context.Context, *cfnresource.Operation, func(context.Context) error) error { return nil }}
		})
		if got := invoke(t, d, deleted("svc-1")); got.Status != "FAILED" || !strings.Contains(got.Reason, "next") {
			t.Errorf("%s (%s), want FAILED: nothing was deleted", got.Status, got.Reason)
		}
	})
	t.Run("one that returns an error", func(t *testing.T) {
		d := dispatcher(&fake{}, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(context.Context, *cfnresource.Operation, func(context.Context) error) error { return errSome }}
		})
		if got := invoke(t, d, deleted("svc-1")); got.Status != "FAILED" {
			t.Errorf("%s, want FAILED", got.Status)
		}
	})
	// What Create made is not said to be whole.
	t.Run("one that drops the method's error", func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return data{"A": "b"}, cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "no more disks")
		})
		option, log := logged()
		got := expect(t, h, created(nil), "FAILED", "svc-1", option, func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
				_ = next(ctx)
				return nil
			}}
		})
		if !strings.Contains(got.Reason, "no more disks") || !strings.Contains(log.String(), "code=ServiceLimitExceeded") {
			t.Errorf("the Reason is %q, and logged is %s", got.Reason, log)
		}
	})
}
