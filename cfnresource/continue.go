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
func (x *execution) timeoutTooShort() bool {
	whole := (x.clock.Timeout + time.Second - 1).Truncate(time.Second) - x.extraMargin() // some of it is spent
	return x.registry == nil && x.ev.Chain.Links == 0 && x.clock.Timeout > 0 && x.ev.ServiceTimeout > event.MaxLinks*whole
}

// extraMargin is what the function keeps of each invocation for its answer, beyond
// what one without a ResponseMargin keeps.
func (x *execution) extraMargin() time.Duration { return max(0, x.clock.Margin-defaultMargin) }

// resumableOutcome returns the outcome of a method that another invocation may
// continue.
func (x *execution) resumableOutcome(f *failure) rules.Outcome {
	o := x.outcome(f)
	now := time.Now()
	if f != nil && f.wait != nil && x.continues && (f.wait.early || x.clock.handler.Err() != nil) && x.ev.Deadline(now).Sub(now) >= minNextInvocation {
		o.End, x.tries.cutOff = rules.Waiting, f.wait
		x.clock.useMargin() // what was made may have to be deleted
	}
	return o
}

// Continue sends the event to another invocation, with half of the time that is
// left: the rest is for an answer.
func (x *execution) Continue(c rules.Chain) rules.Outcome {
	payload, err := x.ev.Next(event.Chain{Links: c.Links, CreatedID: c.CreatedID, StartPhase: x.phase.start()})
	if err != nil {
		return rules.Outcome{End: rules.Failed, Why: "the event cannot be continued: " + err.Error()}
	}
	send := x.d.opts.Continue
	if c, ok := hook.ChainOf(x.clock.invocation); ok {
		send = c.Continue
	}
	ctx, cancel := context.WithTimeout(x.clock.invocation, time.Until(x.clock.Deadline)/2)
	defer cancel()
	x.redactor.Add(x.ev.Signature()) // which payload holds, and so may an error
	g := guard.Guard{Grace: x.guard.Grace}
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

// handOver ends an invocation that answers nothing.
func (x *execution) handOver(a rules.Answer) (body []byte) {
	if a.Why != "" {
		x.result.err = fmt.Errorf("%s of %s is not done, and it is not known whether another invocation goes on with it: %s", x.ev.Type, x.request, x.redact(a.Why))
		return nil
	}
	x.result.report = func() func() {
		level, attrs := slog.LevelInfo, []slog.Attr{slog.Int("invocation", x.ev.Chain.Links+1), x.clock.elapsed()}
		if wait := x.tries.cutOff; wait != nil && wait.onlyFailed() {
			level = slog.LevelWarn
			attrs = append(attrs, slog.String("advice", eachTryFailed), slog.String("lastCode", string(CodeOf(wait.last))))
		}
		return x.startLog(level, x.ev.Type+" goes on in another invocation", attrs...)
	}
	return nil
}
