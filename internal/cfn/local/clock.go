package local

import (
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A clock is a stack's. Skipped time counts as passed: the clock starts at the stack's
// latest event if that is ahead of the present. An interrupted operation continues at
// its latest event, however long ago that was.
type clock struct {
	from, began time.Time
	skipped     atomic.Int64 // since it started, in nanoseconds
}

func (c *clock) start(s *engine.Stack) {
	c.began = time.Now()
	c.from = c.began
	if latest := s.Latest(); len(s.Events) > 0 && (latest.After(c.from) || !s.AtRest()) {
		c.from = latest
	}
}

// now is without what has been skipped since the start, which [engine.Live] counts.
func (c *clock) now() time.Time { return c.from.Add(time.Since(c.began)) }

// ahead is with it.
func (c *clock) ahead() time.Time { return c.now().Add(time.Duration(c.skipped.Load())) }
