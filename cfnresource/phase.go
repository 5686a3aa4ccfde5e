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
func (e *execution) askPhase(made string) (lifecycle.Phase, *guard.Failure) {
	if p, ok := hook.Phase(e.clock.invocation); ok || e.d.opts.Phase == nil {
		return p, nil
	}
	if c, ok := hook.ChainOf(e.clock.invocation); ok && e.d.opts.Continue != nil {
		return c.Phase(made), nil
	}
	phase, f := e.askPhaseOnce(made)
	if f != nil && !f.Abandoned && e.d.opts.Continue != nil {
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
	e.log(slog.LevelWarn, "why this request came is not known", slog.String("error", e.redact(f.Text)))
}
