package cfnresource

import (
	"context"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const (
	phaseLimit = 2 * time.Second  // how long Options.Phase may take, if that is no more than a quarter of the time left
	lateAfter  = time.Minute      // the age from which an event asks whether it is awaited
	slowAfter  = 10 * time.Second // and that from which a Create asks whether it still is
)

// askPhase asks why the event came, as of now. Where Options.Phase is not set,
// that is never known.
func (w *work) askPhase() lifecycle.Phase {
	if p, ok := w.ctx.Value(phaseKey{}).(lifecycle.Phase); ok || w.mux.opts.Phase == nil {
		return p
	}
	ctx, cancel := context.WithTimeout(w.ctx, min(phaseLimit, time.Until(w.hard)/4))
	defer cancel()
	op := &Operation{Request: w.id, Name: w.ev.Type, PhysicalID: w.ev.PhysicalID}
	op.of = &origin{stableID: w.stable, phase: func() lifecycle.Phase { return lifecycle.PhaseUnknown }}
	var phase lifecycle.Phase
	var g guard.Guard
	f := g.Run(ctx, "Options.Phase", func(ctx context.Context) (err error) {
		phase, err = w.mux.opts.Phase(ctx, op)
		return err
	})
	if f != nil {
		w.blind.Do(func() {
			w.log(slog.LevelWarn, "why this request came is not known", slog.String("error", f.Text))
		})
		return lifecycle.PhaseUnknown
	}
	return phase
}

// inRollback reports whether the event is known to lead back from an update
// that failed.
func (w *work) inRollback() bool { return w.phase() == lifecycle.PhaseUpdateRollback }

// goesForward reports whether the event is known not to.
func (w *work) goesForward() bool { return w.phase() == lifecycle.PhaseUpdating }

// birth returns when CloudFormation sent the event, as far as that is known.
func (w *work) birth() time.Time {
	if w.ev.Birth.IsZero() {
		return w.start
	}
	return w.ev.Birth
}

// overdue is the failure of an event that came late, and that the stack has
// gone on without. An earlier delivery may have done its work.
func (w *work) overdue() *failure {
	if w.start.Sub(w.birth()) <= lateAfter || w.phase().Awaited() {
		return nil
	}
	return unknown(CodeInvalidRequest, "CloudFormation no longer waits for this "+w.ev.Type+": the stack has gone on. It was not handled")
}

// takeBack deletes what a Create has made if CloudFormation has given the event
// up meanwhile: no later event may name it. What the Create was to replace is
// live. f is how the Create failed, or nil; takeBack adds to it.
func (w *work) takeBack(p *reading, f *failure) *failure {
	if w.made == "" || w.made == w.ev.PhysicalID || !w.overtaken() {
		return f
	}
	givenUp := failed(CodeNotStabilized, "CloudFormation has given this %s up: the stack goes back", w.ev.Type)
	if f != nil {
		givenUp.Text, givenUp.Stack = f.Text+"; "+givenUp.Text, f.Stack
	}
	if f := w.remove(w.made, p); f != nil {
		givenUp.Text += ", and what was made could not be deleted: " + f.Text
		return givenUp
	}
	w.undone = true
	givenUp.Text += ". What was made is deleted again"
	return givenUp
}

// overtaken reports whether the stack is known to have turned round since the
// Create, or the replacement, began. How it is now must be asked afresh.
func (w *work) overtaken() bool {
	switch {
	case w.replacing && w.goesForward():
		phase := w.askPhase()
		return phase == lifecycle.PhaseUpdateRollback || phase == lifecycle.PhaseGivenUp
	case w.ev.Type == "Create" && time.Since(w.birth()) > slowAfter:
		return w.askPhase() == lifecycle.PhaseGivenUp
	}
	return false
}
