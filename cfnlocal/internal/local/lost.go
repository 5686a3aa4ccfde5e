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
	switch {
	case !madeUp(s, q):
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

// madeUp reports whether a request is a Delete with an ID that CloudFormation made up.
func madeUp(s *engine.Stack, q *engine.Request) bool {
	made, is := strings.CutPrefix(q.PhysicalID, s.Name+"-"+q.LogicalID+"-")
	return is && q.RequestType == "Delete" && !q.Registered() && (len(made) == 12 || len(made) == 13)
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
func (d *delivery) queue(ctx context.Context) bool {
	o, q := d.operation, &d.request
	if d.lost == known {
		return false
	}
	patience := d.provider.patience()
	due := q.SentAt.Add(patience)
	d.waits = patience > 0
	switch {
	case !d.waits:
		return false
	case d.lost == young, !due.Before(q.Deadline), d.lost == overtakes && !o.deliveries.settle(ctx):
		o.watcher.NoteOf(q.RequestID, "the handler of "+d.name+" may wait "+patience.String()+" in real time, until "+time.Now().Add(patience).Format(time.TimeOnly)+
			": CloudFormation made up the ID in its Delete, and a Create can run as long as its function's Timeout")
		return false
	}
	d.due = due
	o.deliveries.queue(d)
	return true
}

// queue keeps a delivery until it is due.
func (d *deliveries) queue(one *delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queued = append(d.queued, one)
	slices.SortStableFunc(d.queued, func(a, b *delivery) int { return a.due.Compare(b.due) })
}

// next returns the delivery in the queue that is due first, or nil.
func (d *deliveries) next() *delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queued) == 0 {
		return nil
	}
	return d.queued[0]
}

// release delivers the Deletes that are due at a time.
func (d *deliveries) release(at time.Time) {
	for one := d.next(); one != nil && !one.due.After(at); one = d.next() {
		d.mu.Lock()
		d.queued = d.queued[1:]
		d.mu.Unlock()
		one.start(one.invoke)
	}
}

// settle waits a moment until every other delivery has ended or waits here too, and reports whether
// that is so: a Create that was cancelled may be just about to end.
func (d *deliveries) settle(ctx context.Context) bool {
	d.settling.Add(1)
	defer d.settling.Add(-1)
	moment, tick := time.After(realPause), time.NewTicker(realPause/50)
	defer tick.Stop()
	for d.running.Load() > d.settling.Load() {
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
