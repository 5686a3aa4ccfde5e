package cfnresource

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

const (
	slowAfter     = 10 * time.Second // the age from which a Create that ends may have been given up
	findLag       = 5 * time.Second  // the default of Options.FindLag
	permissionLag = 30 * time.Second // the default of Options.PermissionLag
	findRetryTime = 3 * time.Second  // for which a Find is retried after errors without a code
	undoRetryTime = 5 * time.Second  // for which an undo is retried where the phase is not known
	otherAnswers  = 5 * time.Second  // after which the stack shows the answer to another delivery
)

// answerPauses are the pauses before the stack is asked again: it may show a change late.
var answerPauses = []time.Duration{time.Second, 2 * time.Second}

// An execution does what the rules ask for.
var _ rules.Effects = (*execution)(nil)

// Find asks the handler's Find.
func (e *execution) Find(side rules.Side, at string) (string, rules.Outcome) {
	p := e.props
	if side == rules.Old {
		p = e.old
	}
	var found atomic.Pointer[string]
	patience := time.Now().Add(findRetryTime)
	f := e.retry("Find", at, e.requestFor(p), func(ctx context.Context, r Request) error {
		id, err := e.resource.find(ctx, r, at, p)
		found.Store(&id)
		return err
	}, func(f *failure) bool { // Find only reads
		return e.mayPass(f) || f.hasNoCode() && time.Now().Before(patience)
	})
	var id string
	if f == nil {
		id = *found.Load()
		f = checkID("Find", id)
	}
	if f != nil {
		e.result.failure = f
		return "", e.outcome(f)
	}
	return id, rules.Outcome{} // an earlier failure may still be the cause
}

// Create calls the handler's Create.
func (e *execution) Create(replaces string) rules.Outcome {
	r := e.requestFor(e.props)
	created := new(createdID)
	var returned atomic.Pointer[output]
	f := e.call("Create", "", r, func(ctx context.Context, r Request) error {
		out, err := e.resource.create(ctx, r, e.props, replaces, created)
		e.redactor.Add(out.secrets...) // before anything is logged of err
		returned.Store(&out)
		return err
	})
	// The ID is read before the answer is made: from now on, another one is late.
	id, others := created.close(e.createdLate)
	out := returned.Load()
	f = e.encodeOutput(f, out, cmp.Or(id, e.stableID))
	invalid := checkID("Create", id)
	f = cmp.Or(f, invalid)
	e.tellOthers(f, id, others)
	e.tries.ended = time.Now()
	o := rules.Outcome{UsedStableID: r.state.stableIDUsed.Load(), Slow: e.tries.ended.Sub(e.clock.sentAt()) > slowAfter}
	// CloudFormation cannot keep the ID.
	if invalid != nil {
		e.result.failure, o.Reason, o.UsedStableID = f, f.Text, true
		if strings.TrimSpace(id) != "" && id != physicalid.NotCreated {
			o.End, o.ID = rules.InvalidID, id
		} else {
			o.End = rules.Unknown // nothing can have such an ID, and what was made is not known
		}
		return o
	}
	// The call failed, or its answer cannot be sent.
	if e.result.failure = f; f != nil {
		failed, succeeded := e.resumableOutcome(f), out != nil && out.succeeded
		o.End, o.Reason, o.ID, o.UsedStableID = failed.End, failed.Reason, id, o.UsedStableID || succeeded
		switch {
		case succeeded && o.End == rules.Throttled: // only a middleware was, and the thing is made
			o.End = rules.Failed
		case o.End != rules.AlreadyExists:
		case id != "" && f.exists != "" && id != f.exists: // the existing thing is another one than the one that was made
			o.End = rules.Failed
		default:
			o.ID = f.exists // the thing named before may be the existing one
		}
		return o
	}
	// It succeeded.
	o.ID = id
	isFoundAgain := id == e.stableID || e.resource.finds() || e.registry != nil
	if id != "" && !isFoundAgain {
		e.log(slog.LevelWarn, "nothing leads from the properties to this physical ID: the resource is never replaced, "+
			"and leaks if an answer is lost: implement Find, or use StableID", e.idAttr(id))
	}
	return o
}

// tellOthers says that a Create named other IDs before the last, the only one that CloudFormation
// learns: in the log, and in f, the failure of the Create, or nil. Without a failure, they may be
// names of one thing, or Create has removed what they named.
func (e *execution) tellOthers(f *failure, id string, others []string) {
	if len(others) == 0 {
		return
	}
	for i, other := range others {
		others[i] = event.Printable(other)
	}
	list := strings.Join(others, ", ")
	e.log(slog.LevelWarn, "a Create called Created with several IDs, and CloudFormation learns only of the last: "+
		"have Create remove the other things", e.idAttr(id), slog.String("others", e.redact(list)))
	if f != nil {
		f.Text += fmt.Sprintf(" (Created was called with %s, and then with %s, which alone counts: delete the others if they exist)", list, event.Printable(id))
	}
}

// createdLate logs an ID that a Create named after the event was answered.
func (e *execution) createdLate(id string) {
	e.log(slog.LevelError, "a Create called Created after its event was answered: "+
		"have Create return when its context ends", e.idAttr(id))
}

// Update calls the handler's Update.
func (e *execution) Update(id string, how rules.How) rules.Outcome {
	u := updateCall{id: id, properties: e.props, changed: how == rules.Changed, adopted: how == rules.Adopting}
	if !u.adopted {
		u.old = e.old
	}
	var returned atomic.Pointer[output]
	f := e.retry("Update", id, e.requestFor(e.props), func(ctx context.Context, r Request) error {
		out, err := e.resource.update(ctx, r, u)
		e.redactor.Add(out.secrets...)
		returned.Store(&out)
		return err
	}, e.mayPass)
	e.tries.ended = time.Now()
	e.result.failure = e.encodeOutput(f, returned.Load(), id)
	return e.resumableOutcome(e.result.failure)
}

// Delete calls the handler's Delete. One event may delete several resources, or
// one resource twice. These are different requests to the service.
func (e *execution) Delete(id string, once bool) rules.Outcome {
	r := e.requestFor(e.props, id, strconv.Itoa(e.tries.deletion(id, once)))
	retryable := e.mayPass
	if once {
		retryable = func(*failure) bool { return false }
	}
	f := e.retry("Delete", id, r, func(ctx context.Context, r Request) error {
		if once {
			ctx = withoutTries(ctx)
		}
		return e.resource.delete(ctx, r, id, e.props)
	}, retryable)
	if e.ev.Type == string(lifecycle.Delete) {
		e.result.failure = f
	}
	if f != nil && f.code != CodeNotFound {
		e.result.ignored = f
	}
	if once {
		return e.undoOutcome(f)
	}
	return e.resumableOutcome(f)
}

// undoOutcome returns the outcome of a Delete that no other invocation continues.
func (e *execution) undoOutcome(f *failure) rules.Outcome {
	o := e.outcome(f)
	if f != nil && f.wait != nil && f.wait.answered() {
		o.End = rules.Deleting
	}
	return o
}

// Phase says why the event came, as Request.Phase does.
func (e *execution) Phase() rules.Phase { return rules.PhaseOf(e.phase.start()) }

// PhaseNow asks why the event came, as of now.
func (e *execution) PhaseNow(made string) rules.Phase {
	if e.tries.cutOff != nil {
		return rules.PhaseOf(e.phase.atEnd(made))
	}
	return rules.PhaseOf(e.phase.now(made))
}

// Wait waits for a moment, as [rules.Effects] says. If the moment passed after the
// rules began, it returns true at once.
func (e *execution) Wait(m rules.Moment) bool {
	switch m {
	case rules.Lag:
		until, left := e.clock.sentBy().Add(cmp.Or(e.d.opts.FindLag, findLag)), time.Until(e.clock.handlerDeadline())
		return until.After(e.clock.looked) && left > 0 && guard.Sleep(e.clock.handler, min(time.Until(until), left/2))
	case rules.CreateOver:
		return e.waitForCreate()
	case rules.NextAnswer:
		return e.waitForAnswer()
	case rules.OtherAnswers:
		return e.waitForOthers()
	case rules.NextUndo:
		return e.pause(&e.tries.backoff, e.tries.ended.Add(undoRetryTime))
	default:
		return e.pause(&e.tries.backoff, e.clock.handlerDeadline())
	}
}

// waitForAnswer waits before the stack is asked again. It returns false if the stack
// was asked often enough, or if there is no time.
func (e *execution) waitForAnswer() bool {
	if e.tries.questions == len(answerPauses) {
		return false
	}
	pause := answerPauses[e.tries.questions]
	e.tries.questions++
	return !endsWithin(e.clock.handler, pause) && guard.Sleep(e.clock.handler, pause)
}

// waitForOthers waits until the stack shows the answers to other deliveries, but for no
// more than half of the time that is left.
func (e *execution) waitForOthers() bool {
	deadline, _ := e.clock.handler.Deadline()
	wait := min(otherAnswers, time.Until(deadline)/2)
	waited := wait > 0 && guard.Sleep(e.clock.handler, wait)
	e.tries.ended = time.Now() // from then on the undo is retried
	return waited
}

// waitForCreate waits until no Create can still run that began by the time the event arrived, and
// until Find can find what it made. A queue may have kept that Create as long as the event, so when
// the event was sent says nothing. The wait may take all of the handler's time. The work after it
// then has half of the time that is kept for the answer.
func (e *execution) waitForCreate() bool {
	from := e.clock.start
	if noCreateRuns(e.clock.handler) {
		from = e.clock.sentBy()
	}
	until := from.Add(cmp.Or(e.d.opts.LostGrace, e.clock.Timeout))
	if e.resource.finds() {
		until = until.Add(cmp.Or(e.d.opts.FindLag, findLag))
	}
	if !until.After(e.clock.looked) {
		return false
	}
	if soft := e.clock.handlerDeadline(); until.After(soft) {
		until = soft
		e.log(slog.LevelInfo, "a Create may have run until now: the thing that it made is deleted in the time that is kept for the answer")
	}
	e.clock.useMargin()
	guard.Sleep(e.clock.handler, time.Until(until))
	return true
}

// noCreateRuns reports whether a simulated Lambda says that no Create runs any more: it has kept the
// Delete for that long. A program is told in the client context, which Lambda gives no event of
// CloudFormation's.
func noCreateRuns(ctx context.Context) bool {
	if lc, ok := lambdacontext.FromContext(ctx); ok && lc.ClientContext.Custom["cfnresource"] == "no-create-runs" {
		return true
	}
	return hook.NoCreateRuns(ctx)
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
