package engine

import (
	"context"
	"sync"
	"time"
)

// A Live plays a Machine whose requests are answered from elsewhere, at any
// time, by any goroutine. After each step the stack is saved before its
// requests are sent: whoever crashes in between has a saved stack whose
// [Machine.Pending] requests may or may not have been sent, and sends them
// again. Handlers have to bear that: AWS Lambda may deliver twice as well.
type Live struct {
	// Save keeps the stack; nil does not. If it fails nothing is sent, and
	// every later step and Wait fail with its error.
	Save func(*Stack) error
	// Send sends a request; it must not wait for the answer.
	Send func(*Request)
	// Now tells the time; nil is time.Now. Skip goes beyond it.
	Now func() time.Time

	mu      sync.Mutex
	machine *Machine
	ahead   time.Duration // of Now
	err     error
	woken   chan struct{}
}

// NewLive returns the player of a machine, which is its own from now on.
func NewLive(m *Machine) *Live { return &Live{machine: m, woken: make(chan struct{}, 1)} }

// Do has a step done: an operation, an answer. Steps are done one at a time.
func (l *Live) Do(step func(m *Machine, now time.Time) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	err := step(l.machine, l.now())
	if l.Save != nil {
		if l.err = l.Save(l.machine.stack); l.err != nil {
			return l.err
		}
	}
	for _, r := range l.machine.Take() {
		l.Send(r)
	}
	select {
	case l.woken <- struct{}{}:
	default:
	}
	return err
}

// Answer hands over an answer, as Machine.Answer does.
func (l *Live) Answer(requestID string, body []byte) (waitedFor bool, err error) {
	err = l.Do(func(m *Machine, now time.Time) error {
		waitedFor = m.Answer(now, requestID, body)
		return nil
	})
	return waitedFor, err
}

// Skip goes forward to the time at which something is due if nobody answers,
// for when nobody will. It reports how long was skipped.
func (l *Live) Skip() (skipped time.Duration, err error) {
	err = l.Do(func(m *Machine, now time.Time) error {
		if at, ok := m.Deadline(); ok && !m.stack.AtRest() && at.After(now) {
			skipped = at.Sub(now)
			l.ahead += skipped
		}
		m.Tick(l.now())
		return nil
	})
	return skipped, err
}

// Wait waits until the stack is at rest, and gives up what is due in between.
// One goroutine at a time may wait.
func (l *Live) Wait(ctx context.Context) error {
	for {
		over, pause, err := l.next()
		if err != nil || over {
			return err
		}
		t := time.NewTimer(pause)
		select {
		case <-l.woken:
		case <-t.C:
			err = l.Do(func(m *Machine, now time.Time) error { m.Tick(now); return nil })
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		t.Stop()
		if err != nil {
			return err
		}
	}
}

func (l *Live) next() (over bool, pause time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.machine.Deadline()
	switch {
	case l.err != nil || l.machine.stack.AtRest():
		return true, 0, l.err
	case !ok:
		return false, 0, ErrStuck
	}
	return false, max(0, at.Sub(l.now())), nil
}

func (l *Live) now() time.Time {
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	return now().Add(l.ahead)
}
