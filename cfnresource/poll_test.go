package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
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
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
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
		})
	}
}

// Whoever reads that it took too long wants to know what went wrong last.
func TestPollThatRunsOutOfTimeSaysWhatWasWrong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := cfnresource.Poll(ctx, 7*time.Second, func(context.Context) (bool, error) {
			return false, cfnresource.HTTPStatus(503, errSome)
		})
		if cfnresource.CodeOf(err) != cfnresource.CodeNotStabilized || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), errSome.Error()) {
			t.Errorf("%v (%s), want NotStabilized with the context's error and the last try's", err, cfnresource.CodeOf(err))
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
		if err := cfnresource.Poll(t.Context(), time.Second, func(context.Context) (bool, error) { return false, errSome }); !errors.Is(err, errSome) {
			t.Errorf("%v, want the error of done", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = cfnresource.Poll(ctx, 7*time.Second, func(context.Context) (bool, error) { return false, nil })
		if cfnresource.CodeOf(err) != cfnresource.CodeNotStabilized || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v (%s), want NotStabilized that wraps the context's error", err, cfnresource.CodeOf(err))
		}
		n = 0
		if err := cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { n++; return true, nil }); err == nil || n > 0 {
			t.Errorf("%v after %d calls, want an error and none: the context has ended", err, n)
		}
	})
}
