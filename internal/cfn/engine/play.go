package engine

import (
	"container/heap"
	"context"
	"errors"
	"time"
)

// A Clock tells the time, and waits.
type Clock interface {
	Now() time.Time
	// Wait returns nil when it is at, or the context's cause when that is done.
	Wait(ctx context.Context, at time.Time) error
}

// A VirtualClock is a Clock whose waits take no time.
type VirtualClock struct{ now time.Time }

// NewVirtualClock returns a clock that shows a time until the first wait.
func NewVirtualClock(now time.Time) *VirtualClock { return &VirtualClock{now} }

// Now returns the time to which the last wait led.
func (c *VirtualClock) Now() time.Time { return c.now }

// Wait goes forward to a time at once.
func (c *VirtualClock) Wait(ctx context.Context, at time.Time) error {
	if at.After(c.now) {
		c.now = at
	}
	return context.Cause(ctx)
}

// RealClock is the Clock of the machine that it runs on.
type RealClock struct{}

// Now returns the time.
func (RealClock) Now() time.Time { return time.Now() }

// Wait waits.
func (RealClock) Wait(ctx context.Context, at time.Time) error {
	t := time.NewTimer(time.Until(at))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A Delivery is one way in which a request reaches the handler. The handler
// runs in one go when it starts; what lies before and after it is time.
type Delivery struct {
	After time.Duration // from sending the request to the handler's start
	Takes time.Duration // from then to the arrival of its answer
	Lost  bool          // the answer does not arrive
}

// A Player runs a Machine against a handler, which it calls in the same goroutine,
// one request after the other, in the order of time. Its handlers never overlap;
// deliveries that start a handler before or after another one, and late answers,
// stand for what overlaps on AWS.
type Player struct {
	Machine *Machine
	Clock   Clock
	// Handler answers a request; nil is no answer.
	Handler func(ctx context.Context, r *Request) []byte
	// Deliver says how a request is delivered: once, more often, or never. Nil
	// delivers each at once, and its answer a second later.
	Deliver func(r *Request) []Delivery
	// AfterStep, if set, is called after each input to the Machine, before its
	// requests are taken. It may put another Machine in its place.
	AfterStep func()

	queue queue
	seq   int
}

// ErrStuck is returned when an operation is in progress but nothing is pending.
var ErrStuck = errors.New("engine: the stack is in motion, but nothing is awaited: this is a fault of the engine")

// At has do called at a time, between the inputs that are due before and after.
func (p *Player) At(at time.Time, do func()) {
	p.seq++
	heap.Push(&p.queue, scheduled{at, p.seq, do})
}

// Run runs until the stack is at rest. What is then unfinished, such as the handlers
// of cancelled requests, continues with the next Run or Drain.
func (p *Player) Run(ctx context.Context) error {
	return p.play(ctx, func() bool { return p.Machine.stack.AtRest() })
}

// Drain runs until the stack is at rest and no handler or answer is outstanding.
func (p *Player) Drain(ctx context.Context) error {
	return p.play(ctx, func() bool { return p.Machine.stack.AtRest() && len(p.queue) == 0 })
}

func (p *Player) play(ctx context.Context, over func() bool) error {
	for {
		for _, r := range p.Machine.Take() {
			p.deliver(ctx, r)
		}
		if over() {
			return nil
		}
		at, waits := p.Machine.Deadline()
		next := len(p.queue) > 0 && (!waits || !p.queue[0].at.After(at))
		switch {
		case next:
			at = p.queue[0].at
		case !waits:
			return ErrStuck
		}
		if err := p.Clock.Wait(ctx, at); err != nil {
			return err
		}
		if next {
			heap.Pop(&p.queue).(scheduled).do()
		} else {
			p.Machine.Tick(p.Clock.Now())
		}
		if p.AfterStep != nil {
			p.AfterStep()
		}
	}
}

func (p *Player) deliver(ctx context.Context, r *Request) {
	once := [1]Delivery{{Takes: time.Second}}
	deliveries := once[:]
	if p.Deliver != nil {
		deliveries = p.Deliver(r)
	}
	now := p.Clock.Now()
	for _, d := range deliveries {
		p.At(now.Add(d.After), func() {
			answer := p.Handler(ctx, r)
			if answer == nil || d.Lost {
				return
			}
			p.At(now.Add(d.After+d.Takes), func() { p.Machine.Answer(p.Clock.Now(), r.RequestID, answer) })
		})
	}
}

type scheduled struct {
	at  time.Time
	seq int // among those of the same time
	do  func()
}

type queue []scheduled

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(scheduled)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
