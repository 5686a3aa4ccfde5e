package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Retry tries again what the dispatcher would, in a method that it does not call
// again: a Create that has called Created.
func TestRetryTriesAgainWhatPasses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		err      error
		calls    int
		from, to time.Duration
	}{
		{"throttled", cfnresource.Errorf(cfnresource.CodeThrottling, "slow down"), 3, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"in conflict", cfnresource.Errorf(cfnresource.CodeResourceConflict, "busy"), 3, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"by the status", cfnresource.HTTPStatus(503, errSome), 3, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"not before it says", cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), 20*time.Second), 3, 40 * time.Second, 40 * time.Second},
		{"for good", cfnresource.Errorf(cfnresource.CodeNotFound, "gone"), 1, 0, 0},
		{"without a code", errSome, 1, 0, 0},
		{"not before the end", cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), time.Hour), 1, 0, 0},
	} {
		subtest(t, tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			start, calls := time.Now(), 0
			err := cfnresource.Retry(ctx, func(context.Context) error {
				if calls++; calls < 3 {
					return tc.err
				}
				return nil
			})
			took := time.Since(start)
			if given := tc.calls == 1; calls != tc.calls || took < tc.from || took > tc.to || given != (err != nil) || given && !errors.Is(err, tc.err) {
				t.Errorf("%v after %d calls in %s; want %d in %s to %s", err, calls, took, tc.calls, tc.from, tc.to)
			}
		})
	}
}

// The error at the end is the last call's, with its code: the dispatcher goes by it.
// It says how often the call was tried.
func TestRetryEndsWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		calls := 0
		err := cfnresource.Retry(ctx, func(context.Context) error {
			calls++
			return cfnresource.HTTPStatus(503, errSome)
		})
		if cfnresource.CodeOf(err) != cfnresource.CodeServiceInternalError || !errors.Is(err, errSome) || !strings.Contains(err.Error(), "tries in") || ctx.Err() != nil {
			t.Errorf("%v (%s), with the context's %v; want the last error before the context ends", err, cfnresource.CodeOf(err), ctx.Err())
		}
		if calls < 8 || calls > 40 {
			t.Errorf("%d calls in a minute, want some with growing pauses", calls)
		}
	})
}

// A context that is cancelled ends Retry, and the log does not say that it goes on.
func TestRetryOfACancelledContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(ctx context.Context, _ *create) (data, error) {
			ctx, cancel := context.WithCancel(ctx)
			err := cfnresource.Retry(ctx, func(context.Context) error {
				cancel()
				return cfnresource.Errorf(cfnresource.CodeThrottling, "slow down")
			})
			if cfnresource.CodeOf(err) != cfnresource.CodeThrottling {
				t.Errorf("%v, want the call's error", err)
			}
			return nil, nil
		})
		option, log := logged()
		if invoke(t, dispatcher(h, option), created(nil)); strings.Contains(log.String(), "tried again") {
			t.Errorf("logged: %s", log)
		}
	})
}

// A Create that fails after Created is undone. With Retry, one 429 does not cost the deployment.
func TestRetryAfterCreated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		throttled := 2
		h := &fake{onCreate: func(ctx context.Context, req *create) (data, error) {
			req.Created("svc-1")
			return nil, cfnresource.Retry(ctx, func(context.Context) error {
				if throttled--; throttled >= 0 {
					return cfnresource.HTTPStatus(429, errSome)
				}
				return nil
			})
		}}
		option, log := logged()
		if got := invoke(t, dispatcher(h, option), created(nil)); got.Status != "SUCCESS" || got.PhysicalResourceId != "svc-1" {
			t.Errorf("%s %s (%s), want SUCCESS of svc-1", got.Status, got.PhysicalResourceId, got.Reason)
		}
		if n := strings.Count(log.String(), "is tried again"); n != 2 || !strings.Contains(log.String(), "code=Throttling") {
			t.Errorf("%d records of two tries: %s", n, log)
		}
	})
}

// An operator sees each call that the dispatcher tries again.
func TestEachTryIsLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		throttled := 3
		h := &fake{onDelete: func(context.Context, *del) error {
			if throttled--; throttled >= 0 {
				return cfnresource.HTTPStatus(429, errSome)
			}
			return nil
		}}
		option, log := logged()
		got := invoke(t, dispatcher(h, option), deleted(stable("a")))
		if n := strings.Count(log.String(), "is tried again"); got.Status != "SUCCESS" || n != 3 {
			t.Errorf("%s, with %d records of three tries: %s", got.Status, n, log)
		}
	})
}

// What passes is tried again until the deadline: a rollback meets the request that it overtook.
func TestRetriableCodes(t *testing.T) {
	retriable := []cfnresource.Code{cfnresource.CodeResourceConflict, cfnresource.CodeThrottling, cfnresource.CodeServiceInternalError, cfnresource.CodeNetworkFailure}
	for _, code := range retriable {
		for _, lasting := range []bool{false, true} {
			subtest(t, string(code), func(t *testing.T) {
				fails := func(calls int) error {
					if lasting || calls < 4 {
						return cfnresource.Errorf(code, "busy")
					}
					return nil
				}
				n := 0
				h := &finder{}
				h.onUpdate = func(context.Context, *update) (res data, err error) {
					n++
					return res, fails(n)
				}
				h.onDelete = func(context.Context, *del) error { n++; return fails(n) }
				h.onFind = func(context.Context, *find) (string, error) { n++; return "", fails(n) }
				want := map[bool]string{false: "SUCCESS", true: "FAILED"}[lasting]
				d := dispatcher(h)
				for _, ev := range []payload{updated("svc-1", "a", "a"), deleted("svc-1"), deleted(stable("a"))} {
					n = 0
					if got := invoke(t, d, ev); got.Status != want || n < 4 {
						t.Errorf("%s (%s) after %d calls, want %s after 4 or more", got.Status, got.Reason, n, want)
					}
					if lasting && n > 20 {
						t.Errorf("%d calls in 30 s, want fewer", n)
					}
				}
			})
		}
	}
	for code, again := range map[cfnresource.Code]bool{
		cfnresource.CodeThrottling:           true, // nothing was made
		cfnresource.CodeResourceConflict:     false,
		cfnresource.CodeServiceInternalError: false,
		cfnresource.CodeNetworkFailure:       false,
	} {
		subtest(t, "Create "+string(code), func(t *testing.T) {
			h := &finder{}
			h.onCreate = func(context.Context, *create) (data, error) {
				if len(h.calls) > 2 {
					h.onFind = finds(map[string]string{"a": "svc-1"}) // another delivery's
				}
				return nil, cfnresource.Errorf(code, "busy")
			}
			got := invoke(t, dispatcher(h), created(nil))
			want := []string{"Find a", "Create a"} // what it did is not known
			if again {
				want = append(want, "Find a", "Create a", "Find a", "Update svc-1")
			}
			if diff := cmp.Diff(want, h.calls); diff != "" || (got.Status == "SUCCESS") != again {
				t.Errorf("%s, calls (-want +got):\n%s", got.Status, diff)
			}
		})
	}
	t.Run("not other codes", func(t *testing.T) {
		h := &fake{onDelete: func(context.Context, *del) error { return cfnresource.Errorf(cfnresource.CodeInvalidCredentials, "no") }}
		invoke(t, dispatcher(h), deleted("svc-1"))
		if len(h.calls) != 1 {
			t.Errorf("calls %q, want one", h.calls)
		}
	})
}
