// Package enginetest plays stacks for tests, in virtual time: the scenarios of the engine,
// and stacks that other packages show.
package enginetest

import (
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Delivery is one way in which a request reaches the handler. The handler
// runs in one go when it starts; what lies before and after it is time.
type Delivery struct {
	After time.Duration // from sending the request to the handler's start
	Takes time.Duration // from then to the arrival of its answer
	Lost  bool          // the answer does not arrive
}

// A Player runs a Machine against a handler in virtual time. It calls the handler for one request
// after the other, in the order of time. Handlers never overlap: deliveries that start a handler
// before or after another one, and late answers, stand for what overlaps on AWS.
type Player struct {
	Machine *engine.Machine
	Now     time.Time
	// Handler answers a request; nil is no answer.
	Handler func(r *engine.Request) []byte
	// Deliver says how a request is delivered: once, more often, or never. Nil
	// delivers each at once, and its answer a second later.
	Deliver func(r *engine.Request) []Delivery
	// Arrives, if set, is called before an answer is handed to the Machine.
	Arrives func(r *engine.Request)
	// AfterStep, if set, is called after each input to the Machine, before its
	// requests are taken. It may put another Machine in its place.
	AfterStep func()

	queue []scheduled // the next one first
}

type scheduled struct {
	at time.Time
	do func()
}

// At has do called at a time, between the inputs that are due before and after.
func (p *Player) At(at time.Time, do func()) {
	i := slices.IndexFunc(p.queue, func(s scheduled) bool { return s.at.After(at) })
	if i < 0 {
		i = len(p.queue)
	}
	p.queue = slices.Insert(p.queue, i, scheduled{at, do})
}

// Run runs until the stack is at rest. What is then unfinished, such as the handlers
// of cancelled requests, continues with the next Run or Drain.
func (p *Player) Run() error {
	return p.play(func() bool { return p.Machine.Stack().AtRest() })
}

// Drain runs until the stack is at rest and no handler or answer is outstanding.
func (p *Player) Drain() error {
	return p.play(func() bool { return p.Machine.Stack().AtRest() && len(p.queue) == 0 })
}

func (p *Player) play(over func() bool) error {
	for {
		for _, r := range p.Machine.Take() {
			p.deliver(r)
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
			return engine.ErrStuck
		}
		if at.After(p.Now) {
			p.Now = at
		}
		if next {
			do := p.queue[0].do
			p.queue = p.queue[1:]
			do()
		} else {
			p.Machine.Tick(p.Now)
		}
		if p.AfterStep != nil {
			p.AfterStep()
		}
	}
}

func (p *Player) deliver(r *engine.Request) {
	deliveries := []Delivery{{Takes: time.Second}}
	if p.Deliver != nil {
		deliveries = p.Deliver(r)
	}
	now := p.Now
	for _, d := range deliveries {
		p.At(now.Add(d.After), func() {
			answer := p.Handler(r)
			if answer == nil || d.Lost {
				return
			}
			p.At(now.Add(d.After+d.Takes), func() {
				if p.Arrives != nil {
					p.Arrives(r)
				}
				p.Machine.Answer(p.Now, r.RequestID, answer)
			})
		})
	}
}
