package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrStuck is returned when an operation is in progress but nothing is pending.
var ErrStuck = errors.New("engine: an operation is in progress, but nothing is awaited: this is a fault of the engine")

// A Live runs a Machine in real time: any goroutine may answer its requests at any time. After each
// step the stack is saved before its requests are sent. A process that crashes in between does not
// know which of the [Machine.Pending] requests were sent. The next process sends them again, with
// [Machine.Redeliver]. Handlers have to tolerate that: AWS Lambda may deliver an event twice as well.
type Live struct {
	// Save saves the stack, or only the patch if that is not nil. It may be nil. If
	// it fails, nothing is sent, and every later step and Wait fail with its error.
	Save func(*Stack, *Patch) error
	// Send sends a request; it must not wait for the answer.
	Send func(*Request)
	// Now tells the time; nil is time.Now. Skip goes beyond it.
	Now func() time.Time

	mu      sync.Mutex
	machine *Machine
	ahead   time.Duration // of Now
	past    []shownStack  // under Options.StatusLag, the first is what is shown
	err     error
	wake    chan struct{}

	queueMu  sync.Mutex
	queue    []queuedAnswer
	draining bool // somebody takes what is queued
}

type queuedAnswer struct {
	requestID string
	body      []byte
	then      func(waitedFor bool)
}

// NewLive returns a Live that runs a machine. Nobody else may use the machine.
func NewLive(m *Machine) *Live { return &Live{machine: m, wake: make(chan struct{}, 1)} }

// Do performs a step, such as an operation or an answer. Steps run one at a time.
func (l *Live) Do(step func(m *Machine, now time.Time) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.takeAnswers()
	}
	return l.do(step)
}

// do does a step, saves what it has changed, and sends its requests.
func (l *Live) do(step func(m *Machine, now time.Time) error) error {
	if l.err != nil {
		return l.err
	}
	if len(l.past) == 0 {
		l.remember(time.Time{})
	}
	err := step(l.machine, l.now())
	l.remember(l.now())
	if l.Save != nil {
		if l.err = l.Save(l.machine.stack, l.machine.Changes()); l.err != nil {
			return l.err
		}
	}
	for _, r := range l.machine.Take() {
		l.Send(r)
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return err
}

// Look calls look with the stack as it was last saved. The stack changes with the
// next step: look must not keep it, but may keep a [Stack.Snapshot].
func (l *Live) Look(look func(*Stack)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	look(l.machine.stack)
}

// Answer passes an answer to Machine.Answer.
func (l *Live) Answer(requestID string, body []byte) (waitedFor bool, err error) {
	err = l.Do(func(m *Machine, now time.Time) error {
		waitedFor = m.Answer(now, requestID, body)
		return nil
	})
	return waitedFor, err
}

// Queue queues an answer and does not wait: it is processed before the next step,
// together with others in the queue. then is called afterwards unless the stack
// could not be saved; it must not call l.
func (l *Live) Queue(requestID string, body []byte, then func(waitedFor bool)) {
	l.queueMu.Lock()
	defer l.queueMu.Unlock()
	l.queue = append(l.queue, queuedAnswer{requestID, body, then})
	if l.draining {
		return
	}
	l.draining = true
	go func() {
		for more := true; more; {
			l.mu.Lock()
			more = l.takeAnswers()
			l.mu.Unlock()
		}
	}()
}

// takeAnswers processes the queued answers as one step, and reports whether there were any.
func (l *Live) takeAnswers() bool {
	l.queueMu.Lock()
	answers := l.queue
	l.queue = nil
	if len(answers) == 0 {
		l.draining = false
	}
	l.queueMu.Unlock()
	if len(answers) == 0 {
		return false
	}
	waitedFor := make([]bool, len(answers))
	err := l.do(func(m *Machine, now time.Time) error {
		for i, a := range answers {
			waitedFor[i] = m.Answer(now, a.requestID, a.body)
		}
		return nil
	})
	for i, a := range answers {
		if err == nil && a.then != nil {
			a.then(waitedFor[i])
		}
	}
	return true
}

// Flush processes the queued answers.
func (l *Live) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for more := true; more && l.err == nil; {
		more = l.takeAnswers()
	}
	return l.err
}

// Skip advances the time to the machine's deadline and returns how much time it skipped. Unless
// certain is nil, Skip calls it first with the time and that deadline. It returns until when nobody
// will answer, and whether that is certain: false prevents the skip.
func (l *Live) Skip(certain func(m *Machine, now, until time.Time) (time.Time, bool)) (skipped time.Duration, err error) {
	err = l.Do(func(m *Machine, now time.Time) error {
		until := now
		at, ok := m.Deadline()
		isAhead := ok && at.After(now)
		if isAhead && !m.stack.AtRest() {
			until = at
		}
		if certain != nil {
			at, is := certain(m, now, until)
			if !is {
				return nil
			}
			until = at
		}
		skipped = max(0, until.Sub(now))
		l.ahead += skipped
		m.Tick(l.now())
		return nil
	})
	return skipped, err
}

// Wait waits until the stack is at rest, and ticks the machine at its deadlines.
// Only one goroutine at a time may wait.
func (l *Live) Wait(ctx context.Context) error {
	for {
		over, pause, err := l.next()
		if err != nil || over {
			return err
		}
		select {
		case <-l.wake:
		case <-time.After(pause):
			err = l.Do(func(m *Machine, now time.Time) error { m.Tick(now); return nil })
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
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

// ErrNotShown is returned by Shown under [Options].StatusRefused.
var ErrNotShown = errors.New("engine: the stack's options have DescribeStacks refused")

// A shownStack is a stack as it was from a time on.
type shownStack struct {
	since time.Time
	stack *Stack
}

// Shown calls look with the stack as DescribeStacks and DescribeStackResource show it.
// Look must neither change nor keep it.
func (l *Live) Shown(look func(*Stack)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &l.machine.stack.Options
	if o.StatusRefused {
		return ErrNotShown
	}
	stack := l.machine.stack
	if o.StatusLag > 0 && len(l.past) > 0 {
		l.forget()
		stack = l.past[0].stack
	}
	if o.ShowsLeaving && len(stack.Leaving) > 0 {
		stack = stack.showingLeaving()
	}
	look(stack)
	return nil
}

// remember keeps the stack for as long as it is shown.
func (l *Live) remember(since time.Time) {
	if l.machine.stack.Options.StatusLag > 0 {
		l.forget()
		l.past = append(l.past, shownStack{since, l.machine.stack.snapshotTree()})
	}
}

// forget drops what is no longer shown, so that the first is what is shown now.
func (l *Live) forget() {
	shown := l.now().Add(-l.machine.stack.Options.StatusLag)
	for len(l.past) > 1 && !l.past[1].since.After(shown) {
		l.past = l.past[1:]
	}
}

// showingLeaving returns a copy that has what is deleted in the place of what has replaced it.
func (s *Stack) showingLeaving() *Stack {
	shown := *s
	shown.Resources = slices.Clone(s.Resources)
	for i, r := range shown.Resources {
		if at := slices.IndexFunc(s.Leaving, func(l *StackResource) bool { return l.LogicalID == r.LogicalID }); at >= 0 {
			shown.Resources[i] = s.Leaving[at]
		}
	}
	return &shown
}

// snapshotTree is Snapshot with the nested stacks.
func (s *Stack) snapshotTree() *Stack {
	shot := s.Snapshot()
	for _, n := range s.Nested {
		shot.Nested = append(shot.Nested, n.snapshotTree())
	}
	return shot
}
