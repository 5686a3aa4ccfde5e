package simulate

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// In real time nobody waits for what a fault leads to: the end of the function's time, or
// the next try of a call that has failed for the fault.

// An earlyEnd is a context that may end before its deadline, as if that had come.
type earlyEnd struct {
	context.Context
	done chan struct{}
}

// withEarlyEnd returns an earlyEnd, and what ends it.
func withEarlyEnd(ctx context.Context) (_ context.Context, end func()) {
	inner, cancel := context.WithCancelCause(ctx)
	c := &earlyEnd{inner, make(chan struct{})}
	context.AfterFunc(inner, func() { close(c.done) })
	return c, func() { cancel(guard.ErrOutOfTime) }
}

// Done is not inner's: a context that comes of c asks for its Err then.
func (c *earlyEnd) Done() <-chan struct{} { return c.done }

func (c *earlyEnd) Err() error {
	if errors.Is(context.Cause(c.Context), guard.ErrOutOfTime) {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// skipToEnd ends the handler's time, in real time: nothing else can come of the fault.
func (inv *invocation) skipToEnd() {
	if inv.skipTime != nil {
		inv.skipTime()
	}
}

// mostThrottled is how often an invocation is throttled, in real time, until its time ends.
const mostThrottled = 4

// skipsPause reports whether the next try comes at once: in real time, once for each
// failure that was the kit's.
func (inv *invocation) skipsPause() bool {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	if inv.skipTime == nil || inv.failures == 0 {
		return false
	}
	inv.failures--
	return true
}
