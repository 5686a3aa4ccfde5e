package cfnresource_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// Nothing is found, and the Delete of the event's own ID takes longer than a
// Create may still run, or than a search lags. What was not found before may be
// there now, so the second look follows at once.
func TestFirstLookOutlastsWhatItWaitsFor(t *testing.T) {
	for name, id := range map[string]string{"a Create that still ran": genID, "a search that lagged": stable("a")} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				shown := time.Now().Add(4 * time.Second)
				h, there := &finder{}, true
				h.onFind = func(context.Context, *find) (string, error) {
					if there && time.Now().After(shown) {
						return "svc-1", nil
					}
					return "", nil
				}
				h.onDelete = func(_ context.Context, req *del) error {
					<-time.After(8 * time.Second)
					there = there && req.PhysicalID != "svc-1"
					return nil
				}
				d := dispatcher(h, func(o *cfnresource.Options) { o.LostGrace = time.Second })
				if got := invoke(t, d, deleted(id)); got.Status != "SUCCESS" || there {
					t.Errorf("%s (%s) after %q; something is left: %t", got.Status, got.Reason, calls(h), there)
				}
			})
		})
	}
}

// A call for which no time is left is not an error of the handler's: it says
// nothing of what is there.
func TestCallThatWasNotStarted(t *testing.T) {
	late := func() { <-time.After(27*time.Second + 100*time.Millisecond) } // the handler's time is 27 s
	slow := &finder{}
	slow.onFind = func(context.Context, *find) (string, error) {
		if len(calls(slow)) == 1 {
			late()
		}
		return "", nil
	}
	lazy := cfnresource.New(cfnresource.Lazy(func(context.Context) (*fake, error) { late(); return &fake{}, nil }), silent)
	for _, tt := range []struct {
		name    string
		d       invoker
		event   payload
		id, why string
	}{
		{"a Delete of what an older provider may have made", dispatcher(slow), deleted(genID), genID, "it may be there"},
		{"a Create", lazy, created(nil), stable("a"), "an earlier delivery may have made it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				got := invoke(t, tt.d, tt.event)
				if got.Status != "FAILED" || got.PhysicalResourceId != tt.id || !strings.Contains(got.Reason, "not started") {
					t.Errorf("%s %s (%s), want FAILED %s: %s", got.Status, got.PhysicalResourceId, got.Reason, tt.id, tt.why)
				}
			})
		})
	}
}

// A bucket is a recorder that knows its way, as the real Sender does.
type bucket struct{ recorder }

func (*bucket) Check(response.URL) error                    { return nil }
func (*bucket) Connect(context.Context, response.URL) error { return nil }

// An invocation that is cancelled before it begins is answered all the same.
func TestCancelledInvocationIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var to bucket
	h := &fake{}
	if _, err := dispatcher(h).Invoke(hook.WithSender(ctx, &to), created(nil)()); err != nil || len(to.bodies) != 1 {
		t.Fatalf("%d answers, %v", len(to.bodies), err)
	}
	if got := judge(t, to.bodies[0]); got.Status != "FAILED" || len(calls(h)) > 0 {
		t.Errorf("%s (%s) after %q, want FAILED without a call", got.Status, got.Reason, calls(h))
	}
}

// Whatever hangs beside the handler, a short function is answered for in time.
func TestShortFunctions(t *testing.T) {
	named := func(takes time.Duration) *fake {
		return creates(func(_ context.Context, req *create) (data, error) {
			<-time.After(takes)
			req.Created("svc-1")
			return nil, nil
		})
	}
	logger := func(o *cfnresource.Options) { o.Logger = slog.New(hangingLog{}) }
	phase := func(o *cfnresource.Options) {
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			<-time.After(time.Minute)
			return lifecycle.PhaseUnknown, nil
		}
	}
	for _, timeout := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
		for name, option := range map[string]func(*cfnresource.Options){"the logger": logger, "Phase": phase} {
			t.Run(timeout.String()+", "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), timeout)
					defer cancel()
					var to recorder
					d := dispatcher(named(timeout*45/100), option)
					_, err := d.Invoke(hook.WithSender(ctx, &to), event("Create", object{"age": 2 * time.Minute})())
					if err != nil || len(to.bodies) != 1 || ctx.Err() != nil {
						t.Errorf("%d answers, %v; the function's time: %v", len(to.bodies), err, ctx.Err())
					}
				})
			})
		}
	}
}

// endless is an error that wraps itself, for as long as a stack would take to
// overflow.
type endless struct{ times *int }

func (endless) Error() string { return "again and again" }

func (e endless) Unwrap() error {
	if *e.times++; *e.times < 30_000_000 {
		return e
	}
	*e.times = 0 // for the next who looks through it
	return nil
}

// An error that wraps itself takes time, and not the process: a stack that
// overflows cannot be recovered, and nothing would be answered.
func TestErrorThatWrapsItself(t *testing.T) {
	if code := cfnresource.CodeOf(endless{new(int)}); code != "" {
		t.Errorf("the code is %q", code)
	}
	failing := &fake{onDelete: func(context.Context, *del) error { return endless{new(int)} }}
	if a := invoke(t, dispatcher(failing), deleted("svc-1")); a.Status != "FAILED" {
		t.Errorf("answered %s", a.Status)
	}
}
