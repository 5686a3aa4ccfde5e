package cfnresource

import (
	"context"
	"fmt"
	"time"
)

// Poll calls done at once and then every so often, at most ten times a second,
// until it returns true or an error. If ctx ends first, Poll returns an error with [CodeNotStabilized] that
// wraps the context's. Use it for what takes a while to get ready; the context
// of a request leaves the time that the answer needs.
func Poll(ctx context.Context, every time.Duration, done func(context.Context) (bool, error)) error {
	every = max(every, 100*time.Millisecond)
	start := time.Now()
	timer := time.NewTimer(every)
	defer timer.Stop()
	for ctx.Err() == nil {
		ready, err := done(ctx)
		if err != nil || ready {
			return err
		}
		timer.Reset(every)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return &Error{CodeNotStabilized, fmt.Errorf("not ready after %s: %w (%w)", time.Since(start).Round(time.Second), context.Cause(ctx), ctx.Err())}
}
