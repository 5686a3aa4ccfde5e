package cfnresource

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/rules"
)

const (
	// leastNext is how long CloudFormation must wait still for another invocation
	// to be worth it.
	leastNext = 30 * time.Second
	// askEvery is how often a Poll asks whether anybody waits still.
	askEvery = 30 * time.Second
)

// tooShort reports whether the function would have to be invoked more often than
// Lambda does it, to work for as long as CloudFormation waits. That is for the
// first invocation to say: a later one may have lost some time before it began.
func (j *job) tooShort() bool {
	whole := (j.timeout + time.Second - 1).Truncate(time.Second) // some of it is spent
	return j.registry == nil && j.ev.Chain.Links == 0 && j.timeout > 0 && j.ev.ServiceTimeout > event.MaxLinks*whole
}

// worked is the outcome of a method that may go on in another invocation.
func (j *job) worked(f *failure) rules.Outcome {
	o := j.outcome(f)
	now := time.Now()
	if f != nil && f.waits && j.continues && j.ctx.Err() != nil && j.ev.Deadline(now).Sub(now) >= leastNext {
		o.End = rules.Waits
		j.useMargin() // what was made may have to be deleted
	}
	return o
}

type awaitedKey struct{}

// awaitedIn returns what tells a Poll whether anybody waits still, or nil.
func awaitedIn(ctx context.Context) func() bool {
	awaited, _ := ctx.Value(awaitedKey{}).(func() bool)
	return awaited
}

// awaited reports whether the event is awaited, as far as the stack tells.
func (j *job) awaited() bool {
	began := j.ev.Chain.Began
	if j.ev.Chain.Links == 0 {
		began = j.phase()
	}
	return !rules.Overtaken(rules.PhaseOf(began), rules.PhaseOf(j.askPhase("")))
}

// Continue sends the event to another invocation, with half of the time that is
// left: the rest is for an answer.
func (j *job) Continue(c rules.Chain) rules.Outcome {
	next := event.Chain{Links: c.Links, Created: c.Created, Began: j.ev.Chain.Began}
	if j.ev.Chain.Links == 0 {
		next.Began = j.phase()
	}
	payload, err := j.ev.Next(next)
	if err != nil {
		return rules.Outcome{End: rules.Failed, Why: "the event cannot be continued: " + err.Error()}
	}
	send := j.d.opts.Continue
	if c, ok := hook.ChainOf(j.base); ok {
		send = c.Continue
	}
	ctx, cancel := context.WithTimeout(j.base, time.Until(j.hard)/2)
	defer cancel()
	j.redactor.Add(j.ev.Signature()) // which payload holds, and so may an error
	g := guard.Guard{Grace: j.guard.Grace}
	f := guarded(ctx, &g, "Continue", func(ctx context.Context) error { return send(ctx, payload) })
	if f == nil {
		return rules.Outcome{}
	}
	o := rules.Outcome{End: rules.Failed, Why: f.Text}
	if f.Unknown || f.code == "" {
		o.End = rules.Unknown
	}
	return o
}

// later is the end of an invocation that answers nothing.
func (j *job) later(a rules.Answer) (body []byte) {
	if a.Why != "" {
		j.unsent = fmt.Errorf("%s of %s is not done, and it is not known whether another invocation goes on with it: %s", j.ev.Type, j.id, j.strike(a.Why))
		return nil
	}
	j.report = func() func() {
		return j.startLog(slog.LevelInfo, j.ev.Type+" goes on in another invocation", slog.Int("invocation", j.ev.Chain.Links+1), j.elapsed())
	}
	return nil
}
