package cfnresource

import (
	"context"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// phaseLimit is how long Options.Phase may take, if that is no more than a
// quarter of the time left.
const phaseLimit = 2 * time.Second

// A phaseAnswer is an answer of Options.Phase.
type phaseAnswer struct {
	phase lifecycle.Phase
	at    time.Time
}

// askPhase asks why the event came, as of now. Without Options.Phase the answer is
// PhaseUnknown. made is the ID of what the event made, or "". If the function may go
// on in another invocation, a question that fails is asked once more.
func (x *execution) askPhase(made string) lifecycle.Phase {
	if p, ok := hook.Phase(x.baseContext); ok || x.d.opts.Phase == nil {
		return p
	}
	if c, ok := hook.ChainOf(x.baseContext); ok && x.d.opts.Continue != nil {
		return c.Phase(made)
	}
	phase, f := x.askPhaseOnce(made)
	if f != nil && !f.Abandoned && x.d.opts.Continue != nil {
		phase, f = x.askPhaseOnce(made)
	}
	if f != nil {
		x.phaseWarning.Do(func() {
			x.log(slog.LevelWarn, "why this request came is not known", slog.String("error", x.redact(f.Text)))
		})
		return lifecycle.PhaseUnknown
	}
	x.lastPhase.Store(&phaseAnswer{phase, time.Now()})
	return phase
}

// askPhaseAtEnd is askPhase for a method that only waited until the end. If the
// question fails, the last answer counts while it is as young as one that a Poll
// goes by: the next invocation asks before it works.
func (x *execution) askPhaseAtEnd(made string) lifecycle.Phase {
	phase := x.askPhase(made)
	if last := x.lastPhase.Load(); phase == lifecycle.PhaseUnknown && last != nil && time.Since(last.at) < phaseInterval {
		return last.phase
	}
	return phase
}

func (x *execution) askPhaseOnce(made string) (lifecycle.Phase, *guard.Failure) {
	ctx, cancel := context.WithTimeout(x.baseContext, min(phaseLimit, time.Until(x.deadline)/4))
	defer cancel()
	op := &Operation{Request: x.request, Name: x.ev.Type, PhysicalID: x.ev.PhysicalID, CreatedID: made, SentAt: x.ev.SentAt}
	op.state = &requestState{stableID: x.stableID, idLength: x.d.opts.IDLength, phase: func() lifecycle.Phase { return lifecycle.PhaseUnknown }}
	var phase lifecycle.Phase
	var g guard.Guard
	f := g.Run(ctx, "Options.Phase", func(ctx context.Context) (err error) {
		phase, err = x.d.opts.Phase(ctx, op)
		return err
	})
	if f != nil {
		return lifecycle.PhaseUnknown, f
	}
	return phase, nil
}
