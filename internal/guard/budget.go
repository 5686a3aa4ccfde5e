package guard

import (
	"context"
	"time"
)

// A Budget divides the time that there is for an event between the handler and
// the answer.
type Budget struct {
	Timeout time.Duration // the function's, or 0 if it has none
	Hard    time.Time     // when the answer must have arrived
	Margin  time.Duration // the part before Hard that is the answer's
}

// BudgetOf returns the budget of an event that CloudFormation waits for until awaited.
// margin is the Margin that is wanted, or 0 for one by the time that is left.
//
// A deadline of ctx that is past at now is no reason to fail, since local runs
// have such: BudgetOf returns a context without it.
func BudgetOf(ctx context.Context, now, awaited time.Time, margin time.Duration) (Budget, context.Context) {
	b := Budget{Hard: awaited}
	if d, ok := ctx.Deadline(); ok && d.After(now) {
		b.Timeout = d.Sub(now)
		if d.Before(b.Hard) {
			b.Hard = d
		}
	} else if ok {
		ctx = context.WithoutCancel(ctx)
	}
	left := b.Hard.Sub(now)
	if margin == 0 {
		margin = min(max(left/10, 250*time.Millisecond), 10*time.Second)
	}
	b.Margin = min(margin, left/2)
	return b, ctx
}
