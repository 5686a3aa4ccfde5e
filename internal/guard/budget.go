package guard

import (
	"context"
	"time"
)

// A Budget divides the time for an event between the handler and the answer.
type Budget struct {
	Timeout  time.Duration // the function's, or 0 if it has none
	Deadline time.Time     // when the answer must have arrived
	Margin   time.Duration // the part before Deadline that is the answer's
}

// BudgetOf returns the budget of an event that CloudFormation waits for until awaited.
// margin is the Margin, or 0 for one that depends on the time that is left.
//
// A deadline of ctx that is past at now is ignored, since local runs have such:
// BudgetOf returns a context without it.
func BudgetOf(ctx context.Context, now, awaited time.Time, margin time.Duration) (Budget, context.Context) {
	b := Budget{Deadline: awaited}
	if d, ok := ctx.Deadline(); ok && d.After(now) {
		b.Timeout = d.Sub(now)
		if d.Before(b.Deadline) {
			b.Deadline = d
		}
	} else if ok {
		ctx = context.WithoutCancel(ctx)
	}
	left := b.Deadline.Sub(now)
	if margin == 0 {
		margin = min(max(left/10, 250*time.Millisecond), 10*time.Second)
	}
	b.Margin = min(margin, left/2)
	return b, ctx
}
