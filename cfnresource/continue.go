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
	// minNextInvocation is the least time that CloudFormation must still wait for
	// another invocation to start.
	minNextInvocation = 30 * time.Second
	// phaseInterval is how often a Poll asks whether the event is still awaited.
	phaseInterval = 30 * time.Second
	// minRetryTime is the least time that CloudFormation must still wait for another
	// try of this invocation, which Lambda makes after a minute.
	minRetryTime = 2 * time.Minute
	// defaultMargin is the longest margin of a function that sets none.
	defaultMargin = 10 * time.Second
)

// timeoutTooShort reports whether the function would need more invocations than
// Lambda allows, to work for as long as CloudFormation waits. Only the first
// invocation can tell: a later one may have lost some time before it began.
func (e *execution) timeoutTooShort() bool {
	whole := (e.clock.Timeout + time.Second - 1).Truncate(time.Second) - e.extraMargin() // some of it is spent
	isFirst := e.registry == nil && e.ev.Chain.Links == 0
	return isFirst && e.clock.Timeout > 0 && e.ev.ServiceTimeout > event.MaxLinks*whole
}

// extraMargin is the time that the function keeps of each invocation for its answer, beyond
// that of a function without a ResponseMargin.
func (e *execution) extraMargin() time.Duration { return max(0, e.clock.Margin-defaultMargin) }

// resumableOutcome returns the outcome of a method that another invocation may continue.
func (e *execution) resumableOutcome(f *failure) rules.Outcome {
	o := e.outcome(f)
	now := time.Now()
	canContinue := f != nil && f.wait != nil && e.continues
	isCutOff := canContinue && (f.wait.early || e.clock.handler.Err() != nil)
	if isCutOff && e.ev.Deadline(now).Sub(now) >= minNextInvocation {
		o.End, e.tries.cutOff = rules.Waiting, f.wait
		e.clock.useMargin() // a thing that was made may have to be deleted
	}
	return o
}

// Continue sends the event to another invocation, with half of the time that is
// left: the rest is for an answer.
func (e *execution) Continue(c rules.Chain) rules.Outcome {
	payload, err := e.ev.Next(event.Chain{Links: c.Links, CreatedID: c.CreatedID, StartPhase: e.phase.start()})
	if err != nil {
		return rules.Outcome{End: rules.Failed, Reason: "the event cannot be continued: " + err.Error()}
	}
	send := e.d.opts.Continue
	if c, ok := hook.ChainOf(e.clock.invocation); ok {
		send = c.Continue
	}
	ctx, cancel := context.WithTimeout(e.clock.invocation, time.Until(e.clock.Deadline)/2)
	defer cancel()
	e.redactor.Add(e.ev.Signature()) // payload holds it, and so may an error
	g := guard.Guard{Grace: e.guard.Grace}
	f := guarded(ctx, &g, "Continue", func(ctx context.Context) error { return send(ctx, payload) })
	if f == nil {
		return rules.Outcome{}
	}
	o := rules.Outcome{End: rules.Failed, Reason: f.Text}
	if f.Unknown || f.code == "" {
		o.End = rules.Unknown
	}
	return o
}

// handOver ends an invocation that answers nothing.
func (e *execution) handOver(a rules.Answer) (body []byte) {
	if a.Reason != "" {
		e.result.err = fmt.Errorf("%s of %s is not done, and it is not known whether another invocation goes on with it: %s", e.ev.Type, e.request, e.redact(a.Reason))
		return nil
	}
	level, attrs := slog.LevelInfo, []slog.Attr{slog.Int("invocation", e.ev.Chain.Links+1), e.clock.elapsed()}
	if wait := e.tries.cutOff; wait != nil && wait.onlyFailed() {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("advice", eachTryFailed), slog.String("lastCode", string(CodeOf(wait.last))))
	}
	e.result.report = report{level, e.ev.Type + " goes on in another invocation", attrs}
	return nil
}
