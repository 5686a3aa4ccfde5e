package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/budget"
	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/gate"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/track"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// A work is the handling of one event, from its arrival to its answer.
type work struct {
	mux   *Mux
	ev    *event.Event
	key   gate.Key // what the event is remembered by
	id    Request  // what the event is about
	res   resource
	guard guard.Guard

	start   time.Time
	timeout time.Duration          // the function's, or 0 if it has none
	hard    time.Time              // when the answer must have arrived
	margin  time.Duration          // the part before hard that is the answer's
	ctx     context.Context        // the handler's, ends a margin before hard
	late    context.Context        // for the user's code in building the answer, ends half a margin later
	phase   func() lifecycle.Phase // asks at the first call
	blind   sync.Once              // reports that the phase cannot be told

	redactor properties.Redactor
	stable   string // the StableID of the event's properties, once they are read
	tracker  track.ID

	replacing bool   // the Update calls Create, or adopts
	asked     bool   // Create asked for its StableID
	made      string // what Create tracked or returned, or what was adopted
	adopted   bool   // made was there before
	undone    bool   // made was deleted again
	refused   bool   // nothing was made that is this resource's
	again     bool   // a Delete removes for the second time
}

var errUnanswerable = errors.New("cannot be answered")

// handle answers one event. Everything that an event can lead to comes
// through here.
func (m *Mux) handle(ctx context.Context, ev *event.Event) error {
	sender := m.sender
	if s, ok := response.SenderFrom(ctx); ok {
		sender = s
	}
	w, cancel := m.newWork(ctx, ev)
	defer cancel()
	g := guard.Guard{Grace: w.margin / 20}
	_, g.Trusted = sender.(*response.HTTPSender) // another one is the user's code
	if connector, ok := sender.(response.Connector); ok {
		f := g.Run(w.ctx, "the Sender's Check", func(context.Context) error { return connector.Check(ev.URL) })
		if f != nil {
			return fmt.Errorf("%s of %s is not handled, since it %w: %s", ev.Type, w.id, errUnanswerable, f.Text)
		}
		go w.connect(connector)
		runtime.Gosched() // the way to the bucket is longer than the work before the handler
	}
	return w.deliver(ctx, g, sender, w.answer())
}

func (m *Mux) newWork(ctx context.Context, ev *event.Event) (w *work, cancel func()) {
	now := time.Now()
	awaited := ev.Deadline(now)
	if !awaited.After(now) {
		awaited = now.Add(ev.ServiceTimeout)
	}
	b, ctx := budget.Of(ctx, now, awaited, m.opts.ResponseMargin)
	w = &work{mux: m, ev: ev, key: gate.KeyOf(ev.Raw), id: requestOf(ev), start: now, timeout: b.Timeout, hard: b.Hard, margin: b.Margin}
	w.guard.Grace = w.margin / 4

	soft := w.hard.Add(-w.margin)
	var cancelSoft, cancelLate func()
	w.ctx, cancelSoft = context.WithDeadlineCause(ctx, soft, guard.ErrOutOfTime)
	w.late, cancelLate = context.WithDeadlineCause(context.WithoutCancel(ctx), soft.Add(w.margin/2), guard.ErrOutOfTime)
	w.phase = sync.OnceValue(w.askPhase)
	return w, func() { cancelSoft(); cancelLate() }
}

// connect opens the connection for the answer while the handler works.
func (w *work) connect(c response.Connector) {
	g := guard.Guard{Trusted: true} // nobody waits for it
	f := g.Run(w.ctx, "connecting", func(ctx context.Context) error { return c.Connect(ctx, w.ev.URL) })
	if f != nil && w.ctx.Err() == nil {
		w.log(slog.LevelWarn, "there is no connection to CloudFormation's response bucket yet", slog.String("error", f.Text))
	}
}

// deliver sends the answer. Only if that fails does the invocation fail:
// then the event comes again, and with it another chance to answer.
func (w *work) deliver(ctx context.Context, g guard.Guard, sender response.Sender, body []byte) error {
	// Invoke must return before Lambda ends the process: the memory of what was
	// done is in it.
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), w.hard.Add(-w.margin/5))
	defer cancel()
	expired := false
	f := g.Run(ctx, "sending", func(ctx context.Context) error {
		err := sender.Send(ctx, w.ev.URL, body)
		refused, ok := errors.AsType[*response.StatusError](err)
		expired = ok && refused.StatusCode == http.StatusForbidden
		return err
	})
	if f == nil {
		return nil
	}
	if w.ev.Died != "" && (w.ev.TooOld(time.Now()) != nil || !f.Abandoned && expired) {
		w.log(slog.LevelWarn, "CloudFormation no longer waits for the answer", slog.String("error", w.strike(f.Text)))
		return nil
	}
	return fmt.Errorf("%s of %s was handled, but its answer was not delivered: %s", w.ev.Type, w.id, w.strike(f.Text))
}

// answer returns the body of the event's answer, whatever happens.
func (w *work) answer() (body []byte) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			body = w.fail(failed(CodeInternalFailure, "panic in the SDK: %v", r))
		}
	}()
	var err error
	var p *reading
	var f *failure
	if w.ev.Type == "Delete" && w.ev.PhysicalID == physicalid.NotCreated {
		if body, f = w.succeed(w.ev.PhysicalID, nil); f != nil {
			body = w.fail(f)
		}
		return body
	}
	if w.res, err = w.mux.resource(w.ev.ResourceType); w.res != nil {
		if p, f = w.read(w.ev.Properties); f != nil {
			return w.fail(f)
		}
		w.stable = w.stableID(p)
	}
	if err != nil && w.ev.Died == "" {
		return w.fail(w.refuse(err))
	} else if err != nil { // the function that died may have been another version
		return w.fail(unknown(CodeInternalFailure, w.ev.Died+"; "+err.Error()))
	}

	if body, ok := w.remembered(); ok {
		return body
	}
	leave := w.enter()
	if leave == nil {
		return w.fail(unknown(CodeResourceConflict, "the request before this one still runs: its handler does not return when its context ends"))
	}
	defer func() { w.guard.After(leave) }()
	if body, ok := w.remembered(); ok {
		return body
	}
	if body, f = w.plan(p); f != nil {
		body = w.fail(f)
	}
	w.mux.memory.Put(w.key, body)
	return body
}

// remembered returns the answer that this process gave to the same event.
func (w *work) remembered() (body []byte, ok bool) {
	if w.ev.Died != "" {
		return nil, false
	}
	return w.mux.memory.Get(w.key)
}

// enter waits for the request before this one, if this process still works on
// it. It returns nil if that does not end in time. A Delete goes on after half
// of its time: a handler that hangs for ever must not keep a stack.
func (w *work) enter() (leave func()) {
	ctx := w.ctx
	if w.ev.Type == "Delete" {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Until(w.hard)/2)
		defer cancel()
	}
	leave = w.mux.gate.Enter(ctx, w.ev.StackID+"|"+w.ev.LogicalID)
	if leave == nil && w.ev.Type == "Delete" {
		w.log(slog.LevelWarn, "the request before this Delete still runs: what it makes from now on stays behind")
		return func() {}
	}
	return leave
}

// plan leads an event to the rules for its type.
func (w *work) plan(p *reading) ([]byte, *failure) {
	if w.ev.Err != nil {
		return nil, w.refuse(w.ev.Err)
	}
	if w.ev.Died != "" {
		_, _ = w.read(w.ev.OldProperties) // for what they hold that is secret
		return nil, unknown(CodeInternalFailure, w.ev.Death())
	}
	if err := w.ev.TooOld(w.start); err != nil {
		return nil, w.refuse(err)
	}
	if f := w.overdue(); f != nil {
		return nil, f
	}
	switch w.ev.Type {
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
	return failed(CodeInvalidRequest, "%s", err)
}
