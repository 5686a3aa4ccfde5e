package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// A work is the handling of one event, from its arrival to its answer.
type work struct {
	mux   *Mux
	ev    *event
	res   resource
	guard guard

	start   time.Time
	timeout time.Duration   // the function's, or 0 if it has none
	hard    time.Time       // when the answer must have arrived
	margin  time.Duration   // the part before hard that is the answer's
	ctx     context.Context // the handler's, ends a margin before hard
	late    context.Context // for the user's code in building the answer, ends half a margin later
	phase   func() lifecycle.Phase

	secrets []string // values to strike out
	stable  string   // the StableID of the event's properties, once they are read
	tracker tracker

	replacing bool   // the Update calls Create, or adopts
	asked     bool   // Create asked for its StableID
	made      string // what Create tracked or returned, or what was adopted
	adopted   bool   // made was there before
	undone    bool   // made was deleted again
	refused   bool   // nothing was made that is this resource's
}

// handle answers one event. Everything that an event can lead to comes
// through here.
func (m *Mux) handle(ctx context.Context, ev *event) error {
	sender := m.sender
	if s, ok := response.SenderFrom(ctx); ok {
		sender = s
	}
	connector, canConnect := sender.(response.Connector)
	if canConnect {
		if err := connector.Check(ev.url); err != nil {
			return fmt.Errorf("%s of %s is not handled, since it cannot be answered: %w", ev.requestType, ev.request, err)
		}
	}
	w, cancel := m.newWork(ctx, ev)
	defer cancel()
	if canConnect {
		go w.connect(connector)
	}
	return w.deliver(ctx, sender, w.answer())
}

func (m *Mux) newWork(ctx context.Context, ev *event) (w *work, cancel func()) {
	now := time.Now()
	w = &work{mux: m, ev: ev, start: now, hard: ev.deadline(now)}
	if !w.hard.After(now) {
		w.hard = now.Add(ev.serviceTimeout)
	}
	// A deadline that is past is no reason to fail: local runs have such.
	if d, ok := ctx.Deadline(); ok && d.After(now) {
		w.timeout = d.Sub(now)
		if d.Before(w.hard) {
			w.hard = d
		}
	} else if ok {
		ctx = context.WithoutCancel(ctx)
	}
	w.margin = responseMargin(m.opts.ResponseMargin, w.hard.Sub(now))
	w.guard.grace = w.margin / 4

	soft := w.hard.Add(-w.margin)
	var cancelSoft, cancelLate func()
	w.ctx, cancelSoft = context.WithDeadlineCause(ctx, soft, errOutOfTime)
	w.late, cancelLate = context.WithDeadlineCause(context.WithoutCancel(ctx), soft.Add(w.margin/2), errOutOfTime)
	w.phase = sync.OnceValue(w.askPhase)
	return w, func() { cancelSoft(); cancelLate() }
}

// responseMargin returns how much of the time that is left is the answer's.
func responseMargin(option, left time.Duration) time.Duration {
	if option == 0 {
		option = min(max(left/10, 250*time.Millisecond), 10*time.Second)
	}
	return min(option, left/2)
}

// connect opens the connection for the answer while the handler works.
func (w *work) connect(c response.Connector) {
	var g guard
	f := g.run(w.ctx, "connecting", func(ctx context.Context) error { return c.Connect(ctx, w.ev.url) })
	if f != nil && w.ctx.Err() == nil {
		w.log(slog.LevelWarn, "there is no connection to CloudFormation's response bucket yet", slog.String("error", f.text))
	}
}

// deliver sends the answer. Only if that fails does the invocation fail:
// then the event comes again, and with it another chance to answer.
func (w *work) deliver(ctx context.Context, sender response.Sender, body []byte) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), w.hard)
	defer cancel()
	var err error
	f := w.guard.run(ctx, "sending", func(ctx context.Context) error {
		err = sender.Send(ctx, w.ev.url, body)
		return err
	})
	if f == nil {
		return nil
	}
	if f.abandoned || err == nil {
		err = errors.New(f.text)
	}
	var refused *response.StatusError
	if w.ev.died != "" && (w.ev.tooOld(time.Now()) != nil || errors.As(err, &refused)) {
		w.log(slog.LevelWarn, "CloudFormation no longer waits for the answer", slog.String("error", err.Error()))
		return nil
	}
	return fmt.Errorf("%s of %s was handled, but its answer was not delivered: %w", w.ev.requestType, w.ev.request, err)
}

// answer returns the body of the event's answer, whatever happens.
func (w *work) answer() (body []byte) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			body = w.fail(failed(CodeInternalFailure, "panic in the SDK: %v", r))
		}
	}()
	if w.ev.requestType == "Delete" && w.ev.physicalID == physicalid.NotCreated {
		body, _ = w.succeed(w.ev.physicalID, nil)
		return body
	}
	var err error
	if w.res, err = w.mux.resource(w.ev.request.ResourceType); err != nil {
		return w.fail(w.refuse(err))
	}
	p, f := w.read(w.ev.properties)
	if f != nil {
		return w.fail(f)
	}
	w.stable = w.stableID(p)

	leave := w.mux.gate.enter(w.ctx, string(w.ev.request.StackID)+"|"+w.ev.request.LogicalID)
	if leave == nil {
		return w.fail(&failure{code: CodeResourceConflict, unknown: true,
			text: "the request before this one still runs: its handler does not return when its context ends"})
	}
	defer func() { w.guard.after(leave) }()
	if body, ok := w.mux.memory.get(w.ev.raw); ok && w.ev.died == "" {
		return body
	}
	if body, f = w.plan(p); f != nil {
		body = w.fail(f)
	}
	w.mux.memory.put(w.ev.raw, body)
	return body
}

// plan leads an event to the rules for its type.
func (w *work) plan(p *reading) ([]byte, *failure) {
	if w.ev.err != nil {
		return nil, w.refuse(w.ev.err)
	}
	if w.ev.died != "" {
		return nil, &failure{code: CodeInternalFailure, text: w.ev.died, unknown: true}
	}
	if err := w.ev.tooOld(w.start); err != nil {
		return nil, w.refuse(err)
	}
	switch w.ev.requestType {
	case "Create":
		return w.create(p)
	case "Update":
		return w.update(p)
	default:
		return w.delete(p)
	}
}

// refuse is the failure of an event for which nothing was done.
func (w *work) refuse(err error) *failure {
	w.refused = true
	return &failure{code: CodeInvalidRequest, text: err.Error()}
}

func (w *work) askPhase() lifecycle.Phase {
	if w.mux.opts.Phase == nil {
		return lifecycle.PhaseUnknown
	}
	ctx, cancel := context.WithTimeout(w.ctx, 2*time.Second)
	defer cancel()
	var g guard
	var phase lifecycle.Phase
	f := g.run(ctx, "Options.Phase", func(ctx context.Context) (err error) {
		phase, err = w.mux.opts.Phase(ctx, w.ev.request)
		return err
	})
	if f != nil {
		w.log(slog.LevelWarn, "why this request came is not known", slog.String("error", f.text))
		return lifecycle.PhaseUnknown
	}
	return phase
}
