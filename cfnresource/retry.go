package cfnresource

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// Retry calls do until it returns nil, or an error whose code is not one that is tried again
// ([CodeResourceConflict], [CodeThrottling], [CodeServiceInternalError], [CodeNetworkFailure]), or
// ctx ends. In an event, it also tries again after [CodeAccessDenied] while a permission may be too
// new: see [Options].PermissionLag. It returns the last error. The pauses grow from half a second to
// ten, and are not shorter than [RetryAfter] says; if ctx ends before that, Retry returns the error at
// once.
//
// The dispatcher calls Update and Delete again after such an error, but not a Create that has
// called Created: it fails and is undone. So put calls that follow Created into Retry. A call that
// may have taken effect when it failed needs a client token, such as [Request.IdempotencyToken]. To
// wait until something is ready, use [Poll].
//
// In the Delete that undoes a replacement, Retry calls do once, and Poll returns such an error
// unless it has already seen "not yet". The dispatcher then calls Delete again, if the thing to
// delete cannot be in use by then.
func Retry(ctx context.Context, do func(context.Context) error) error {
	b, in, start := newBackoff(ctx), invocationOf(ctx), time.Now()
	for tries := 1; ; tries++ {
		err := do(ctx)
		if !in.transient(err) || in.once {
			return stillDenied(err, tries, start)
		}
		wait, ok := nextTry(ctx, &b, retryAfter(err))
		if ok {
			in.record("a call is tried again", slog.String("code", string(CodeOf(err))), slog.Int("tries", tries), slog.Duration("after", wait))
			ok = sleep(ctx, wait)
		}
		if !ok {
			return afterTries(err, tries, start)
		}
	}
}

// stillDenied returns err, and how often the call was tried if it was denied again and again.
func stillDenied(err error, tries int, start time.Time) error {
	if tries == 1 || CodeOf(err) != CodeAccessDenied {
		return err
	}
	return afterTries(err, tries, start)
}

func afterTries(err error, tries int, start time.Time) error {
	return fmt.Errorf("%w (after %s in %s)", err, times(tries, "try", "tries"), time.Since(start).Round(time.Second))
}

// sleep waits before the next try of a call. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	if hook.SkipsPause(ctx) {
		d = 0
	}
	return guard.Sleep(ctx, d)
}

// newBackoff returns the pauses between the tries of a call.
func newBackoff(ctx context.Context) guard.Backoff {
	_, played := hook.ChainOf(ctx)
	return guard.Backoff{First: 500 * time.Millisecond, Last: 10 * time.Second, Steady: played}
}

// nextTry returns how long to wait before the next try of a call: at most half of
// the time that is left, and at least what the service asked for. It returns false
// if ctx has ended, or that try would come too late.
func nextTry(ctx context.Context, b *guard.Backoff, atLeast time.Duration) (wait time.Duration, ok bool) {
	if ctx.Err() != nil {
		return 0, false
	}
	wait = b.Next()
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		wait = max(min(wait, left/2), atLeast)
		return wait, left >= b.First/2 && wait < left
	}
	return max(wait, atLeast), true
}

// endsWithin reports whether ctx ends in less than d.
func endsWithin(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < d
}

// times words a number of things.
func times(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
