package local

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

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
	made, is := strings.CutPrefix(q.PhysicalID, s.Name+"-"+q.LogicalID+"-")
	switch {
	case q.RequestType != "Delete" || q.Registered() || !is || len(made) < 12 || len(made) > 13:
		return known
	case !strings.Contains(s.Status, "ROLLBACK_") && s.Status != "DELETE_IN_PROGRESS":
		return young // one that is older than the operation would be taken for an earlier one's
	case slices.ContainsFunc(s.Requests, func(c *engine.Request) bool {
		return c.LogicalID == q.LogicalID && c.RequestType != "Delete" && c.Outcome == engine.Cancelled && len(c.Late)+len(c.Lost) == 0
	}):
		return overtakes
	default:
		return queued
	}
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
		if f.Timeout+searchLag >= shortWait && program.refused() == "" {
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
	switch {
	case !r.waits:
		return false
	case r.lost == young, !due.Before(q.Deadline), r.lost == overtakes && !o.sent.settle(ctx):
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
