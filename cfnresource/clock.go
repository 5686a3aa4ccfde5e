package cfnresource

import (
	"context"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
)

// lateAfter is the age from which an event asks whether it is awaited.
const lateAfter = time.Minute

// A clock divides the time for an event between the handler and the answer.
type clock struct {
	guard.Budget
	start  time.Time // when the event arrived
	signed time.Time // when CloudFormation sent it, to the second; zero if unknown
	looked time.Time // when the rules began, and so the first look for the resource

	invocation context.Context // without its end
	handler    context.Context // ends at handlerDeadline
	cancel     func()          // ends handler
}

// newClock returns the clock of an event that arrives now. margin is Options.ResponseMargin.
func newClock(ctx context.Context, ev *event.Event, margin time.Duration) clock {
	now := time.Now()
	awaited := ev.Deadline(now)
	if !awaited.After(now) {
		awaited = now.Add(ev.ServiceTimeout)
	}
	budget, ctx := guard.BudgetOf(ctx, now, awaited, margin)
	c := clock{Budget: budget, start: now, signed: ev.SentAt, invocation: context.WithoutCancel(ctx)}
	c.handler, c.cancel = context.WithDeadlineCause(ctx, c.handlerDeadline(), guard.ErrOutOfTime)
	return c
}

// handlerDeadline returns when the handler's time ends.
func (c *clock) handlerDeadline() time.Time { return c.Deadline.Add(-c.Margin) }

// useMargin gives the handler half of the time that is kept for the answer.
func (c *clock) useMargin() {
	c.cancel()
	c.handler, c.cancel = context.WithDeadlineCause(context.WithoutCancel(c.handler), c.handlerDeadline().Add(c.Margin/2), guard.ErrOutOfTime)
}

// sentAt returns when CloudFormation sent the event, as far as that is known.
func (c *clock) sentAt() time.Time {
	if c.signed.IsZero() || c.signed.After(c.start) {
		return c.start
	}
	return c.signed
}

// sentBy returns the last moment at which the event can have been sent. The signed
// URL has whole seconds.
func (c *clock) sentBy() time.Time {
	if c.signed.IsZero() {
		return c.start
	}
	return c.sentAt().Add(time.Second)
}

// late reports whether the event is so old that the stack may have gone on
// without it, or that an earlier delivery may have done its work.
func (c *clock) late() bool { return c.start.Sub(c.sentAt()) > lateAfter }

// elapsed returns how long the event has been here, for the log.
func (c *clock) elapsed() slog.Attr {
	return slog.Duration("elapsed", time.Since(c.start).Round(time.Millisecond))
}
