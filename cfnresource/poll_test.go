package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What passes does not end a Poll: after Created, where a Create is not tried
// again, one 429 would take the deployment with it.
func TestPollAsksAgainWhatPasses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		err   error
		calls int
		after time.Duration
	}{
		{"throttled", cfnresource.Errorf(cfnresource.CodeThrottling, "slow down"), 2, 5 * time.Second},
		{"in conflict", cfnresource.Errorf(cfnresource.CodeResourceConflict, "busy"), 2, 5 * time.Second},
		{"by the status", cfnresource.HTTPStatus(503, errSome), 2, 5 * time.Second},
		{"not before it says", cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), 40*time.Second), 2, 40 * time.Second},
		{"sooner than every so often", cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), time.Second), 2, 5 * time.Second},
		{"for good", cfnresource.Errorf(cfnresource.CodeNotFound, "gone"), 1, 0},
		{"without a code", errSome, 1, 0},
		{"not before the end", cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), time.Hour), 1, 0},
	} {
		subtest(t, tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			start, calls := time.Now(), 0
			err := cfnresource.Poll(ctx, 5*time.Second, func(context.Context) (bool, error) {
				if calls++; calls == 1 {
					return true, tc.err
				}
				return true, nil
			})
			if given := tc.calls == 1; calls != tc.calls || time.Since(start) != tc.after || given != (err != nil) || given && !errors.Is(err, tc.err) {
				t.Errorf("%v after %d calls in %s; want %d in %s", err, calls, time.Since(start), tc.calls, tc.after)
			}
		})
	}
}

// Whoever reads that it took too long wants to know how often it was asked, and what was seen last.
func TestPollThatRunsOutOfTimeSaysWhatItSaw(t *testing.T) {
	for _, tc := range []struct {
		name   string
		tries  func(n int) error
		seen   bool // the last error is in the text
		advice bool // and that Retry is for trying again
	}{
		{"not yet", func(int) error { return nil }, false, false},
		{"an error in the end", func(n int) error {
			if n < 9 {
				return nil
			}
			return cfnresource.HTTPStatus(503, errSome)
		}, true, false},
		{"an error in the middle", func(n int) error {
			if n != 5 {
				return nil
			}
			return cfnresource.HTTPStatus(503, errSome)
		}, false, false},
		{"nothing but errors", func(int) error { return cfnresource.HTTPStatus(503, errSome) }, true, true},
	} {
		subtest(t, tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			n := 0
			err := cfnresource.Poll(ctx, 7*time.Second, func(context.Context) (bool, error) {
				n++
				return false, tc.tries(n)
			})
			text := err.Error()
			if cfnresource.CodeOf(err) != cfnresource.CodeNotStabilized || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(text, "after 1m0s and 9 tries") {
				t.Errorf("%v (%s), want NotStabilized with the context's error and nine tries", err, cfnresource.CodeOf(err))
			}
			if errors.Is(err, errSome) != tc.seen || strings.Contains(text, "Retry") != tc.advice {
				t.Errorf("%v; want the last error: %t, the advice: %t", err, tc.seen, tc.advice)
			}
		})
	}
}

// A done that says true may have made something, and says it once.
func TestPollAsksNobodyAfterTrue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls, held := 0, 3
		ctx := hook.WithChain(t.Context(), hook.Chain{
			Continue:  func(context.Context, []byte) error { return nil },
			Phase:     func(string) lifecycle.Phase { return lifecycle.PhaseCreating },
			HoldsPoll: func(bool) bool { held--; return held >= 0 },
		})
		h := &fake{onCreate: func(ctx context.Context, _ *create) (data, error) {
			return nil, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { calls++; return true, nil })
		}}
		d := dispatcher(h, func(o *cfnresource.Options) {
			o.Continue = func(context.Context, []byte) error { return nil }
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseCreating, nil
			}
		})
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		if _, err := d.Invoke(hook.WithSender(ctx, &recorder{}), created(nil)()); err != nil || calls != 1 {
			t.Errorf("%v after %d calls of a done that is true, want one", err, calls)
		}
	})
}

// An operator sees that a long call waits, and for what error. The text stays out:
// it may hold what is secret.
func TestWaitingIsLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onCreate: func(ctx context.Context, _ *create) (data, error) {
			start := time.Now()
			return nil, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
				if time.Since(start) < 100*time.Second {
					return false, cfnresource.HTTPStatus(503, errSome)
				}
				return true, nil
			})
		}}
		option, log := logged()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := dispatcher(h, option).Invoke(hook.WithSender(ctx, &recorder{}), created(nil)()); err != nil {
			t.Error(err)
		}
		text := log.String()
		if n := strings.Count(text, "a Poll waits"); n != 3 || !strings.Contains(text, "code=ServiceInternalError") || strings.Contains(text, errSome.Error()) {
			t.Errorf("%d records of 100 seconds, want one each 30: %s", n, text)
		}
	})
}

func TestPoll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n, start := 0, time.Now()
		err := cfnresource.Poll(t.Context(), 5*time.Second, func(context.Context) (bool, error) { n++; return n == 4, nil })
		if err != nil || n != 4 || time.Since(start) != 15*time.Second {
			t.Errorf("%v after %d calls in %s, want nil after 4 in 15s", err, n, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		n = 0
		if err := cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { n++; return true, nil }); err == nil || n > 0 {
			t.Errorf("%v after %d calls, want an error and none: the context has ended", err, n)
		}
	})
}
