package cfnresource

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// phaseLimit is how long Options.Phase may take, if that is no more than a
// quarter of the time left.
const phaseLimit = 2 * time.Second

// askPhase asks why the event came, as of now. Without Options.Phase the answer is
// PhaseUnknown. made is the ID of what the event made, or "". If the function may go
// on in another invocation, a question that fails is asked once more.
func (e *execution) askPhase(made string) (lifecycle.Phase, *guard.Failure) {
	if p, ok := hook.Phase(e.clock.invocation); ok || e.d.opts.Phase == nil {
		return p, nil
	}
	if c, ok := hook.ChainOf(e.clock.invocation); ok && e.d.opts.Continue != nil {
		return c.Phase(made), nil
	}
	phase, f := e.askPhaseOnce(made)
	failedInTime := f != nil && !f.Abandoned
	if failedInTime && e.d.opts.Continue != nil {
		return e.askPhaseOnce(made)
	}
	return phase, f
}

func (e *execution) askPhaseOnce(made string) (lifecycle.Phase, *guard.Failure) {
	ctx, cancel := context.WithTimeout(e.clock.invocation, min(phaseLimit, time.Until(e.clock.Deadline)/4))
	defer cancel()
	op := &Operation{Request: e.request, Name: e.ev.Type, PhysicalID: e.ev.PhysicalID, CreatedID: made, SentAt: e.ev.SentAt}
	op.state = &requestState{stableID: e.stableID, idLength: e.d.opts.IDLength}
	var phase lifecycle.Phase
	var g guard.Guard
	f := g.Run(ctx, "Options.Phase", func(ctx context.Context) (err error) {
		phase, err = e.d.opts.Phase(ctx, op)
		return err
	})
	if f != nil {
		return lifecycle.PhaseUnknown, f
	}
	return phase, nil
}

// warnOfPhase logs that it is not known why the event came.
func (e *execution) warnOfPhase(f *guard.Failure) {
	e.log(slog.LevelWarn, "why this request came is not known: Options.Phase failed", slog.String("error", e.redact(f.Text)))
}

// An eventPhase is why an event came, as far as its stack tells: as of the first
// time that anybody asked, and as of now. The handler's goroutines ask too.
type eventPhase struct {
	stack stackAsker
	once  sync.Once // for the warning

	mu    sync.Mutex
	asked bool            // by this invocation or by one before it
	first lifecycle.Phase // the answer, or a later one that shows that this was late
	last  atomic.Pointer[phaseAnswer]
}

// A stackAsker is an execution.
type stackAsker interface {
	// askPhase asks the stack. made is the ID of what the event made, or "".
	askPhase(made string) (lifecycle.Phase, *guard.Failure)
	warnOfPhase(*guard.Failure)
}

// A phaseAnswer is an answer that the stack gave.
type phaseAnswer struct {
	phase lifecycle.Phase
	at    time.Time
}

func newEventPhase(chain event.Chain, stack stackAsker) eventPhase {
	return eventPhase{stack: stack, asked: chain.Links > 0, first: chain.StartPhase}
}

// start returns the phase in which the event came, as the first invocation of a chain
// was told. It asks once.
func (p *eventPhase) start() lifecycle.Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked {
		p.asked, p.first = true, p.answer("")
	}
	return p.first
}

// now asks why the event came, as of now.
func (p *eventPhase) now(made string) lifecycle.Phase {
	phase := p.answer(made)
	p.mu.Lock()
	defer p.mu.Unlock()
	if rules.Stale(rules.PhaseOf(p.first), rules.PhaseOf(phase)) {
		p.first = phase
	}
	return phase
}

// answer asks the stack. A question that fails is answered with PhaseUnknown.
func (p *eventPhase) answer(made string) lifecycle.Phase {
	phase, f := p.stack.askPhase(made)
	if f != nil {
		p.once.Do(func() { p.stack.warnOfPhase(f) })
		return lifecycle.PhaseUnknown
	}
	p.last.Store(&phaseAnswer{phase, time.Now()})
	return phase
}

// atEnd is now for a method that only waited until the end. If the question fails, the last answer
// counts while it is as young as one that a Poll goes by: the next invocation asks before it works.
func (p *eventPhase) atEnd(made string) lifecycle.Phase {
	phase := p.now(made)
	if last := p.last.Load(); last != nil && time.Since(last.at) < phaseInterval {
		return last.phase
	}
	return phase
}

// awaited reports whether CloudFormation still waits for the event, as far as the stack tells.
func (p *eventPhase) awaited() bool {
	_ = p.start() // before it can be shown to have been late
	now := p.now("")
	return !rules.Overtaken(rules.PhaseOf(p.start()), rules.PhaseOf(now))
}
