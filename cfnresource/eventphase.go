package cfnresource

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An eventPhase is why an event came, as far as its stack tells: as of the first
// time that anybody asked, and as of now. The handler's goroutines ask too.
type eventPhase struct {
	ask  func(made string) (lifecycle.Phase, *guard.Failure) // made is the ID of what the event made, or ""
	warn func(*guard.Failure)                                // called once

	chain event.Chain            // what the invocations before this one say
	first func() lifecycle.Phase // the answer to the first question in this invocation
	last  atomic.Pointer[phaseAnswer]

	rulesAsked bool // the rules have the first answer
}

// A phaseAnswer is an answer that the stack gave.
type phaseAnswer struct {
	phase lifecycle.Phase
	at    time.Time
}

func newEventPhase(chain event.Chain, ask func(made string) (lifecycle.Phase, *guard.Failure), warn func(*guard.Failure)) *eventPhase {
	var once sync.Once
	p := &eventPhase{ask: ask, chain: chain}
	p.warn = func(f *guard.Failure) { once.Do(func() { warn(f) }) }
	p.first = sync.OnceValue(func() lifecycle.Phase { return p.now("") })
	return p
}

// start returns the phase in which the event came: what the first invocation of a
// chain was told.
func (p *eventPhase) start() lifecycle.Phase {
	if p.chain.Links > 0 {
		return p.chain.StartPhase
	}
	return p.first()
}

// now asks why the event came. A question that fails is answered with PhaseUnknown.
func (p *eventPhase) now(made string) lifecycle.Phase {
	phase, f := p.ask(made)
	if f != nil {
		p.warn(f)
		return lifecycle.PhaseUnknown
	}
	p.last.Store(&phaseAnswer{phase, time.Now()})
	return phase
}

// atEnd is now for a method that only waited until the end. If the question fails,
// the last answer counts while it is as young as one that a Poll goes by: the next
// invocation asks before it works.
func (p *eventPhase) atEnd(made string) lifecycle.Phase {
	phase := p.now(made)
	if last := p.last.Load(); last != nil && time.Since(last.at) < phaseInterval {
		return last.phase
	}
	return phase
}

// awaited reports whether CloudFormation still waits for the event, as far as the
// stack tells.
func (p *eventPhase) awaited() bool {
	return !rules.Overtaken(rules.PhaseOf(p.start()), rules.PhaseOf(p.now("")))
}
