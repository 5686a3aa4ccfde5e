package cfnresource

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

const (
	slowAfter     = 10 * time.Second // the age from which a Create that ends may have been given up
	findLag       = 5 * time.Second  // the default of Options.FindLag
	findRetryTime = 3 * time.Second  // for which a Find is retried after errors without a code
	undoRetryTime = 5 * time.Second  // for which an undo is retried where the phase is not known
	otherAnswers  = 5 * time.Second  // after which the stack shows what another delivery was answered with
)

// answerPauses are the pauses before the stack is asked again, which may show late what
// it does.
var answerPauses = []time.Duration{time.Second, 2 * time.Second}

// An execution does what the rules ask for.
var _ rules.Effects = (*execution)(nil)

// Find asks the handler's Find.
func (x *execution) Find(of rules.Side, at string) (string, rules.Outcome) {
	p := x.props
	if of == rules.Old {
		p = x.old
	}
	var found atomic.Pointer[string]
	patience := time.Now().Add(findRetryTime)
	f := x.retry("Find", at, x.requestFor(p), func(ctx context.Context, r Request) error {
		id, err := x.resource.find(ctx, r, at, p)
		found.Store(&id)
		return err
	}, func(f *failure) bool { // Find only reads
		return f.transient() || f.code == "" && !f.Unknown && time.Now().Before(patience)
	})
	var id string
	if f == nil {
		id = *found.Load()
		f = checkID("Find", id)
	}
	if f != nil {
		x.result.cause = f
		return "", x.outcome(f)
	}
	return id, rules.Outcome{} // an earlier failure may still be the cause
}

// Create calls the handler's Create.
func (x *execution) Create(replaces string) rules.Outcome {
	r := x.requestFor(x.props)
	created := new(createdID)
	var returned atomic.Pointer[output]
	f := x.call("Create", "", r, func(ctx context.Context, r Request) error {
		out, err := x.resource.create(ctx, r, x.props, replaces, created)
		x.redactor.Add(out.secrets...) // before anything is logged of err
		returned.Store(&out)
		return err
	})
	// The ID is read before the answer is made: from now on, another one is late.
	id := created.close(x.createdLate)
	out := returned.Load()
	f = x.encodeOutput(f, out, cmp.Or(id, x.stableID))
	x.tries.ended = time.Now()
	o := rules.Outcome{UsedStableID: r.state.stableIDUsed.Load(), Slow: x.tries.ended.Sub(x.clock.sentAt()) > slowAfter}
	// CloudFormation cannot keep the ID.
	if invalid := checkID("Create", id); invalid != nil {
		f = cmp.Or(f, invalid)
		x.result.cause, o.Why, o.UsedStableID = f, f.Text, true
		if strings.TrimSpace(id) != "" && id != physicalid.NotCreated {
			o.End, o.ID = rules.InvalidID, id
		} else {
			o.End = rules.Unknown // nothing has such an ID, and it is not known what was made
		}
		return o
	}
	// The call failed, or its answer cannot be sent.
	if x.result.cause = f; f != nil {
		failed := x.resumableOutcome(f)
		o.End, o.Why, o.ID, o.UsedStableID = failed.End, failed.Why, id, o.UsedStableID || out != nil && out.succeeded
		switch {
		case o.End != rules.AlreadyExists:
		case id != "" && f.exists != "" && id != f.exists: // what exists is another thing than the one that was made
			o.End = rules.Failed
		default:
			o.ID = f.exists // what was named before may be it
		}
		return o
	}
	// It succeeded.
	o.ID = id
	if id != "" && id != x.stableID && !x.resource.finds() && x.registry == nil {
		x.log(slog.LevelWarn, "nothing leads from the properties to this physical ID: the resource is never replaced, "+
			"and leaks if an answer is lost: implement Find, or use StableID", slog.String("physicalId", event.Printable(id)))
	}
	return o
}

// createdLate logs an ID that a Create named after the event was answered.
func (x *execution) createdLate(id string) {
	x.log(slog.LevelError, "a Create made something after it had been answered for: "+
		"its context had ended, so it should have returned", slog.String("physicalId", event.Printable(id)))
}

// Update calls the handler's Update.
func (x *execution) Update(id string, how rules.How) rules.Outcome {
	u := updateCall{id: id, properties: x.props, changed: how == rules.Changed, adopted: how == rules.Adopting}
	if !u.adopted {
		u.old = x.old
	}
	var returned atomic.Pointer[output]
	f := x.retry("Update", id, x.requestFor(x.props), func(ctx context.Context, r Request) error {
		out, err := x.resource.update(ctx, r, u)
		if before := returned.Swap(&out); before == nil || !slices.Equal(before.secrets, out.secrets) {
			x.redactor.Add(out.secrets...)
		}
		return err
	}, (*failure).transient)
	x.tries.ended = time.Now()
	x.result.cause = x.encodeOutput(f, returned.Load(), id)
	return x.resumableOutcome(x.result.cause)
}

// Delete calls the handler's Delete. One event may delete several resources, or
// one resource twice. These are different requests to the service.
func (x *execution) Delete(id string, once bool) rules.Outcome {
	r := x.requestFor(x.props, id, strconv.Itoa(x.tries.deletion(id, once)))
	retryable := (*failure).transient
	if once {
		retryable = func(*failure) bool { return false }
	}
	f := x.retry("Delete", id, r, func(ctx context.Context, r Request) error {
		if once {
			ctx = withoutTries(ctx)
		}
		return x.resource.delete(ctx, r, id, x.props)
	}, retryable)
	if x.ev.Type == string(lifecycle.Delete) {
		x.result.cause = f
	}
	if f != nil && f.code != CodeNotFound {
		x.result.ignored = f
	}
	if once {
		return x.undoOutcome(f)
	}
	return x.resumableOutcome(f)
}

// undoOutcome returns the outcome of a Delete that no other invocation continues.
func (x *execution) undoOutcome(f *failure) rules.Outcome {
	o := x.outcome(f)
	if f != nil && f.wait != nil && f.wait.answered() {
		o.End = rules.Deleting
	}
	return o
}

// Phase says why the event came, as the handler is told.
func (x *execution) Phase() rules.Phase { return rules.PhaseOf(x.phase.start()) }

// PhaseNow asks why the event came, as of now.
func (x *execution) PhaseNow(made string) rules.Phase {
	if x.tries.cutOff != nil {
		return rules.PhaseOf(x.phase.atEnd(made))
	}
	return rules.PhaseOf(x.phase.now(made))
}

// Wait waits for a moment, as [rules.Effects] says. If the moment passed after the
// rules began, it returns true at once.
func (x *execution) Wait(m rules.Moment) bool {
	switch m {
	case rules.Lag:
		until, left := x.clock.sentBy().Add(cmp.Or(x.d.opts.FindLag, findLag)), time.Until(x.clock.handlerDeadline())
		return until.After(x.clock.looked) && left > 0 && guard.Sleep(x.clock.handler, min(time.Until(until), left/2))
	case rules.CreateOver:
		return x.waitForCreate()
	case rules.NextAnswer:
		return x.waitForAnswer()
	case rules.OtherAnswers:
		return x.waitForOthers()
	case rules.NextUndo:
		return x.pause(&x.tries.backoff, x.tries.ended.Add(undoRetryTime))
	default:
		return x.pause(&x.tries.backoff, x.clock.handlerDeadline())
	}
}

// waitForAnswer waits before the stack is asked again. It returns false if the stack
// was asked often enough, or if there is no time.
func (x *execution) waitForAnswer() bool {
	if x.tries.asked == len(answerPauses) {
		return false
	}
	pause := answerPauses[x.tries.asked]
	x.tries.asked++
	return !endsWithin(x.clock.handler, pause) && guard.Sleep(x.clock.handler, pause)
}

// waitForOthers waits until the stack shows what other deliveries were answered with,
// but for no more than half of the time that is left.
func (x *execution) waitForOthers() bool {
	deadline, _ := x.clock.handler.Deadline()
	wait := min(otherAnswers, time.Until(deadline)/2)
	waited := wait > 0 && guard.Sleep(x.clock.handler, wait)
	x.tries.ended = time.Now() // from then on the undo is retried
	return waited
}

// waitForCreate waits until no Create that is older than the event can still run,
// and until Find can find what it made. The wait may take all of the handler's
// time. What follows it then has half of the time that is kept for the answer.
func (x *execution) waitForCreate() bool {
	until := x.clock.sentBy().Add(cmp.Or(x.d.opts.LostGrace, x.clock.Timeout))
	if x.resource.finds() {
		until = until.Add(cmp.Or(x.d.opts.FindLag, findLag))
	}
	if !until.After(x.clock.looked) {
		return false
	}
	if soft := x.clock.handlerDeadline(); until.After(soft) {
		until = soft
		x.log(slog.LevelInfo, "a Create may have run until now: what it made is deleted in the time that is kept for the answer")
	}
	x.clock.useMargin()
	guard.Sleep(x.clock.handler, time.Until(until))
	return true
}

// checkID returns an error if CloudFormation cannot keep the ID that a method
// named, if it named one.
func checkID(method, id string) *failure {
	if id == "" {
		return nil
	}
	if err := physicalid.Validate(id); err != nil {
		return failed(CodeInternalFailure, "%s: %s", method, err)
	}
	return nil
}
