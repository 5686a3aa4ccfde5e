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
	execution *execution // or nil
	once      bool       // the rules decide about each further try
}

type invocationKey struct{}

// withoutTries returns a context for the Delete of an undo. What it deletes may be in use
// by the next try. No other invocation continues it, and it goes on though nobody waits.
func withoutTries(ctx context.Context) context.Context {
	in := invocationOf(ctx)
	in.once = true
	return context.WithValue(ctx, invocationKey{}, in)
}

func invocationOf(ctx context.Context) (in invocation) {
	in, _ = ctx.Value(invocationKey{}).(invocation)
	return in
}

// continues reports whether another invocation may go on with what waits.
func (in invocation) continues() bool {
	return in.execution != nil && in.execution.continues && !in.once
}

// leaves ends the call of a registered type for a pause that is long enough.
func (in invocation) leaves(ctx context.Context, pause time.Duration) bool {
	if !in.continues() || in.execution.registry == nil || pause < longPause || ctx.Err() != nil {
		return false
	}
	in.execution.registry.Pause(pause)
	return true
}

// overtaken asks whether CloudFormation has stopped waiting for the event.
func (in invocation) overtaken() bool { return in.continues() && !in.execution.phase.awaited() }

// record writes a record for the operator, who sees nothing else of a long call. It
// has no text of an error: what is secret is known where the call has returned.
func (in invocation) record(message string, attrs ...slog.Attr) {
	if in.execution != nil {
		in.execution.log(slog.LevelInfo, message, attrs...)
	}
}

// holdsPoll reports whether the test kit keeps a Poll from being ready: done is not called then.
func (in invocation) holdsPoll(ctx context.Context) bool { return hook.HoldsPoll(ctx, in.continues()) }
