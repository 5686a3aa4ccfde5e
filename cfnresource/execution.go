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
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// An execution is the handling of one event, from its arrival to the delivery of its answer.
// Package rules decides what is done for the event, through the methods in effects.go.
type execution struct {
	d        *Dispatcher
	ev       *event.Event
	key      eventKey // by which its answer is remembered
	request  Request  // what the event is about
	resource resource
	registry *hook.Registry // or nil

	props, old *decoded
	stableID   string
	redactor   *redact.Redactor // of the secrets that were read

	guard     guard.Guard
	continues bool // another invocation may go on with what waits
	clock     clock
	phase     eventPhase
	tries     tries
	result    result
}

const (
	connectionKept = 3 * time.Second       // for which the connection of an answer is assumed to stay open
	minLogLimit    = 10 * time.Millisecond // what a logger has, however little time is left for an answer
)

var errUnanswerable = errors.New("cannot be answered")

// handle answers one event.
func (d *Dispatcher) handle(ctx context.Context, ev *event.Event) error {
	sender := d.sender
	if s, ok := hook.Sender(ctx); ok {
		sender = s
	}
	e := d.newExecution(ctx, ev)
	defer func() { e.clock.cancel() }()
	g := guard.Guard{Grace: e.clock.Margin / 20}
	_, g.Trusted = sender.(*response.HTTPSender) // another one is the user's code
	// An invocation that is cancelled already can still be answered. It must
	// return before Lambda ends the process: the memory of what was done is in it.
	sending, cancel := context.WithDeadline(e.clock.invocation, e.clock.Deadline.Add(-e.clock.Margin/5))
	defer cancel()
	if connector, ok := sender.(response.Connector); ok {
		f := g.Run(sending, "the Sender's Check", func(context.Context) error { return connector.Check(ev.URL) })
		if f != nil {
			return fmt.Errorf("%s of %s is not handled, since it %w: %s", ev.Type, e.request, errUnanswerable, e.redactDelivery(f.Text))
		}
		if time.Since(time.Unix(0, d.delivered.Load())) > connectionKept {
			go e.connect(e.clock.handler, connector)
			runtime.Gosched() // connecting takes longer than the work before the handler is called
		}
	}
	body := e.answer()
	if r := e.result.report; r.message != "" {
		defer e.startLog(r.level, r.message, r.attrs...)() // while the answer is on its way
	}
	if body == nil {
		return e.result.err
	}
	return e.deliver(sending, g, sender, body)
}

func (d *Dispatcher) newExecution(ctx context.Context, ev *event.Event) *execution {
	redactor := redact.FromContext(ctx) // package registry's, or nil
	if redactor == nil {
		redactor = redact.New(&d.secrets)
		ctx = redact.NewContext(ctx, redactor)
	}
	e := &execution{
		d:         d,
		ev:        ev,
		key:       eventKeyOf(ev.Raw),
		request:   requestOf(ev),
		registry:  hook.RegistryOf(ctx),
		continues: d.opts.Continue != nil && ev.Chain.Links < event.MaxLinks,
		clock:     newClock(ctx, ev, d.opts.ResponseMargin),
		redactor:  redactor,
		tries:     tries{backoff: newBackoff(ctx), ended: time.Now()},
	}
	e.guard.Grace = e.clock.Margin / 4
	e.phase = newEventPhase(ev.Chain, e)
	e.clock.handler = context.WithValue(e.clock.handler, invocationKey{}, invocation{execution: e}) //nolint:fatcontext // once an event
	return e
}

// connect opens the connection for the answer while the handler works.
func (e *execution) connect(ctx context.Context, c response.Connector) {
	g := guard.Guard{Trusted: true} // nothing waits for it
	f := g.Run(ctx, "connecting", func(ctx context.Context) error { return c.Connect(ctx, e.ev.URL) })
	if f != nil && ctx.Err() == nil {
		e.log(slog.LevelWarn, "there is no connection to CloudFormation's response bucket yet", slog.String("error", e.redactDelivery(f.Text)))
	}
}

// redactDelivery is redact for the errors of code that gets the signed URL: errors of
// net/http hold it.
func (e *execution) redactDelivery(text string) string {
	e.redactor.Add(e.ev.Signature())
	return e.redact(text)
}

// answer returns the body of the event's answer. It does not panic.
func (e *execution) answer() (body []byte) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			e.result.failure = failed(CodeInternalFailure, "panic in the SDK")
			body = e.fail(rules.Answer{ID: cmp.Or(e.ev.PhysicalID, e.stableID, physicalid.NotCreated), Reason: fmt.Sprintf("panic in the SDK: %v", r)})
		}
	}()
	if e.ev.Type == string(lifecycle.Delete) && e.ev.PhysicalID == physicalid.NotCreated {
		return e.encode(rules.Handle(rules.Facts{Type: lifecycle.Delete}, e))
	}

	// A refusal, and an answer given before, need no turn.
	refused := e.prepare()
	if body, ok := e.remembered(); ok {
		return body
	}
	if e.result.err != nil {
		return nil
	}

	// Its turn, which may come after that of the same event.
	if refused == nil {
		leave, duplicate := e.enter()
		if duplicate {
			e.result.err = fmt.Errorf("%s of %s is not done: another invocation of this process works on the same request", e.ev.Type, e.request)
			return nil
		}
		if leave == nil {
			refused = unknown(CodeResourceConflict, "the request before this one still runs: its handler does not return when its context ends")
		} else {
			defer func() { e.guard.After(leave) }()
		}
		if body, ok := e.remembered(); ok {
			return body
		}
	}

	// The decision, and the work that it asks for.
	facts := e.facts(refused)
	e.clock.looked = time.Now()
	body = e.encode(rules.Handle(facts, e))
	if facts.Refused.End == rules.Done && body != nil {
		e.d.memory.put(e.key, body, e.result.body != nil)
	}
	return body
}

// remembered returns the answer that this process has given to the same event.
func (e *execution) remembered() (body []byte, ok bool) {
	if e.ev.Died != "" {
		return nil, false
	}
	if body, ok = e.d.memory.get(e.key); ok {
		e.result.report = report{level: slog.LevelInfo, message: e.ev.Type + " is answered again as before"}
	}
	return body, ok
}

// enter waits while this process works on another request for the same resource.
// It returns nil if that request does not end in time. A Delete waits for half of
// its time, and then goes on: a handler that hangs must not block a stack.
//
// duplicate says that the other request is the same one, which may go on in another
// invocation: an answer of this one would end a request that goes well.
func (e *execution) enter() (leave func(), duplicate bool) {
	ctx := e.clock.handler
	isDelete := e.ev.Type == string(lifecycle.Delete)
	if isDelete {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Until(e.clock.Deadline)/2)
		defer cancel()
	}
	var request string // it matters only where other invocations go on
	if e.d.opts.Continue != nil {
		request = e.ev.RequestID + "|" + e.ev.URL.String()
	}
	leave, busy := e.d.gate.enter(ctx, e.ev.StackID+"|"+e.ev.LogicalID, request)
	if leave == nil && request != "" && busy == request {
		return nil, true
	}
	if leave == nil && isDelete {
		e.log(slog.LevelWarn, "the request before this Delete still runs: a thing that it makes from now on stays behind")
		return func() {}, false
	}
	return leave, false
}

// deliver sends the answer. If that fails, the invocation fails, so that Lambda
// delivers the event again.
func (e *execution) deliver(ctx context.Context, g guard.Guard, sender response.Sender, body []byte) error {
	expired := false
	f := g.Run(ctx, "sending", func(ctx context.Context) error {
		err := sender.Send(ctx, e.ev.URL, body)
		refused, ok := errors.AsType[*response.StatusError](err)
		expired = ok && refused.StatusCode == http.StatusForbidden
		return err
	})
	if f == nil {
		e.d.delivered.Store(time.Now().UnixNano())
		if e.ev.Type != string(lifecycle.Create) || e.registry != nil {
			e.d.memory.delivered(e.key)
		}
		return nil
	}
	text := e.redactDelivery(f.Text)
	mayStillWork := f.Abandoned || !expired // in this order: an abandoned Send may be setting expired now
	awaited := mayStillWork && e.ev.TooOld(time.Now()) == nil
	if e.ev.Died != "" && !awaited {
		e.log(slog.LevelWarn, "CloudFormation no longer waits for the answer", slog.String("error", text))
		return nil
	}
	return fmt.Errorf("%s of %s was handled, but its answer was not delivered: %s", e.ev.Type, e.request, text)
}

// log writes a record about the event. Before the answer is sent, it takes at most
// a quarter of the time that is left.
func (e *execution) log(level slog.Level, message string, attrs ...slog.Attr) {
	e.startLog(level, message, attrs...)()
}

func (e *execution) startLog(level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	limit := guard.LogLimit
	if left := time.Until(e.clock.Deadline); left > 0 {
		limit = min(limit, max(left/4, minLogLimit))
	}
	return e.d.startLog(e.clock.invocation, limit, level, message, append(attrs, slog.Any("resource", e.request))...)
}

// tries keeps what later calls of the handler's methods need to know of earlier ones.
type tries struct {
	failure   *failure             // of the last call, or nil
	ended     time.Time            // when the last Create or Update returned, or the event arrived; of an undo that waited, the end of the wait
	questions int                  // how often the stack was asked again why the event came
	backoff   guard.Backoff        // of the tries that the rules ask for
	cutOff    *waitError           // the Poll that waited until the invocation's end, or nil
	deletes   map[string]int       // how many requests to delete it there were, by physical ID
	denied    map[string]time.Time // when a method was denied first, if it still is
}

// noteDenial notes whether a call of a method was denied. The text of a denial that
// goes on says for how long.
func (t *tries) noteDenial(method string, f *failure) {
	if f == nil || f.code != CodeAccessDenied {
		delete(t.denied, method)
		return
	}
	now := time.Now()
	first, again := t.denied[method]
	if again {
		f.Text += fmt.Sprintf(" (still denied after %s)", now.Sub(first).Round(time.Second))
		return
	}
	if t.denied == nil {
		t.denied = make(map[string]time.Time)
	}
	t.denied[method] = now
}

// retryAfter returns how long the service asked to wait after the last call, or 0.
func (t *tries) retryAfter() time.Duration {
	if t.failure == nil {
		return 0
	}
	return t.failure.retryAfter
}

// deletion returns the number of the request that deletes a resource. If the request
// is not repeated, the next one has the same number.
func (t *tries) deletion(id string, once bool) int {
	n := t.deletes[id]
	if t.deletes == nil {
		t.deletes = make(map[string]int)
	}
	if !once {
		t.deletes[id]++
	}
	return n
}

// A result is what an event has come to so far.
type result struct {
	body    []byte   // of SUCCESS, with the Data of the last call; nil if there is none
	failure *failure // of a FAILED answer; nil if the rules themselves refused
	ignored *failure // of a Delete, where the event succeeds nevertheless
	err     error    // of the invocation, if another one may answer the event
	report  report
}

// A report is the record of how an event ended. It has no message if there is none.
type report struct {
	level   slog.Level
	message string
	attrs   []slog.Attr
}

// code returns the code of the failure, or "".
func (r *result) code() Code {
	if r.failure == nil {
		return ""
	}
	return r.failure.code
}
