package cfnresource

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// request returns the Request of a call that is about the resource with the
// properties p. more is what tells it from the event's other calls.
func (j *job) request(p *reading, more ...string) Request {
	r := j.id
	r.of = &origin{
		stableID: j.stableID(p),
		idLength: j.d.opts.IDLength,
		token:    func() []string { return append(j.token(), more...) },
		phase:    j.phase,
	}
	return r
}

// token returns what tells this request from all others, the same in every
// delivery of it.
func (j *job) token() []string {
	return []string{j.ev.StackID, j.ev.LogicalID, j.ev.RequestID, j.ev.Type,
		j.ev.Birth.UTC().Format(time.RFC3339), string(j.ev.Properties.JSON()), string(j.ev.OldProperties.JSON())}
}

var (
	errNoNext      = errors.New("a middleware returned nil without calling next, so nothing was done")
	errNotReturned = errors.New("a middleware returned nil, though the method panicked or had not returned")
)

// call calls a method of the handler, through the middleware. A middleware may
// return before the method does: what method writes must be safe to read then.
func (j *job) call(name, physicalID string, r Request, method func(context.Context, Request) error) *failure {
	var called, returned atomic.Bool
	f := j.run(j.ctx, name, func(ctx context.Context) error {
		next := func(ctx context.Context) error {
			called.Store(true)
			err := method(ctx, r)
			returned.Store(true)
			return err
		}
		op := &Operation{Request: r, Name: name, PhysicalID: physicalID, Birth: j.ev.Birth}
		for i := range j.d.opts.Middleware {
			m := j.d.opts.Middleware[len(j.d.opts.Middleware)-1-i]
			inner := next
			next = func(ctx context.Context) error { return m(ctx, op, inner) }
		}
		if err := next(ctx); err != nil {
			return err
		}
		switch {
		case !called.Load():
			return errNoNext
		case !returned.Load():
			return errNotReturned
		}
		return nil
	})
	if f != nil && called.Load() && !returned.Load() {
		f.Unknown = true
	}
	j.last = f
	return f
}

// retry is call, again and again while the failure is one to be tried again.
func (j *job) retry(name, physicalID string, r Request, method func(context.Context, Request) error, again func(*failure) bool) *failure {
	b := pauses()
	for {
		f := j.call(name, physicalID, r, method)
		if f == nil || !again(f) || !j.pause(&b, j.hard) {
			return f
		}
	}
}

// pauses returns the pauses between two tries of a call. None is longer than
// half of the time that is left.
func pauses() guard.Backoff {
	return guard.Backoff{First: 500 * time.Millisecond, Last: 10 * time.Second}
}

// pause waits before another try of the call that failed last, and returns false
// if it would begin after until, or too late for the handler.
func (j *job) pause(b *guard.Backoff, until time.Time) bool {
	deadline, _ := j.ctx.Deadline()
	left := time.Until(deadline)
	wait := min(b.Next(), left/2)
	if j.last != nil && j.last.retryAfter > wait {
		wait = j.last.retryAfter
	}
	if left < b.First/2 || wait >= left || time.Now().Add(wait).After(until) {
		return false
	}
	return guard.Sleep(j.ctx, wait)
}
