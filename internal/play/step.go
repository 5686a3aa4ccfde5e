package play

import "context"

// Step is cfntest's: it does nothing unless a Player called the handler.
func Step(ctx context.Context) error {
	if inv, ok := ctx.Value(invocationKey{}).(*invocation); ok {
		return inv.step(ctx)
	}
	return nil
}

type invocationKey struct{}
