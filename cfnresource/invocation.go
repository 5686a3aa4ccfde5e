package cfnresource

import (
	"context"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
)

// An invocation is what [Poll] and [Retry] know of the invocation that they work in:
// nothing, where a test calls the handler itself.
type invocation struct {
	awaited func() bool                              // asks whether the event is still awaited; nil if no other invocation goes on
	log     func(message string, attrs ...slog.Attr) // or nil
	leave   func(time.Duration)                      // ends the invocation for a pause; nil if that costs as much as to wait
	once    bool                                     // the rules decide about each further try
}

type invocationKey struct{}

// withInvocation returns a context for a method of the handler.
func (x *execution) withInvocation(ctx context.Context) context.Context {
	in := invocation{log: func(message string, attrs ...slog.Attr) { x.log(slog.LevelInfo, message, attrs...) }}
	if x.continues {
		in.awaited = x.phase.awaited
		if x.registry != nil {
			in.leave = x.registry.Pause
		}
	}
	return context.WithValue(ctx, invocationKey{}, in)
}

// withoutTries returns a context for the Delete of an undo. What it deletes may be in use
// by the next try. No other invocation continues it, and it goes on though nobody waits.
func withoutTries(ctx context.Context) context.Context {
	in := invocationOf(ctx)
	in.once, in.awaited, in.leave = true, nil, nil
	return context.WithValue(ctx, invocationKey{}, in)
}

func invocationOf(ctx context.Context) (in invocation) {
	in, _ = ctx.Value(invocationKey{}).(invocation)
	return in
}

// record writes a record for the operator, who sees nothing else of a long call. It
// has no text of an error: what is secret is known where the call has returned.
func (in invocation) record(message string, attrs ...slog.Attr) {
	if in.log != nil {
		in.log(message, attrs...)
	}
}

// holdsPoll reports whether the test kit keeps a Poll from being ready: done is not
// called then.
func (in invocation) holdsPoll(ctx context.Context) bool {
	return hook.HoldsPoll(ctx, in.awaited != nil)
}
