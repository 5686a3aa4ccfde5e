package simulate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/guard"
)

// now returns the stack's time.
func (s *Stack) now() time.Time { return time.Now().Add(time.Duration(s.skipped.Load())) }

// pause lets time pass in which the handler does nothing. In real time it is skipped.
func (s *Stack) pause(d time.Duration) {
	if !s.opts.RealTime {
		<-time.After(d)
		return
	}
	s.skipped.Add(int64(max(0, d)))
}

const (
	latency         = 100 * time.Millisecond // from a request to its handler
	deliverySpacing = time.Millisecond + time.Nanosecond
)

// startDelay returns how long a delivery waits before it begins. No two begin at
// the same instant, nor whole milliseconds apart, so that in virtual time they
// always act in the same order. The caller holds the lock.
func (s *Stack) startDelay() time.Duration {
	now := s.now()
	at := now.Add(latency)
	if next := s.lastStart.Add(deliverySpacing); next.After(at) {
		at = next
	}
	s.lastStart = at
	return at.Sub(now)
}

// skipToDeadline moves the clock, in real time, to the next deadline, unless something runs
// that could come before it.
func (s *Stack) skipToDeadline(live *engine.Live) {
	for again := true; again; {
		// An error would be that of Save, which has none.
		_ = live.Do(func(m *engine.Machine, now time.Time) error {
			at, waits := m.Deadline()
			switch {
			case !waits, m.Stack().AtRest(), s.delivering():
				again = false
				return nil
			}
			s.skipped.Add(int64(max(0, at.Sub(now))))
			m.Tick(s.now())
			return nil
		})
	}
}

// sentAt returns when the event of a request says that it was sent.
func (s *Stack) sentAt(q *engine.Request) time.Time {
	if !s.opts.RealTime {
		return q.SentAt
	}
	age := s.now().Sub(q.SentAt)
	if q.RequestType == "Delete" && s.noCreateRuns() {
		age += s.opts.Timeout
	}
	return time.Now().Add(-age)
}

// An activity counts the deliveries and the calls of the handler's methods that run.
type activity struct {
	deliveries int
	answering  int                 // of these, whose invocations have ended
	running    map[*Call]*exchange // the calls that run, and what they are for
	idle       chan struct{}       // closed when nothing runs; nil if nothing ran yet
}

func (a *activity) isIdle() bool { return a.deliveries == 0 && len(a.running) == 0 }

// begin is called, with the lock held, before something runs, and end after.
func (a *activity) begin() {
	if a.isIdle() {
		a.idle = make(chan struct{})
	}
}

func (a *activity) end() {
	if a.isIdle() {
		close(a.idle)
	}
}

// delivering reports whether an invocation runs, or is about to.
func (s *Stack) delivering() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.activity.deliveries > 0
}

// noCreateRuns reports, in real time, whether nothing runs but the delivery that asks: then a Delete is
// dated back, and waits from then.
func (s *Stack) noCreateRuns() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opts.RealTime || len(s.activity.running) > 0 {
		return false
	}
	return s.activity.deliveries-s.activity.answering == 1
}

// Settle waits until nothing runs. It gives up after an hour of virtual time,
// or in real time when no invocation can run any more, and names the methods
// that have not returned. Nothing can end their goroutines: see BlockedError.
func (s *Stack) Settle() error {
	s.mu.Lock()
	idle := s.activity.idle
	s.mu.Unlock()
	if idle == nil {
		return nil
	}
	// A method that waits in virtual time for longer than this will never return.
	patience := time.Hour
	if s.opts.RealTime {
		patience = s.opts.Timeout + 5*time.Second
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// What still runs is what does not return.
	var names []string
	for call, x := range s.activity.running {
		names = append(names, fmt.Sprintf("its %s in the %s of %s", call.Method, x.Type, x.LogicalID))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return fmt.Errorf("%d invocations have not ended %v after the last operation", s.activity.deliveries, patience)
	}
	return &BlockedError{names}
}

// A BlockedError says which methods of a handler never return.
type BlockedError struct{ calls []string }

func (e *BlockedError) Error() string {
	return "the handler never returns from " + strings.Join(e.calls, ", nor from ") +
		", though its context ended long ago. Have it return when its context ends. (A testing/synctest bubble with a blocked goroutine panics now; the stacks that it prints show where.)"
}

// errBlocked is the error of a bubble that ended with blocked goroutines.
var errBlocked = errors.New("goroutines of the handler are blocked forever: have each end with its context, or set RealTime if one lives as long as the process")

// Bubble runs play in a synctest bubble. It returns an error if goroutines are
// blocked at the end, where synctest.Test would panic. They are never collected.
func Bubble(t *testing.T, play func(t *testing.T)) (err error) {
	t.Helper()
	defer watchStill(t.Name())()
	defer func() {
		if r := recover(); r != nil {
			if !strings.Contains(fmt.Sprint(r), "blocked") {
				panic(r)
			}
			err = errBlocked
		}
	}()
	synctest.Test(t, play)
	return nil
}

// InBubble reports whether the calling goroutine is in a bubble.
func InBubble() (in bool) {
	defer func() {
		if r := recover(); r != nil { // it is not, or another goroutine waits
			in = !strings.Contains(fmt.Sprint(r), "not in a bubble")
		}
	}()
	synctest.Wait()
	return true
}

// In real time the kit skips a wait that a fault causes: the rest of the function's time, or the
// pause before the handler retries a call.

// An earlyEnd is a context that may end before its deadline, as if that had come.
type earlyEnd struct {
	context.Context
	done chan struct{}
}

// withEarlyEnd returns an earlyEnd, and what ends it.
func withEarlyEnd(ctx context.Context) (_ context.Context, end func()) {
	inner, cancel := context.WithCancelCause(ctx)
	c := &earlyEnd{inner, make(chan struct{})}
	context.AfterFunc(inner, func() { close(c.done) })
	return c, func() { cancel(guard.ErrOutOfTime) }
}

// Done is not inner's, because a context derived from c calls Err once Done is closed.
func (c *earlyEnd) Done() <-chan struct{} { return c.done }

func (c *earlyEnd) Err() error {
	if errors.Is(context.Cause(c.Context), guard.ErrOutOfTime) {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// skipToEnd ends the handler's time early, in real time, because nothing else can come of the fault.
func (inv *invocation) skipToEnd() {
	if inv.skipTime != nil {
		inv.skipTime()
	}
}

// mostThrottled is how often an invocation meets a service that is busy or away, in real time, until its time ends, and
// how often it tries again without a pause.
const mostThrottled = 4

// skipsPause reports whether the next try comes at once: in real time, once for each
// failure that was the kit's. A service that refuses for good is tried for half of the handler's time: after a few tries,
// its end comes.
func (inv *invocation) skipsPause() bool {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	if inv.skipTime == nil || inv.failures == 0 {
		return false
	}
	inv.failures--
	if inv.skipped++; inv.skipped == mostThrottled {
		inv.skipToEnd()
	}
	return true
}

const (
	// slowWork is how long a method works before and after its effects, if the event is
	// delivered twice at once.
	slowWork = 1500 * time.Millisecond
	// slowShare is the share of the time left that slow work takes at most: however often a method calls Step, it comes to
	// its end.
	slowShare = 25
)

// workSlowly lets time pass as if the handler worked slowly.
func (s *Stack) workSlowly(ctx context.Context) {
	d := slowWork
	if deadline, limited := ctx.Deadline(); limited {
		d = min(d, time.Until(deadline)/slowShare)
	}
	s.simulateWork(ctx.Done(), d)
}

// simulateWork lets time pass as if the handler worked.
func (s *Stack) simulateWork(over <-chan struct{}, d time.Duration) {
	if s.opts.RealTime {
		d /= 50
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
		if !s.opts.RealTime {
			// No virtual time passes before whoever ended it has come as far as it can.
			<-time.After(time.Nanosecond)
		}
	}
}

// A method that tries again without a pause would keep virtual time from passing, and its own context from ending. So if an
// invocation has taken mostAtOnce Steps at one instant, each later one takes some time, as with a service.
const (
	mostAtOnce = 100_000
	spinStep   = 10 * time.Millisecond
)

// spins counts a Step, and reports whether there have been too many at one instant. The caller holds the lock.
func (inv *invocation) spins() bool {
	switch {
	case inv.atOnce > mostAtOnce:
		return true
	case inv.stack.opts.RealTime: // which passes by itself
		return false
	}
	if now := inv.stack.now(); !now.Equal(inv.steppedAt) {
		inv.steppedAt, inv.atOnce = now, 0
	}
	inv.atOnce++
	return false
}
