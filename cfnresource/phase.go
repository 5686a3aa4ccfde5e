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

// askPhase asks why the event came, as of now. Where Options.Phase is not set,
// that is never known. made is the ID of what the event made, or "".
func (j *job) askPhase(made string) lifecycle.Phase {
	if p, ok := hook.Phase(j.base); ok || j.d.opts.Phase == nil {
		return p
	}
	if c, ok := hook.ChainOf(j.base); ok && j.d.opts.Continue != nil {
		return c.Phase(made)
	}
	ctx, cancel := context.WithTimeout(j.base, min(phaseLimit, time.Until(j.hard)/4))
	defer cancel()
	op := &Operation{Request: j.id, Name: j.ev.Type, PhysicalID: j.ev.PhysicalID, Made: made, Birth: j.ev.Birth}
	op.of = &origin{stableID: j.stable, idLength: j.d.opts.IDLength, phase: func() lifecycle.Phase { return lifecycle.PhaseUnknown }}
	var phase lifecycle.Phase
	var g guard.Guard
	f := g.Run(ctx, "Options.Phase", func(ctx context.Context) (err error) {
		phase, err = j.d.opts.Phase(ctx, op)
		return err
	})
	if f != nil {
		j.blind.Do(func() {
			j.log(slog.LevelWarn, "why this request came is not known", slog.String("error", j.strike(f.Text)))
		})
		return lifecycle.PhaseUnknown
	}
	return phase
}
