package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// Poll waits until something is ready. It calls done at once, and then at the interval every (at
// least 100 ms), until done returns true or an error. If ctx ends first, Poll returns an error with
// [CodeNotStabilized] that wraps the context's; the context of a request leaves time for the
// answer. While Poll waits, the log says so about every 30 s.
//
// For "not yet", done returns false, nil. An error after which [Retry] tries again, such as one with
// [CodeThrottling], does not end Poll either: Poll calls done again, no earlier than [RetryAfter]
// says. To repeat a call that fails, use Retry.
//
// With [Options.Continue], and in package registry, a Poll that the end of the invocation cuts off
// goes on in the next one, if the method returns its error, wrapped or not. In package registry, a
// Poll whose interval is ten seconds or more goes on in the next invocation after each call of
// done.
func Poll(ctx context.Context, every time.Duration, done func(context.Context) (bool, error)) error {
	every = max(every, 100*time.Millisecond)
	e, in := waitError{start: time.Now()}, invocationOf(ctx)
	recorded := e.start
	for ctx.Err() == nil {
		var after time.Duration
		// Ask once. After an error that passes, or one that the end of the time caused, ask again.
		if !in.holdsPoll(ctx) {
			ready, err := done(ctx)
			after = retryAfter(err)
			hasTime := in.continues() || !endsWithin(ctx, after)
			mayRepeat := !in.once || e.answered()
			passes := in.transient(err) && hasTime && mayRepeat
			again := passes || isEnd(ctx, err)
			failed := err != nil && !again
			if failed || err == nil && ready {
				return stillDenied(err, e.tries+1, e.start)
			}
			e.tried(ctx, err)
		}
		if hook.SkipsPause(ctx) {
			continue
		}

		// Wait for the next time, here or in another invocation, and look whether anybody still waits.
		pause := max(every, after)
		if in.leaves(ctx, pause) {
			return &Error{CodeNotStabilized, e.left()}
		}
		next := time.Now().Add(pause)
		for ctx.Err() == nil && time.Now().Before(next) {
			if time.Since(recorded) >= phaseInterval {
				recorded = time.Now()
				in.record("a Poll waits", e.attrs()...)
				if in.overtaken() {
					return Errorf(CodeNotStabilized, "not ready after %s: CloudFormation no longer waits for it", e.elapsed())
				}
			}
			guard.Sleep(ctx, min(time.Until(next), time.Until(recorded.Add(phaseInterval))))
		}
	}
	return &Error{CodeNotStabilized, e.end(ctx)}
}

// isEnd reports whether err is what a client returns of a context that ended.
func isEnd(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// A waitError is the end of a Poll whose context ended, or what is known of one that still waits.
type waitError struct {
	start      time.Time
	tries      int
	failed     int   // tries that returned an error
	last       error // of the last try, or nil
	why        error
	invocation bool // it was the invocation that ended
	early      bool // it ended for a pause
}

// longPause is how long a pause is at least for which a registered type's call ends:
// CloudFormation calls again, and nobody pays for the waiting.
const longPause = 10 * time.Second

// left makes e the error of a Poll whose invocation ends for a pause.
func (e *waitError) left() error {
	e.why = fmt.Errorf("not ready after %s: another call goes on", times(e.tries, "try", "tries"))
	e.invocation, e.early = true, true
	return e
}

// tried notes a try. Of one that the context's end cut off nothing is known, unless it
// was a Poll too.
func (e *waitError) tried(ctx context.Context, err error) {
	if inner := waitOf(err); inner != nil {
		e.tries, e.failed, e.last = e.tries+inner.tries, e.failed+inner.failed, inner.last
		return
	}
	if ctx.Err() != nil && err != nil {
		return
	}
	e.tries++
	if e.last = err; err != nil {
		e.failed++
	}
}

// end makes e the error of a Poll whose context has ended.
func (e *waitError) end(ctx context.Context) error {
	e.why = fmt.Errorf("not ready after %s and %s: %w (%w)", e.elapsed(), times(e.tries, "try", "tries"), context.Cause(ctx), ctx.Err())
	if e.last != nil {
		e.why = fmt.Errorf("%w; the last try: %w", e.why, e.last)
	}
	if e.onlyFailed() {
		e.why = fmt.Errorf("%w; %s", e.why, eachTryFailed)
	}
	e.invocation = errors.Is(context.Cause(ctx), guard.ErrOutOfTime)
	return e
}

// eachTryFailed is the advice about a Poll that never returned "not yet".
const eachTryFailed = "each try of the Poll failed: use Poll to wait, and Retry to repeat a call that fails"

// onlyFailed reports whether each of several tries returned an error: what was
// polled did not say "not yet" once.
func (e *waitError) onlyFailed() bool { return e.tries > 1 && e.failed == e.tries }

// answered reports whether a try returned "not yet".
func (e *waitError) answered() bool { return e.tries > e.failed }

func (e *waitError) elapsed() time.Duration { return time.Since(e.start).Round(time.Second) }

// attrs describe a wait in a record.
func (e *waitError) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.Int("tries", e.tries), slog.Duration("waited", e.elapsed())}
	if e.last != nil {
		attrs = append(attrs, slog.String("code", string(CodeOf(e.last))))
	}
	return attrs
}

func (e *waitError) Error() string { return e.why.Error() }

// Unwrap returns the context's error, and the last try's.
func (e *waitError) Unwrap() error { return e.why }

// waitOf returns the Poll that the invocation's end cut off, if err says nothing
// more than that, or nil. An error that is joined with others says more, unless they
// say the same. Of several Polls, one that was never answered counts.
func waitOf(err error) *waitError {
	for {
		switch e := err.(type) {
		case *waitError:
			if !e.invocation {
				return nil
			}
			return e
		case interface{ Unwrap() error }: // a loop, as in CodeOf: it may be wrapped a million times
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			var wait *waitError
			for _, branch := range e.Unwrap() {
				w := waitOf(branch)
				if w == nil {
					return nil
				}
				if wait == nil || !w.answered() {
					wait = w
				}
			}
			return wait
		default:
			return nil
		}
	}
}

// An invocation is what [Poll] and [Retry] know of the invocation that they work in:
// nothing, where a test calls the handler itself.
type invocation struct {
	execution *execution // or nil
	once      bool       // the rules decide about each further try
}

type invocationKey struct{}

// withoutTries returns a context for the Delete of an undo. The thing may be in use by the
// next try. No other invocation continues it, and it goes on though nobody waits.
func withoutTries(ctx context.Context) context.Context {
	in := invocationOf(ctx)
	in.once = true
	return context.WithValue(ctx, invocationKey{}, in)
}

func invocationOf(ctx context.Context) (in invocation) {
	in, _ = ctx.Value(invocationKey{}).(invocation)
	return in
}

// transient reports whether a call that returned err may succeed if it is tried again.
func (in invocation) transient(err error) bool {
	code := CodeOf(err)
	return code.Transient() || in.execution != nil && in.execution.mayBeAllowed(code)
}

// continues reports whether another invocation may go on with what waits.
func (in invocation) continues() bool {
	mayContinue := in.execution != nil && in.execution.continues
	return mayContinue && !in.once
}

// leaves ends the call of a registered type for a pause that is long enough.
func (in invocation) leaves(ctx context.Context, pause time.Duration) bool {
	canLeave := in.continues() && in.execution.registry != nil
	isShort := pause < longPause || ctx.Err() != nil
	if !canLeave || isShort {
		return false
	}
	in.execution.registry.Pause(pause)
	return true
}

// overtaken asks whether CloudFormation has stopped waiting for the event.
func (in invocation) overtaken() bool { return in.continues() && !in.execution.phase.awaited() }

// record writes a record for the operator, who sees nothing else of a long call. It
// has no text of an error: its secrets are known only after the call has returned.
func (in invocation) record(message string, attrs ...slog.Attr) {
	if in.execution != nil {
		in.execution.log(slog.LevelInfo, message, attrs...)
	}
}

// holdsPoll reports whether the test kit keeps a Poll from being ready: done is not called then.
func (in invocation) holdsPoll(ctx context.Context) bool { return hook.HoldsPoll(ctx, in.continues()) }
