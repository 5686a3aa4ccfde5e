package guard

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Backoff is the pauses between the tries of one call. Each is twice as long as
// the one before it, up to Last, and half of it is random.
type Backoff struct {
	First, Last time.Duration

	next time.Duration
}

// Next returns the next pause.
func (b *Backoff) Next() time.Duration {
	d := min(max(b.next, b.First), b.Last)
	b.next = 2 * d
	return d/2 + rand.N(d/2)
}

// Sleep waits, and returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
