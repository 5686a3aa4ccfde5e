package local

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// wait waits until the stack is at rest. When nothing is running that could
// answer, it skips to the time at which CloudFormation stops waiting.
func (o *operation) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rest := make(chan error, 1)
	go func() { rest <- o.live.Wait(ctx) }()
	for {
		var err error
		select {
		case err := <-rest:
			return err
		case <-o.deliveries.ended:
			err = o.skip(ctx)
		case c := <-o.commands:
			var refused error
			refused, err = o.execute(c.text)
			c.result <- errors.Join(refused, err)
		}
		if err != nil {
			cancel(err)
			<-rest //nolint:errcheck // err has ended it
			return err
		}
	}
}

// skip skips time if nobody can answer: no delivery is running, none has started since, and every
// answer that has arrived is processed.
func (o *operation) skip(ctx context.Context) error {
	for {
		if err := o.letWork(ctx); err != nil {
			return err
		}
		begun, stuck := o.deliveries.begun.Load(), o.deliveries.running.Load() == 0
		skips, reached := "", time.Time{}
		took, err := o.live.Skip(func(m *engine.Machine, now, until time.Time) (time.Time, bool) {
			queued := o.deliveries.next()
			if queued != nil && queued.due.Before(until) {
				if until = queued.due; until.Before(now) { // others have worked for longer
					until = now
				}
			} else {
				queued = nil
			}
			reached, skips = until, ""
			if stuck = stuck && o.deliveries.begun.Load() == begun && len(m.Pending()) > 0; stuck && (queued == nil || until.After(now)) {
				skips = skipped(m, queued, until.Sub(now))
			}
			return until, stuck
		})
		if skips != "" {
			o.watcher.note(engine.Note{Kind: engine.NoteSkip, Skipped: took, Text: skips}, skips)
		}
		o.clock.skipped.Add(int64(took))
		if stuck {
			o.deliveries.release(reached)
		}
		if err != nil || !stuck {
			return errors.Join(err, o.deliverLateAnswers())
		}
	}
}

// A handler that asks to be called after longPause waits for a service that works meanwhile. The
// service gets realPause for it. A Poll at shorter intervals waits within its call.
const (
	longPause = 10 * time.Second
	realPause = time.Second
)

// letWork waits a moment if handlers are called again after a long pause: for the service that they
// ask, no time is skipped.
func (o *operation) letWork(ctx context.Context) error {
	long := false
	err := o.live.Do(func(m *engine.Machine, now time.Time) error {
		long = slices.ContainsFunc(m.Pending(), func(q *engine.Request) bool { return q.Waits() && q.NextCall.Sub(now) > longPause-realPause })
		return nil
	})
	if err != nil || !long || o.deliveries.running.Load() > 0 {
		return err
	}
	select {
	case <-time.After(realPause):
	case <-ctx.Done(): // the caller has its error
	}
	return nil
}

// skipped describes the wait that is skipped: for an answer that nobody will give, for the next call of a
// handler, or for a delivery in the queue if that is not nil.
func skipped(m *engine.Machine, queued *delivery, wait time.Duration) string {
	why := "nobody will answer: "
	if queued != nil {
		why = "CloudFormation made up the ID in the Delete of " + queued.name + ", so the handler waits until no Create can run: "
	}
	at, _ := m.Deadline()
	for _, q := range m.Pending() {
		if q.Waits() && !q.NextCall.After(at) {
			why = "the handler of " + q.LogicalID + " will be called again: "
		}
	}
	return why + wait.Round(time.Second).String() + " of waiting are skipped; the times below count them"
}

// drain waits for the handlers that are still running. Their answers come too
// late, but their work is not undone.
func (o *operation) drain(ctx context.Context) error {
	for one := o.deliveries.next(); one != nil; one = o.deliveries.next() {
		o.deliveries.release(one.due) // nobody waits for it any more
	}
	over := make(chan struct{})
	go func() { o.deliveries.group.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done(): // killed; the stack is at rest
	}
	return o.deliverLateAnswers()
}

// deliverLateAnswers delivers the answers that the fault late-answer held back, except those
// that CloudFormation still waits for.
func (o *operation) deliverLateAnswers() error {
	for _, held := range o.faults.release() {
		pending := false
		err := o.live.Do(func(m *engine.Machine, _ time.Time) error {
			pending = slices.ContainsFunc(m.Pending(), func(q *engine.Request) bool { return q.RequestID == held.requestID })
			return nil
		})
		switch {
		case err != nil:
			return err
		case pending: // not late yet
			o.faults.hold(held)
		default:
			if _, err := o.live.Answer(held.requestID, held.body); err != nil {
				return err
			}
			o.watcher.note(engine.Note{Kind: engine.NoteLate, Request: held.requestID}, "the late answer has come, and CloudFormation ignores it")
		}
	}
	return nil
}

// A clock shows a stack's time, for which skipped time has passed. So it starts at the stack's latest
// event if that is in the future. An interrupted operation continues at its latest event, however
// long ago that was.
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

// now excludes the time that was skipped since the start, which [engine.Live] adds.
func (c *clock) now() time.Time { return c.from.Add(time.Since(c.began)) }

// ahead includes that time.
func (c *clock) ahead() time.Time { return c.now().Add(time.Duration(c.skipped.Load())) }
