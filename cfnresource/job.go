package cfnresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/gate"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// A job is one event, from its arrival to the delivery of its answer. What is
// done for it is asked by package rules, through the methods in effects.go.
type job struct {
	d     *Dispatcher
	ev    *event.Event
	key   gate.Key // what the event is remembered by
	id    Request  // what the event is about
	res   resource
	guard guard.Guard

	start   time.Time
	began   time.Time              // when the rules began, and so their first look
	timeout time.Duration          // the function's, or 0 if it has none
	hard    time.Time              // when the answer must have arrived
	margin  time.Duration          // the part before hard that is the answer's
	ctx     context.Context        // the handler's, ends a margin before hard
	base    context.Context        // the invocation's, without its end
	phase   func() lifecycle.Phase // asks at the first call
	blind   sync.Once              // reports that the phase cannot be told

	redactor    properties.Redactor // of the secrets that were read
	props, old  *reading
	stable      string
	body        []byte        // of SUCCESS, with the Data of the last call; nil if there is none
	last        *failure      // of the last call, or nil
	cause       *failure      // of a FAILED answer, for the log
	unsent      error         // of an event that another invocation may answer
	asked       bool          // Phase was
	continues   bool          // another invocation may go on with what waits
	ignored     *failure      // of a Delete, if the event succeeds all the same
	ended       time.Time     // when the last Create or Update returned
	pauses      guard.Backoff // of the tries that the rules ask for
	timesDelete map[string]int
	report      func() (wait func()) // logs how the event ended
	registry    *hook.Registry       // or nil
	cancel      func()               // ends ctx
}

// warm is how long after an answer its connection is taken to be open still.
const warm = 3 * time.Second

var errUnanswerable = errors.New("cannot be answered")

// handle answers one event. Everything that an event can lead to comes
// through here.
func (d *Dispatcher) handle(ctx context.Context, ev *event.Event) error {
	sender := d.sender
	if s, ok := hook.Sender(ctx); ok {
		sender = s
	}
	j := d.newJob(ctx, ev)
	defer func() { j.cancel() }()
	g := guard.Guard{Grace: j.margin / 20}
	_, g.Trusted = sender.(*response.HTTPSender) // another one is the user's code
	// An invocation that is cancelled already can still be answered. It must
	// return before Lambda ends the process: the memory of what was done is in it.
	sending, cancel := context.WithDeadline(j.base, j.hard.Add(-j.margin/5))
	defer cancel()
	if connector, ok := sender.(response.Connector); ok {
		f := g.Run(sending, "the Sender's Check", func(context.Context) error { return connector.Check(ev.URL) })
		if f != nil {
			return fmt.Errorf("%s of %s is not handled, since it %w: %s", ev.Type, j.id, errUnanswerable, j.strike(f.Text))
		}
		if time.Since(time.Unix(0, d.delivered.Load())) > warm {
			go j.connect(j.ctx, connector)
			runtime.Gosched() // the way to the bucket is longer than the work before the handler
		}
	}
	body := j.answer()
	logged := j.report() // while the answer is on its way
	defer logged()
	if body == nil {
		return j.unsent
	}
	return j.deliver(sending, g, sender, body)
}

func (d *Dispatcher) newJob(ctx context.Context, ev *event.Event) *job {
	now := time.Now()
	awaited := ev.Deadline(now)
	if !awaited.After(now) {
		awaited = now.Add(ev.ServiceTimeout)
	}
	b, ctx := guard.BudgetOf(ctx, now, awaited, d.opts.ResponseMargin)
	j := &job{d: d, ev: ev, key: gate.KeyOf(ev.Raw), id: requestOf(ev), start: now, timeout: b.Timeout, hard: b.Hard, margin: b.Margin}
	j.guard.Grace = j.margin / 4
	j.registry = hook.RegistryOf(ctx)
	j.pauses, j.report = pauses(), func() func() { return func() {} }

	j.base = context.WithoutCancel(ctx)
	j.ctx, j.cancel = context.WithDeadlineCause(ctx, j.soft(), guard.ErrOutOfTime)
	j.phase = sync.OnceValue(func() lifecycle.Phase { return j.askPhase("") })
	if j.continues = d.opts.Continue != nil && ev.Chain.Links < event.MaxLinks; j.continues {
		j.ctx = context.WithValue(j.ctx, awaitedKey{}, j.awaited)
	}
	return j
}

// soft returns when the handler's time ends.
func (j *job) soft() time.Time { return j.hard.Add(-j.margin) }

// connect opens the connection for the answer while the handler works.
func (j *job) connect(ctx context.Context, c response.Connector) {
	g := guard.Guard{Trusted: true} // nobody waits for it
	f := g.Run(ctx, "connecting", func(ctx context.Context) error { return c.Connect(ctx, j.ev.URL) })
	if f != nil && ctx.Err() == nil {
		j.log(slog.LevelWarn, "there is no connection to CloudFormation's response bucket yet", slog.String("error", j.strike(f.Text)))
	}
}

// answer returns the body of the event's answer, whatever happens.
func (j *job) answer() (body []byte) {
	defer func() {
		if r := recover(); r != nil { // a bug of this package's
			j.cause = failed(CodeInternalFailure, "panic in the SDK")
			body = j.fail(rules.Answer{ID: cmp.Or(j.ev.PhysicalID, j.stable, physicalid.NotCreated), Why: fmt.Sprintf("panic in the SDK: %v", r)})
		}
	}()
	if j.ev.Type == string(lifecycle.Delete) && j.ev.PhysicalID == physicalid.NotCreated {
		return j.encode(rules.Handle(rules.Facts{Type: lifecycle.Delete}, j))
	}
	refused := j.prepare()
	if body, ok := j.remembered(); ok {
		return body
	}
	if refused == nil {
		leave := j.enter()
		if leave == nil {
			refused = unknown(CodeResourceConflict, "the request before this one still runs: its handler does not return when its context ends")
		} else {
			defer func() { j.guard.After(leave) }()
		}
		if body, ok := j.remembered(); ok {
			return body
		}
	}
	facts := j.facts(refused)
	j.began = time.Now()
	body = j.encode(rules.Handle(facts, j))
	if facts.Refused.End == rules.Done && body != nil {
		j.d.memory.Put(j.key, body, j.body != nil)
	}
	return body
}

// remembered returns the answer that this process gave to the same event.
func (j *job) remembered() (body []byte, ok bool) {
	if j.ev.Died != "" {
		return nil, false
	}
	if body, ok = j.d.memory.Get(j.key); ok {
		j.report = func() func() { return j.startLog(slog.LevelInfo, j.ev.Type+" is answered again as before") }
	}
	return body, ok
}

// enter waits for the request before this one, if this process still works on
// it. It returns nil if that does not end in time. A Delete goes on after half
// of its time: a handler that hangs for ever must not keep a stack.
func (j *job) enter() (leave func()) {
	ctx := j.ctx
	isDelete := j.ev.Type == string(lifecycle.Delete)
	if isDelete {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Until(j.hard)/2)
		defer cancel()
	}
	leave = j.d.gate.Enter(ctx, j.ev.StackID+"|"+j.ev.LogicalID)
	if leave == nil && isDelete {
		j.log(slog.LevelWarn, "the request before this Delete still runs: what it makes from now on stays behind")
		return func() {}
	}
	return leave
}

// deliver sends the answer. Only if that fails does the invocation fail: then
// the event comes again, and with it another chance to answer.
func (j *job) deliver(ctx context.Context, g guard.Guard, sender response.Sender, body []byte) error {
	expired := false
	f := g.Run(ctx, "sending", func(ctx context.Context) error {
		err := sender.Send(ctx, j.ev.URL, body)
		refused, ok := errors.AsType[*response.StatusError](err)
		expired = ok && refused.StatusCode == http.StatusForbidden
		return err
	})
	if f == nil {
		j.d.delivered.Store(time.Now().UnixNano())
		j.d.memory.Delivered(j.key)
		return nil
	}
	text := j.strike(f.Text)
	awaited := j.ev.TooOld(time.Now()) == nil && (f.Abandoned || !expired)
	if j.ev.Died != "" && !awaited {
		j.log(slog.LevelWarn, "CloudFormation no longer waits for the answer", slog.String("error", text))
		return nil
	}
	return fmt.Errorf("%s of %s was handled, but its answer was not delivered: %s", j.ev.Type, j.id, text)
}

// log writes a record about the event. Until that is answered, it takes no more
// than a quarter of the time left.
func (j *job) log(level slog.Level, message string, attrs ...slog.Attr) {
	j.startLog(level, message, attrs...)()
}

func (j *job) startLog(level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	limit := logLimit
	if left := time.Until(j.hard); left > 0 {
		limit = min(limit, max(left/4, minLogLimit))
	}
	return j.d.startLog(j.base, limit, level, message, append(attrs, slog.Attr{Key: "resource", Value: j.id.LogValue()})...)
}

func (j *job) elapsed() slog.Attr {
	return slog.Duration("elapsed", time.Since(j.start).Round(time.Millisecond))
}
