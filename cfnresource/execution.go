package cfnresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/gate"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// An execution is the handling of one event, from its arrival to the delivery of
// its answer. Package rules decides what is done for the event, through the methods
// in effects.go.
type execution struct {
	d        *Dispatcher
	ev       *event.Event
	key      gate.Key // by which its answer is remembered
	request  Request  // what the event is about
	resource resource
	registry *hook.Registry // or nil

	props, old *decoded
	stableID   string
	redactor   *redact.Redactor // of the secrets that were read

	guard     guard.Guard
	continues bool // another invocation may go on with what waits
	clock     clock
	phase     *eventPhase
	tries     tries
	result    result
}

// connectionKept is how long the connection of an answer is assumed to stay open.
const connectionKept = 3 * time.Second

var errUnanswerable = errors.New("cannot be answered")

// handle answers one event.
func (d *Dispatcher) handle(ctx context.Context, ev *event.Event) error {
	sender := d.sender
	if s, ok := hook.Sender(ctx); ok {
		sender = s
	}
	x := d.newExecution(ctx, ev)
	defer func() { x.clock.cancel() }()
	g := guard.Guard{Grace: x.clock.Margin / 20}
	_, g.Trusted = sender.(*response.HTTPSender) // another one is the user's code
	// An invocation that is cancelled already can still be answered. It must
	// return before Lambda ends the process: the memory of what was done is in it.
	sending, cancel := context.WithDeadline(x.clock.invocation, x.clock.Deadline.Add(-x.clock.Margin/5))
	defer cancel()
	if connector, ok := sender.(response.Connector); ok {
		f := g.Run(sending, "the Sender's Check", func(context.Context) error { return connector.Check(ev.URL) })
		if f != nil {
			return fmt.Errorf("%s of %s is not handled, since it %w: %s", ev.Type, x.request, errUnanswerable, x.redactDelivery(f.Text))
		}
		if time.Since(time.Unix(0, d.delivered.Load())) > connectionKept {
			go x.connect(x.clock.handler, connector)
			runtime.Gosched() // connecting takes longer than what is done before the handler is called
		}
	}
	body := x.answer()
	logged := x.result.log() // while the answer is on its way
	defer logged()
	if body == nil {
		return x.result.err
	}
	return x.deliver(sending, g, sender, body)
}

func (d *Dispatcher) newExecution(ctx context.Context, ev *event.Event) *execution {
	x := &execution{
		d:         d,
		ev:        ev,
		key:       gate.KeyOf(ev.Raw),
		request:   requestOf(ev),
		registry:  hook.RegistryOf(ctx),
		continues: d.opts.Continue != nil && ev.Chain.Links < event.MaxLinks,
		clock:     newClock(ctx, ev, d.opts.ResponseMargin),
		redactor:  new(redact.Redactor),
		tries:     tries{backoff: newBackoff()},
	}
	if x.registry != nil {
		x.redactor = x.registry.Redactor
	}
	x.guard.Grace = x.clock.Margin / 4
	x.phase = newEventPhase(ev.Chain, x.askPhase, x.warnOfPhase)
	x.clock.handler = x.withInvocation(x.clock.handler) //nolint:fatcontext // once an event
	return x
}

// connect opens the connection for the answer while the handler works.
func (x *execution) connect(ctx context.Context, c response.Connector) {
	g := guard.Guard{Trusted: true} // nothing waits for it
	f := g.Run(ctx, "connecting", func(ctx context.Context) error { return c.Connect(ctx, x.ev.URL) })
	if f != nil && ctx.Err() == nil {
		x.log(slog.LevelWarn, "there is no connection to CloudFormation's response bucket yet", slog.String("error", x.redactDelivery(f.Text)))
	}
}

// redactDelivery is redact for the error of one who was given the signed URL, which
// errors of net/http hold.
func (x *execution) redactDelivery(text string) string {
	x.redactor.Add(x.ev.Signature())
	return x.redact(text)
}

// answer returns the body of the event's answer. It does not panic.
func (x *execution) answer() (body []byte) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			x.result.cause = failed(CodeInternalFailure, "panic in the SDK")
			body = x.fail(rules.Answer{ID: cmp.Or(x.ev.PhysicalID, x.stableID, physicalid.NotCreated), Why: fmt.Sprintf("panic in the SDK: %v", r)})
		}
	}()
	if x.ev.Type == string(lifecycle.Delete) && x.ev.PhysicalID == physicalid.NotCreated {
		return x.encode(rules.Handle(rules.Facts{Type: lifecycle.Delete}, x))
	}
	refused := x.prepare()
	if body, ok := x.remembered(); ok {
		return body
	}
	if x.result.err != nil {
		return nil
	}
	if refused == nil {
		leave, duplicate := x.enter()
		if duplicate {
			x.result.err = fmt.Errorf("%s of %s is not done: another invocation of this process works on the same request", x.ev.Type, x.request)
			return nil
		}
		if leave == nil {
			refused = unknown(CodeResourceConflict, "the request before this one still runs: its handler does not return when its context ends")
		} else {
			defer func() { x.guard.After(leave) }()
		}
		if body, ok := x.remembered(); ok {
			return body
		}
	}
	facts := x.facts(refused)
	x.clock.looked = time.Now()
	body = x.encode(rules.Handle(facts, x))
	if facts.Refused.End == rules.Done && body != nil {
		x.d.memory.Put(x.key, body, x.result.body != nil)
	}
	return body
}

// remembered returns the answer that this process has given to the same event.
func (x *execution) remembered() (body []byte, ok bool) {
	if x.ev.Died != "" {
		return nil, false
	}
	if body, ok = x.d.memory.Get(x.key); ok {
		x.result.report = func() func() { return x.startLog(slog.LevelInfo, x.ev.Type+" is answered again as before") }
	}
	return body, ok
}

// enter waits while this process works on another request for the same resource.
// It returns nil if that request does not end in time. A Delete waits for half of
// its time, and then goes on: a handler that hangs must not block a stack.
//
// duplicate says that the other request is the same one, which may go on in another
// invocation: an answer of this one would end what goes well.
func (x *execution) enter() (leave func(), duplicate bool) {
	ctx := x.clock.handler
	isDelete := x.ev.Type == string(lifecycle.Delete)
	if isDelete {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Until(x.clock.Deadline)/2)
		defer cancel()
	}
	var request string // it matters only where other invocations go on
	if x.d.opts.Continue != nil {
		request = x.ev.RequestID + "|" + x.ev.URL.String()
	}
	leave, busy := x.d.gate.Enter(ctx, x.ev.StackID+"|"+x.ev.LogicalID, request)
	if leave == nil && request != "" && busy == request {
		return nil, true
	}
	if leave == nil && isDelete {
		x.log(slog.LevelWarn, "the request before this Delete still runs: what it makes from now on stays behind")
		return func() {}, false
	}
	return leave, false
}

// deliver sends the answer. If that fails, the invocation fails, so that Lambda
// delivers the event again.
func (x *execution) deliver(ctx context.Context, g guard.Guard, sender response.Sender, body []byte) error {
	expired := false
	f := g.Run(ctx, "sending", func(ctx context.Context) error {
		err := sender.Send(ctx, x.ev.URL, body)
		refused, ok := errors.AsType[*response.StatusError](err)
		expired = ok && refused.StatusCode == http.StatusForbidden
		return err
	})
	if f == nil {
		x.d.delivered.Store(time.Now().UnixNano())
		x.d.memory.Delivered(x.key)
		return nil
	}
	text := x.redactDelivery(f.Text)
	awaited := x.ev.TooOld(time.Now()) == nil && (f.Abandoned || !expired)
	if x.ev.Died != "" && !awaited {
		x.log(slog.LevelWarn, "CloudFormation no longer waits for the answer", slog.String("error", text))
		return nil
	}
	return fmt.Errorf("%s of %s was handled, but its answer was not delivered: %s", x.ev.Type, x.request, text)
}

// log writes a record about the event. Before the answer is sent, it takes at most
// a quarter of the time that is left.
func (x *execution) log(level slog.Level, message string, attrs ...slog.Attr) {
	x.startLog(level, message, attrs...)()
}

func (x *execution) startLog(level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	limit := logLimit
	if left := time.Until(x.clock.Deadline); left > 0 {
		limit = min(limit, max(left/4, minLogLimit))
	}
	return x.d.startLog(x.clock.invocation, limit, level, message, append(attrs, slog.Attr{Key: "resource", Value: x.request.LogValue()})...)
}
