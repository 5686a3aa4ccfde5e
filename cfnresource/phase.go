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

// askPhase asks why the event came, as of now. Without Options.Phase the answer is
// PhaseUnknown. made is the ID of what the event made, or "". If the function may go
// on in another invocation, a question that fails is asked once more.
func (x *execution) askPhase(made string) (lifecycle.Phase, *guard.Failure) {
	if p, ok := hook.Phase(x.clock.invocation); ok || x.d.opts.Phase == nil {
		return p, nil
	}
	if c, ok := hook.ChainOf(x.clock.invocation); ok && x.d.opts.Continue != nil {
		return c.Phase(made), nil
	}
	phase, f := x.askPhaseOnce(made)
	if f != nil && !f.Abandoned && x.d.opts.Continue != nil {
		return x.askPhaseOnce(made)
	}
	return phase, f
}

func (x *execution) askPhaseOnce(made string) (lifecycle.Phase, *guard.Failure) {
	ctx, cancel := context.WithTimeout(x.clock.invocation, min(phaseLimit, time.Until(x.clock.Deadline)/4))
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

// warnOfPhase logs that it is not known why the event came.
func (x *execution) warnOfPhase(f *guard.Failure) {
	x.log(slog.LevelWarn, "why this request came is not known", slog.String("error", x.redact(f.Text)))
}
