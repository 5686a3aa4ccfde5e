package cfnresource

import (
	"cmp"
	"context"
	"log/slog"
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
	slowAfter    = 10 * time.Second // the age from which a Create that ends may have been given up
	findLag      = 5 * time.Second  // the default of Options.FindLag
	findPatience = 3 * time.Second  // how long a Find is tried again after errors without a code
	undoPatience = 5 * time.Second  // how long an undo is tried where nobody knows what goes on
)

// A job is what the rules ask to have things done.
var _ rules.Effects = (*job)(nil)

// Find asks the handler's Find.
func (j *job) Find(of rules.Side, at string) (string, rules.Outcome) {
	p := j.props
	if of == rules.Old {
		p = j.old
	}
	var found atomic.Pointer[string]
	patience := time.Now().Add(findPatience)
	f := j.retry("Find", at, j.request(p), func(ctx context.Context, r Request) error {
		id, err := j.res.find(ctx, r, at, p)
		found.Store(&id)
		return err
	}, func(f *failure) bool { // Find only reads
		return f.passes() || f.code == "" && !f.Unknown && time.Now().Before(patience)
	})
	var id string
	if f == nil {
		id = *found.Load()
		f = checkID("Find", id)
	}
	if f != nil {
		j.cause = f
		return "", j.outcome(f)
	}
	return id, rules.Outcome{} // what failed before may be the cause still
}

// Create calls the handler's Create.
func (j *job) Create(replaces string) rules.Outcome {
	r := j.request(j.props)
	created := new(createdID)
	var returned atomic.Pointer[output]
	f := j.call("Create", "", r, func(ctx context.Context, r Request) error {
		out, err := j.res.create(ctx, r, j.props, replaces, created)
		returned.Store(&out)
		return err
	})
	id := created.close(j.createdLate)
	out := returned.Load()
	f = j.encodable(f, out, cmp.Or(id, j.stable))
	j.ended = time.Now()
	o := rules.Outcome{Asked: r.of.asked.Load(), Slow: j.ended.Sub(j.birth()) > slowAfter}
	if invalid := checkID("Create", id); invalid != nil {
		f = cmp.Or(f, invalid)
		j.cause, o.Why, o.Asked = f, f.Text, true
		if strings.TrimSpace(id) != "" && id != physicalid.NotCreated {
			o.End, o.ID = rules.Unusable, id
		} else {
			o.End = rules.Unknown // nothing has such an ID, and nobody knows what was made
		}
		return o
	}
	if j.cause = f; f != nil {
		failed := j.worked(f)
		o.End, o.Why, o.ID, o.Asked = failed.End, failed.Why, id, o.Asked || out != nil && out.done
		if o.End == rules.Exists {
			o.ID = f.exists
		}
		return o
	}
	o.ID = id
	if id != "" && id != j.stable && !j.res.finds() {
		j.log(slog.LevelWarn, "nothing leads from the properties to this physical ID: the resource is never replaced, "+
			"and leaks if an answer is lost: implement Find, or use StableID", slog.String("physicalId", event.Printable(id)))
	}
	return o
}

// createdLate reports an ID that was named after its Create was answered.
func (j *job) createdLate(id string) {
	j.log(slog.LevelError, "a Create made something after it had been answered for: "+
		"its context had ended, so it should have returned", slog.String("physicalId", event.Printable(id)))
}

// Update calls the handler's Update.
func (j *job) Update(id string, how rules.How) rules.Outcome {
	u := updating{id: id, properties: j.props, changed: how == rules.Changed, adopted: how == rules.Adopting}
	if !u.adopted {
		u.old = j.old
	}
	var returned atomic.Pointer[output]
	f := j.retry("Update", id, j.request(j.props), func(ctx context.Context, r Request) error {
		out, err := j.res.update(ctx, r, u)
		returned.Store(&out)
		return err
	}, (*failure).passes)
	j.ended = time.Now()
	j.cause = j.encodable(f, returned.Load(), id)
	return j.worked(j.cause)
}

// Delete calls the handler's Delete. One event may delete several resources, or
// one twice, which are different requests to the service.
func (j *job) Delete(id string, once bool) rules.Outcome {
	if j.timesDelete == nil {
		j.timesDelete = make(map[string]int)
	}
	r := j.request(j.props, id, strconv.Itoa(j.timesDelete[id]))
	again := (*failure).passes
	if once {
		again = func(*failure) bool { return false } // the same request, if it comes again
	} else {
		j.timesDelete[id]++
	}
	f := j.retry("Delete", id, r, func(ctx context.Context, r Request) error {
		return j.res.delete(ctx, r, id, j.props)
	}, again)
	if j.ev.Type == string(lifecycle.Delete) {
		j.cause = f
	}
	if f != nil && f.code != CodeNotFound {
		j.ignored = f
	}
	return j.worked(f)
}

// Phase asks why the event came. The first answer is the handler's, too.
func (j *job) Phase(made string) rules.Phase {
	if made == "" && !j.asked {
		j.asked = true
		return rules.PhaseOf(j.phase())
	}
	return rules.PhaseOf(j.askPhase(made))
}

// Wait waits for a moment. One that passed after the rules began is worth
// another look, too.
func (j *job) Wait(m rules.Moment) bool {
	switch m {
	case rules.Lag:
		until, left := j.sent().Add(cmp.Or(j.d.opts.FindLag, findLag)), time.Until(j.soft())
		return until.After(j.began) && left > 0 && guard.Sleep(j.ctx, min(time.Until(until), left/2))
	case rules.CreateOver:
		return j.waitForCreate()
	case rules.NextUndo:
		return j.pause(&j.pauses, j.ended.Add(undoPatience))
	default:
		return j.pause(&j.pauses, j.soft())
	}
}

// waitForCreate waits until no Create that is older than the event can still
// run, and until Find finds what it made. Such a Create works until a margin
// before its end. So the wait may last until that of this event: what follows
// has half of the answer's time then.
func (j *job) waitForCreate() bool {
	until := j.sent().Add(cmp.Or(j.d.opts.LostGrace, j.timeout))
	if j.res.finds() {
		until = until.Add(cmp.Or(j.d.opts.FindLag, findLag))
	}
	if !until.After(j.began) {
		return false
	}
	if soft := j.soft(); until.After(soft) {
		until = soft
		j.log(slog.LevelInfo, "a Create may have run until now: what it made is deleted in the time that is kept for the answer")
	}
	j.useMargin()
	guard.Sleep(j.ctx, time.Until(until))
	return true
}

// useMargin gives the handler half of the time that is kept for the answer.
func (j *job) useMargin() {
	j.cancel()
	j.ctx, j.cancel = context.WithDeadlineCause(j.base, j.soft().Add(j.margin/2), guard.ErrOutOfTime)
}

// sent returns the last moment at which the event can have been sent: the signed
// URL tells whole seconds.
func (j *job) sent() time.Time {
	if j.ev.Birth.IsZero() {
		return j.start
	}
	return j.birth().Add(time.Second)
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
