package play

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// now returns the stack's time.
func (p *Simulator) now() time.Time { return time.Now().Add(time.Duration(p.skipped.Load())) }

// pause lets time pass in which the handler does nothing. In real time it is
// skipped.
func (p *Simulator) pause(d time.Duration) {
	if !p.opts.RealTime {
		<-time.After(d)
		return
	}
	p.skipped.Add(int64(max(0, d)))
}

const (
	latency         = 100 * time.Millisecond // from a request to its handler
	deliverySpacing = time.Millisecond + time.Nanosecond
)

// startDelay returns how long a delivery waits before it begins. No two begin at
// the same instant, nor whole milliseconds apart, so that what they do in
// virtual time is done in one order. The caller holds the lock.
func (p *Simulator) startDelay() time.Duration {
	now := p.now()
	at := now.Add(latency)
	if next := p.lastStart.Add(deliverySpacing); next.After(at) {
		at = next
	}
	p.lastStart = at
	return at.Sub(now)
}

// skipToDeadline moves the clock, in real time, to the next deadline, unless something runs
// that could come before it.
func (p *Simulator) skipToDeadline(live *engine.Live) {
	for again := true; again; {
		// An error would be that of Save, which has none.
		_ = live.Do(func(m *engine.Machine, now time.Time) error {
			at, waits := m.Deadline()
			again = waits && !m.Stack().AtRest() && !p.delivering()
			if again {
				p.skipped.Add(int64(max(0, at.Sub(now))))
				m.Tick(p.now())
			}
			return nil
		})
	}
}

// sentAt returns when the event of a request says that it was sent.
func (p *Simulator) sentAt(q *engine.Request) time.Time {
	if !p.opts.RealTime {
		return q.SentAt
	}
	age := p.now().Sub(q.SentAt)
	if q.RequestType == "Delete" && p.onlyDelivery() {
		age += p.opts.Timeout
	}
	return time.Now().Add(-age)
}

// A activity counts the deliveries and the calls of the handler's methods that run.
type activity struct {
	deliveries int
	running    map[*Call]string // what runs, in words
	idle       chan struct{}    // closed when nothing runs; nil if nothing ran yet
}

func (w *activity) isIdle() bool { return w.deliveries == 0 && len(w.running) == 0 }

// begin is called, with the lock held, before something runs, and end after.
func (w *activity) begin() {
	if w.isIdle() {
		w.idle = make(chan struct{})
	}
}

func (w *activity) end() {
	if w.isIdle() {
		close(w.idle)
	}
}

// delivering reports whether an invocation runs, or is about to.
func (p *Simulator) delivering() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.activity.deliveries > 0
}

// onlyDelivery reports whether nothing runs but the delivery that asks.
func (p *Simulator) onlyDelivery() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.activity.deliveries == 1 && len(p.activity.running) == 0
}

// Settle waits until nothing runs. It gives up after an hour of virtual time,
// or in real time when no invocation can run any more, and names the methods
// that have not returned. Nothing can end their goroutines: see bubble.
func (p *Simulator) Settle() error {
	p.mu.Lock()
	idle := p.activity.idle
	p.mu.Unlock()
	if idle == nil {
		return nil
	}
	patience := time.Hour
	if p.opts.RealTime {
		patience = p.opts.Timeout + 5*time.Second
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	names := slices.Compact(slices.Sorted(maps.Values(p.activity.running)))
	if len(names) == 0 {
		return fmt.Errorf("%d invocations have not ended %v after the last operation", p.activity.deliveries, patience)
	}
	return &blockedError{names}
}

// A blockedError says which methods of a handler never return.
type blockedError struct{ calls []string }

func (e *blockedError) Error() string {
	return "the handler blocks for ever: its context has ended long ago, and there is no end of " + strings.Join(e.calls, ", nor of ") +
		". Have it return when its context ends. (A testing/synctest bubble in which a goroutine is blocked panics now; the stacks that it prints say where.)"
}
