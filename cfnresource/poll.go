package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// Poll calls done at once, and then at the interval every (at least 100 ms), until
// done returns true or an error. If ctx ends first, Poll returns an error
// with [CodeNotStabilized] that wraps the context's. Use it for what takes a
// while to get ready; the context of a request leaves the time that the answer
// needs.
//
// An error with a code that is tried again, such as [CodeThrottling], does not
// end it: done is called again, not before the time that [RetryAfter] says. A Create that
// fails after Created is undone, not tried again, so calls that follow Created
// belong in done.
//
// With [Options.Continue], a Poll that the end of the invocation cuts off goes on
// in the next one, if the method returns its error, wrapped or not.
func Poll(ctx context.Context, every time.Duration, done func(context.Context) (bool, error)) error {
	every = max(every, 100*time.Millisecond)
	start := time.Now()
	awaited, asked := awaitedIn(ctx), start
	var last error
	for ctx.Err() == nil {
		ready, err := done(ctx)
		retry := transientCode(CodeOf(err)) && (awaited != nil || !endsWithin(ctx, retryAfter(err))) || isEnd(ctx, err)
		if ready && awaited != nil && hook.HoldsPoll(ctx) {
			ready = false
		}
		if err == nil && ready || err != nil && !retry {
			return err
		}
		if ctx.Err() == nil { // else the error is its end's
			last = err
		}
		next := time.Now().Add(max(every, retryAfter(err)))
		for ctx.Err() == nil && time.Now().Before(next) {
			wait := time.Until(next)
			if awaited != nil {
				if time.Since(asked) >= phaseInterval {
					if asked = time.Now(); !awaited() {
						return Errorf(CodeNotStabilized, "not ready after %s: CloudFormation no longer waits for it", time.Since(start).Round(time.Second))
					}
				}
				wait = min(time.Until(next), time.Until(asked.Add(phaseInterval)))
			}
			guard.Sleep(ctx, wait)
		}
	}
	why := fmt.Errorf("not ready after %s: %w (%w)", time.Since(start).Round(time.Second), context.Cause(ctx), ctx.Err())
	if last != nil {
		why = fmt.Errorf("%w; the last try: %w", why, last)
	}
	return &Error{CodeNotStabilized, &waitError{why, errors.Is(context.Cause(ctx), guard.ErrOutOfTime)}}
}

// isEnd reports whether err is what a client returns of a context that ended.
func isEnd(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// A waitError is the end of a Poll whose context ended.
type waitError struct {
	error
	invocation bool // it was the invocation's
}

func (e *waitError) Unwrap() error { return e.error }

// isWaiting reports whether err says nothing more than that the invocation ended
// while a Poll waited. One that is joined with others says more, unless they say
// the same.
func isWaiting(err error) bool {
	for {
		switch e := err.(type) {
		case *waitError:
			return e.invocation
		case interface{ Unwrap() error }: // a loop, as in CodeOf: it may be wrapped a million times
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !isWaiting(err) })
		default:
			return false
		}
	}
}

// endsWithin reports whether ctx ends in less than d.
func endsWithin(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < d
}
