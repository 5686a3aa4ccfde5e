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
)

// The handler's context ends early enough for the answer, with its own cause.
func TestDeadlines(t *testing.T) {
	for _, tt := range []struct {
		name     string
		lambda   time.Duration // the function's timeout; 0: none
		fields   object
		margin   time.Duration
		handlers time.Duration // how long the handler's context lives
	}{
		{"3 seconds", 3 * time.Second, nil, 0, 2700 * time.Millisecond},
		{"1 second", time.Second, nil, 0, 750 * time.Millisecond},
		{"a minute", time.Minute, nil, 0, 54 * time.Second},
		{"15 minutes", 15 * time.Minute, nil, 0, 15*time.Minute - 10*time.Second},
		{"a margin that is set", time.Minute, nil, 30 * time.Second, 30 * time.Second},
		{"a margin longer than the time", time.Second, nil, time.Minute, 500 * time.Millisecond},
		{"ServiceTimeout is shorter", 15 * time.Minute, object{"ResourceProperties": object{"ServiceTimeout": "60"}}, 0, 54 * time.Second},
		{"ServiceTimeout counts from when the event was sent", 15 * time.Minute, object{"age": 30 * time.Second, "ResourceProperties": object{"ServiceTimeout": "60"}}, 0, 27 * time.Second},
		{"none: CloudFormation's hour", 0, nil, 0, time.Hour - 10*time.Second},
		{"one that is past, as local runs have", -time.Minute, nil, 0, time.Hour - 10*time.Second},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			var lived time.Duration
			var cause error
			h := creates(func(ctx context.Context, _ *create) (data, error) {
				start := time.Now()
				<-ctx.Done()
				lived, cause = time.Since(start), context.Cause(ctx)
				return nil, nil
			})
			ctx := t.Context()
			if tt.lambda != 0 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, tt.lambda)
				defer cancel()
			}
			d := dispatcher(h, func(o *cfnresource.Options) { o.ResponseMargin = tt.margin })
			var rec recorder
			if _, err := d.Invoke(hook.WithSender(ctx, &rec), created(tt.fields)()); err != nil || len(rec.bodies) != 1 {
				t.Fatalf("Invoke: %v, %d answers", err, len(rec.bodies))
			}
			if lived != tt.handlers {
				t.Errorf("the handler's context lived %s, want %s", lived, tt.handlers)
			}
			if cause == nil || !strings.Contains(cause.Error(), "out of time") {
				t.Errorf("cause %v, want one of our own", cause)
			}
		})
	}
}

// What CloudFormation has given up does not reach the handler.
func TestAge(t *testing.T) {
	timeout := object{"ServiceTimeout": "60", "Name": "a"}
	tests := []struct {
		name   string
		event  payload
		called bool
	}{
		{"Create within its ServiceTimeout", created(object{"age": 59 * time.Second, "ResourceProperties": timeout}), true},
		{"Create older", created(object{"age": 61 * time.Second, "ResourceProperties": timeout}), false},
		{"Create within an hour, the default", created(object{"age": 59 * time.Minute}), true},
		{"Create older than an hour", created(object{"age": 61 * time.Minute}), false},
		{"ServiceTimeout as a number", created(object{"age": 61 * time.Second, "ResourceProperties": object{"ServiceTimeout": 60}}), false},
		{"ServiceTimeout at the top", created(object{"age": 61 * time.Second, "ServiceTimeout": "60"}), false},
		{"Update older", event("Update", object{"age": 61 * time.Second, "ResourceProperties": timeout, "PhysicalResourceId": "svc-1"}), false},
		{"Delete older than its ServiceTimeout", event("Delete", object{"age": 61 * time.Second, "ResourceProperties": timeout, "PhysicalResourceId": "svc-1"}), true},
		{"Delete older than an hour", event("Delete", object{"age": 61 * time.Minute, "PhysicalResourceId": "svc-1"}), false},
		{"no date in the URL", created(object{"ResponseURL": "https://example.com/cloudformation-response"}), true},
		{"SigV2: Expires less two hours", created(object{"ResponseURL": "https://example.com/?Expires=1600000000&Signature=x"}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			got := invoke(t, dispatcher(h), tt.event)
			if called := len(h.calls) > 0; called != tt.called || (got.Status == "SUCCESS") != tt.called {
				t.Errorf("calls %q, %s (%s); want called: %v", h.calls, got.Status, got.Reason, tt.called)
			}
		})
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
			subtest(t, timeout.String()+", "+name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				var to recorder
				d := dispatcher(named(timeout*45/100), option)
				_, err := d.Invoke(hook.WithSender(ctx, &to), event("Create", object{"age": 2 * time.Minute})())
				if err != nil || len(to.bodies) != 1 || ctx.Err() != nil {
					t.Errorf("%d answers, %v; the function's time: %v", len(to.bodies), err, ctx.Err())
				}
			})
		}
	}
}

// A function of three seconds answers in time from each of the waits.
func TestShortFunctionInEachWait(t *testing.T) {
	const short = 3 * time.Second
	busy := func() *fake {
		return &fake{
			onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-2"); return nil, errSome },
			onDelete: func(context.Context, *del) error {
				return cfnresource.Errorf(cfnresource.CodeResourceConflict, "busy")
			},
		}
	}
	throttled := creates(func(context.Context, *create) (data, error) {
		return nil, cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "slow down"), time.Minute)
	})
	for name, tt := range map[string]struct {
		handler    any
		event      payload
		status, id string
	}{
		"an Update that nothing explains":   {(&service{}).found(), updated("other-1", "a", "b"), "FAILED", "other-1"},
		"the Delete of a failed Create":     {(&service{}).found(), deleted(stable("a")), "SUCCESS", stable("a")},
		"a Delete that overtook its Create": {(&service{}).found(), deleted(genID), "SUCCESS", genID},
		"the same, named":                   {(&service{}).named(), deleted(genID), "SUCCESS", genID},
		"a Create that is throttled":        {throttled, created(nil), "FAILED", marker},
		"an undo that is refused":           {busy(), updated(stable("a"), "a", "b"), "FAILED", "svc-2"},
		"a Delete that is refused":          {busy(), deleted("svc-1"), "FAILED", "svc-1"},
	} {
		subtest(t, name, func(t *testing.T) {
			got := within(t, short, tt.handler, tt.event)
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want %s %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id)
			}
		})
	}
}

// A call for which no time is left is not an error of the handler's: it says
// nothing of what is there.
func TestCallThatWasNotStarted(t *testing.T) {
	late := func() { <-time.After(27*time.Second + 20*time.Millisecond) } // the handler's time is 27 s
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
		subtest(t, tt.name, func(t *testing.T) {
			got := invoke(t, tt.d, tt.event)
			if got.Status != "FAILED" || got.PhysicalResourceId != tt.id || !strings.Contains(got.Reason, "not started") {
				t.Errorf("%s %s (%s), want FAILED %s: %s", got.Status, got.PhysicalResourceId, got.Reason, tt.id, tt.why)
			}
		})
	}
}
