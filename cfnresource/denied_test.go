package cfnresource_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// denies returns the reply of a service that denies each call until some time has passed.
func denies(d time.Duration) func() error {
	inForce := time.Now().Add(d)
	return func() error {
		if time.Now().Before(inForce) {
			return cfnresource.HTTPStatus(403, errSome)
		}
		return nil
	}
}

const forever = 24 * time.Hour

// deniedBy is a handler each of whose methods makes one call, and which finds what it made.
func deniedBy(call func() error) *finder {
	h := &finder{}
	h.onCreate = func(_ context.Context, req *create) (data, error) {
		err := call()
		if err == nil {
			req.Created("svc-1")
		}
		return nil, err
	}
	h.onUpdate = func(context.Context, *update) (data, error) { return nil, call() }
	h.onDelete = func(context.Context, *del) error { return call() }
	return h
}

// A permission that was attached a moment ago is denied for a while. A denied call had no effect, so
// each method is called again, and Create only after Find has said that nothing is there.
func TestDeniedIsTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event payload
		calls []string // without repetitions
	}{
		{"Create", created(nil), []string{"Find a", "Create a"}},
		{"Update", updated("svc-1", "a", "a"), []string{"Update svc-1"}},
		{"Delete", deleted("svc-1"), []string{"Delete svc-1"}},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			h := deniedBy(denies(15 * time.Second))
			start := time.Now()
			got := invokeWithin(t, time.Minute, dispatcher(h), tt.event)
			if took := time.Since(start); got.Status != "SUCCESS" || took > 26*time.Second {
				t.Errorf("%s (%s) after %s, want SUCCESS soon after 15s", got.Status, got.Reason, took)
			}
			if n := len(h.calls); n < 5*len(tt.calls) || n > 8*len(tt.calls) {
				t.Errorf("%d calls, want some with growing pauses: %q", n, h.calls)
			}
			for i, call := range h.calls {
				if want := tt.calls[i%len(tt.calls)]; call != want {
					t.Errorf("call %d is %q, want %q", i, call, want)
				}
			}
		})
	}
	subtest(t, "Find", func(t *testing.T) {
		call, h := denies(5*time.Second), &finder{}
		h.onFind = func(context.Context, *find) (string, error) { return "", call() }
		if got := invokeWithin(t, time.Minute, dispatcher(h), created(nil)); got.Status != "SUCCESS" {
			t.Errorf("%s (%s), want SUCCESS", got.Status, got.Reason)
		}
	})
}

// Whether a denial is final depends on the age of the event: a permission that came before it is in
// force by then. Half of the handler's time is left for a call that is allowed at last.
func TestADenialIsFinalAfterAWhile(t *testing.T) {
	for _, tt := range []struct {
		name         string
		lag, age     time.Duration
		timeout      time.Duration
		least, most  time.Duration // that it takes
		once, reason bool          // it is called once; the reason says how long it was tried
	}{
		{"30 s by default", 0, 0, 5 * time.Minute, 30 * time.Second, 41 * time.Second, false, true},
		{"as long as the option says", time.Minute, 0, 5 * time.Minute, 60 * time.Second, 71 * time.Second, false, true},
		{"counted from when the event was sent", 0, 20 * time.Second, 5 * time.Minute, 10 * time.Second, 21 * time.Second, false, true},
		{"at once, of an event that is older", 0, 50 * time.Second, 5 * time.Minute, 0, 0, true, false},
		{"at once, by the option", time.Nanosecond, 2 * time.Second, 5 * time.Minute, 0, 0, true, false},
		{"half of a short function's time", 0, 0, 3 * time.Second, time.Second, 2500 * time.Millisecond, false, true},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			for _, name := range []string{"Create", "Update", "Delete"} {
				h := deniedBy(denies(forever))
				d := dispatcher(h, func(o *cfnresource.Options) { o.PermissionLag = tt.lag })
				fields := object{"age": tt.age}
				if name != "Create" {
					fields["PhysicalResourceId"] = "svc-1"
				}
				start := time.Now()
				got := invokeWithin(t, tt.timeout, d, event(name, fields))
				if took := time.Since(start); got.Status != "FAILED" || took < tt.least || took > tt.most {
					t.Errorf("%s: %s after %s, want FAILED after %s to %s", name, got.Status, took, tt.least, tt.most)
				}
				n := len(slices.DeleteFunc(calls(h), func(call string) bool { return strings.HasPrefix(call, "Find") }))
				if (n == 1) != tt.once {
					t.Errorf("%s is called %d times, want once %t", name, n, tt.once)
				}
				if !strings.Contains(got.Reason, errSome.Error()) || strings.Contains(got.Reason, "still denied after") != tt.reason {
					t.Errorf("%s: the reason is %q; want the error, and how long it was tried: %t", name, got.Reason, tt.reason)
				}
			}
		})
	}
}

// What a Create made before it was denied is undone, and not made again.
func TestADeniedCreateAfterCreatedIsNotRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(_ context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return nil, cfnresource.HTTPStatus(403, errSome)
		})
		expect(t, h, created(nil), "FAILED", "svc-1")
		if diff := cmp.Diff([]string{"Create a"}, h.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

// A middleware that fails after Create has returned says nothing of Create, whatever its code: what was made is not
// made again.
func TestACreateThatReturnedIsNotRepeatedForItsMiddleware(t *testing.T) {
	for _, status := range []int{403, 429} {
		bubble(t, func(t *testing.T) {
			h := creates(func(context.Context, *create) (data, error) { return nil, nil })
			got := invokeWithin(t, time.Minute, dispatcher(h, func(o *cfnresource.Options) {
				o.Middleware = []cfnresource.Middleware{func(ctx context.Context, _ *cfnresource.Operation, next func(context.Context) error) error {
					if err := next(ctx); err != nil {
						return err
					}
					return cfnresource.HTTPStatus(status, errSome)
				}}
			}), created(nil))
			if got.Status != "FAILED" || got.PhysicalResourceId != stable("a") || len(h.calls) != 1 {
				t.Errorf("after %d: %s %s (%s) after %q, want FAILED with the StableID after one Create", status, got.Status, got.PhysicalResourceId, got.Reason, h.calls)
			}
		})
	}
}

// The Delete that undoes a replacement may be denied for a while too: the role is as new as before.
func TestADeniedUndoIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := stable("a")
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, errSome }}
		call := denies(8 * time.Second)
		h.onDelete = func(context.Context, *del) error { return call() }
		got := invokeWithin(t, time.Minute, dispatcher(h, func(o *cfnresource.Options) {
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseUpdating, nil
			}
		}), updated(a, "a", "b"))
		if got.Status != "FAILED" || got.PhysicalResourceId != a || !strings.Contains(got.Reason, "is deleted again") {
			t.Errorf("%s %s (%s), want FAILED with the event's ID, and that it is deleted again", got.Status, got.PhysicalResourceId, got.Reason)
		}
	})
}

// After Created, Retry and Poll are what tries a denied call again. They know the age of the event.
func TestRetryAndPollOfADeniedCall(t *testing.T) {
	retry := func(ctx context.Context, call func() error) error {
		return cfnresource.Retry(ctx, func(context.Context) error { return call() })
	}
	poll := func(ctx context.Context, call func() error) error {
		return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { err := call(); return err == nil, err })
	}
	for name, again := range map[string]func(context.Context, func() error) error{"Retry": retry, "Poll": poll} {
		for _, tt := range []struct {
			name    string
			age     time.Duration
			denied  time.Duration
			ok      bool
			message string
		}{
			{"for a while", 0, 15 * time.Second, true, ""},
			{"for good", 0, forever, false, "tries in"},
			{"of an old event", time.Minute, time.Second, false, ""},
		} {
			subtest(t, name+", "+tt.name, func(t *testing.T) {
				call := denies(tt.denied)
				var err error
				h := creates(func(ctx context.Context, req *create) (data, error) {
					req.Created("svc-1")
					err = again(ctx, call)
					return nil, err
				})
				got := invokeWithin(t, 5*time.Minute, dispatcher(h), created(object{"age": tt.age}))
				if (got.Status == "SUCCESS") != tt.ok || (err == nil) != tt.ok || !tt.ok && cfnresource.CodeOf(err) != cfnresource.CodeAccessDenied || len(h.calls) != 1 {
					t.Errorf("%s (%s), the call's error is %v, calls %q; want success %t after one Create", got.Status, got.Reason, err, h.calls, tt.ok)
				}
				if tt.message != "" && !strings.Contains(got.Reason, tt.message) {
					t.Errorf("the reason is %q, want %q in it", got.Reason, tt.message)
				}
			})
		}
		subtest(t, name+", without an event", func(t *testing.T) {
			n := 0
			err := again(t.Context(), func() error { n++; return cfnresource.HTTPStatus(403, errSome) })
			if n != 1 || cfnresource.CodeOf(err) != cfnresource.CodeAccessDenied {
				t.Errorf("%v after %d calls, want the denial after one: nobody knows how old the permission is", err, n)
			}
		})
	}
}

// The call that opens a handler, of a store of secrets for example, may be denied for a while.
func TestLazyTriesAgainWhatIsDenied(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := denies(10 * time.Second)
		d := cfnresource.New(cfnresource.Lazy(func(context.Context) (*fake, error) { return &fake{}, call() }), silent)
		if got := invokeWithin(t, time.Minute, d, created(nil)); got.Status != "SUCCESS" {
			t.Errorf("%s (%s), want SUCCESS", got.Status, got.Reason)
		}
	})
}
