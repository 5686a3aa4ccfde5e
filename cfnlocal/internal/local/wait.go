package local

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// wait waits until the stack is at rest. When nothing is running that could
// answer, it skips to the time at which CloudFormation stops waiting.
func (o *operation) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	atRest := make(chan error, 1)
	go func() { atRest <- o.live.Wait(ctx) }()
	for {
		var err error
		select {
		case err := <-atRest:
			return err
		case <-o.sent.ended:
			err = o.skip(ctx)
		case c := <-o.instructions:
			var refused error
			refused, err = o.execute(c.text)
			c.result <- errors.Join(refused, err)
		}
		if err != nil {
			cancel(err)
			<-atRest //nolint:errcheck // err has ended it
			return err
		}
	}
}

// skip skips time if nobody can answer: nothing is done for a request, nothing has begun since, and every
// answer that has arrived is processed.
func (o *operation) skip(ctx context.Context) error {
	for {
		if err := o.letWork(ctx); err != nil {
			return err
		}
		// The state is read before the engine's time is fixed, and compared again then: a request can begin in between.
		begun, stuck := o.sent.begun.Load(), o.sent.running.Load() == 0
		skips, reached := "", time.Time{}
		took, err := o.live.Skip(func(m *engine.Machine, now, until time.Time) (time.Time, bool) {
			queued := o.sent.next()
			if queued != nil && queued.due.Before(until) {
				if until = queued.due; until.Before(now) { // others have worked for longer
					until = now
				}
			} else {
				queued = nil
			}
			reached, skips = until, ""
			stuck = stuck && o.sent.begun.Load() == begun && len(m.Pending()) > 0
			isDue := queued != nil && !until.After(now) // then nothing is skipped
			if stuck && !isDue {
				skips = skipped(m, queued, until.Sub(now))
			}
			return until, stuck
		})
		if skips != "" {
			o.watcher.note(engine.Note{Kind: engine.NoteSkip, Skipped: took, Text: skips}, skips)
		}
		o.clock.skipped.Add(int64(took))
		if stuck {
			o.sent.release(reached)
		}
		if err != nil || !stuck {
			return errors.Join(err, o.passOnLateAnswers())
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
	switch {
	case err != nil, !long, o.sent.running.Load() > 0:
		return err
	}
	select {
	case <-time.After(realPause):
	case <-ctx.Done(): // the caller has its error
	}
	return nil
}

// skipped describes the wait that is skipped: for an answer that nobody will give, for the next call of a
// handler, or for a request in the queue if that is not nil.
func skipped(m *engine.Machine, queued *sentRequest, wait time.Duration) string {
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

const (
	// drainPatience is how long an operation that is over waits for handlers before it says so.
	drainPatience = 3 * time.Second
	// drainReminder is how long it waits before it says so again.
	drainReminder = 30 * time.Second
)

// drain waits for the handlers that are still running. Their answers come too
// late, but their work is not undone.
func (o *operation) drain(ctx context.Context) error {
	for one := o.sent.next(); one != nil; one = o.sent.next() {
		o.sent.release(one.due) // nobody waits for it any more
	}
	over := make(chan struct{})
	go func() { o.sent.group.Wait(); close(over) }()
	began, slow := time.Now(), time.NewTimer(drainPatience)
	defer slow.Stop()
	for isOver, isTold := false, false; !isOver; {
		select {
		case <-over:
			isOver = true
		case <-ctx.Done(): // killed; the stack is at rest
			isOver = true
		case <-slow.C:
			text := "the stack is at rest. Handlers still work on requests whose answers come too late; what they make is not undone, so cfnlocal waits for them. Ctrl-C ends them"
			if isTold {
				text = "handlers still work, " + time.Since(began).Round(time.Second).String() + " after the stack came to rest. Ctrl-C ends them"
			}
			isTold = true
			o.watcher.Note(text)
			slow.Reset(drainReminder)
		}
	}
	return o.passOnLateAnswers()
}

// passOnLateAnswers passes on the answers that the fault late-answer held back, except those
// that CloudFormation still waits for.
func (o *operation) passOnLateAnswers() error {
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
	latest := s.Latest()
	continues := latest.After(c.from) || !s.AtRest()
	if continues && len(s.Events) > 0 {
		c.from = latest
	}
}

// now excludes the time that was skipped since the start, which [engine.Live] adds.
func (c *clock) now() time.Time { return c.from.Add(time.Since(c.began)) }

// ahead includes that time.
func (c *clock) ahead() time.Time { return c.now().Add(time.Duration(c.skipped.Load())) }

// A Delete is lost if CloudFormation made up its ID, because the Create had no answer or a malformed
// one. A handler of this SDK then waits until no Create can run, for the function's timeout after
// the Delete arrived. A process's time cannot be skipped. So a lost Delete waits in Lambda's queue, as
// any event may, until nothing else works; then that time is skipped, and the Delete is delivered
// with the age that it has, and with host.NoCreateRuns. While a Create runs, its Delete does not wait, as on AWS.

// A lost says what to do with a request whose ID may be made up.
type lost int

const (
	known     lost = iota // the ID is a handler's: deliver it
	queued                // it may wait in the queue
	overtakes             // a Create may still run: deliver it if anything still runs
	young                 // it must arrive young: deliver it
)

// lostDelete classifies a request that is being sent.
func lostDelete(s *engine.Stack, q *engine.Request) lost {
	switch {
	case !madeUp(s, q):
		return known
	case !strings.Contains(s.Status, "ROLLBACK_") && s.Status != "DELETE_IN_PROGRESS":
		return young // one that is older than the operation would be taken for an earlier one's
	case slices.ContainsFunc(s.Requests, func(c *engine.Request) bool {
		isCancelled := c.RequestType != "Delete" && c.Outcome == engine.Cancelled
		return isCancelled && c.LogicalID == q.LogicalID && len(c.Late)+len(c.Lost) == 0
	}):
		return overtakes
	default:
		return queued
	}
}

// madeUp reports whether a request is a Delete with an ID that CloudFormation made up.
func madeUp(s *engine.Stack, q *engine.Request) bool {
	made, is := strings.CutPrefix(q.PhysicalID, s.Name+"-"+q.LogicalID+"-")
	isDelete := q.RequestType == "Delete" && !q.Registered()
	return isDelete && is && len(made)/2 == 6 // 12 or 13 letters and digits
}

const (
	// searchLag is how long after the timeout a handler looks once more.
	searchLag = 10 * time.Second
	// shortWait is how long a handler may wait in real time without a note.
	shortWait = 30 * time.Second
)

// patience returns how long the provider's handler waits after a lost Delete was sent: zero if that is
// short, or if none of its programs is built with this SDK.
func (p *provider) patience() (longest time.Duration) {
	for _, f := range p.functions {
		program := programOfFunction(&f)
		if f.Timeout+searchLag >= shortWait && program.whyNotAsked() == "" {
			longest = max(longest, f.Timeout+searchLag)
		}
	}
	return longest
}

// queue puts a lost Delete into the queue, and reports whether it did. If its handler waits in real
// time, queue says until when.
func (r *sentRequest) queue(ctx context.Context) bool {
	o, q := r.operation, &r.request
	if r.lost == known {
		return false
	}
	patience := r.provider.patience()
	due := q.SentAt.Add(patience)
	r.waits = patience > 0
	if !r.waits {
		return false
	}
	// The order matters: settling takes a moment, and only a Create that may still run needs it.
	inTime := r.lost != young && due.Before(q.Deadline)
	if inTime && r.lost == overtakes {
		inTime = o.sent.settle(ctx)
	}
	if !inTime {
		o.watcher.NoteOf(q.RequestID, "the handler of "+r.name+" may wait "+patience.String()+" in real time, until "+time.Now().Add(patience).Format(time.TimeOnly)+
			": CloudFormation made up the ID in its Delete, and a Create can run as long as its function's Timeout")
		return false
	}
	r.due = due
	o.sent.queue(r)
	return true
}

// queue keeps a request until it is due.
func (s *sentRequests) queue(one *sentRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued = append(s.queued, one)
	slices.SortStableFunc(s.queued, func(a, b *sentRequest) int { return a.due.Compare(b.due) })
}

// next returns the request in the queue that is due first, or nil.
func (s *sentRequests) next() *sentRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queued) == 0 {
		return nil
	}
	return s.queued[0]
}

// release sends the Deletes that are due at a time.
func (s *sentRequests) release(at time.Time) {
	for one := s.next(); one != nil && !one.due.After(at); one = s.next() {
		s.mu.Lock()
		s.queued = s.queued[1:]
		s.mu.Unlock()
		one.start(one.invoke)
	}
}

// settle waits a moment until all that is done for other requests has ended or waits here too, and reports whether
// that is so: a Create that was cancelled may be just about to end.
func (s *sentRequests) settle(ctx context.Context) bool {
	s.settling.Add(1)
	defer s.settling.Add(-1)
	moment, tick := time.After(realPause), time.NewTicker(realPause/50)
	defer tick.Stop()
	for s.running.Load() > s.settling.Load() {
		select {
		case <-tick.C:
		case <-moment:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}
