package cfnresource

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/cfnresource/sdk-go/internal/budget"
	"github.com/cfnresource/sdk-go/physicalid"
)

// read reads properties, and remembers which values are secret.
func (w *work) read(raw json.RawMessage) (*reading, *failure) {
	var p *reading
	f := w.run(w.ctx, "reading the properties", func(context.Context) error {
		p = w.res.read(raw)
		return nil
	})
	if f != nil {
		return nil, f
	}
	w.redactor.Add(p.secrets...)
	return p, nil
}

func (w *work) stableID(p *reading) string {
	if p.stableID == "" {
		p.stableID = physicalid.Stable(w.ev.StackID, w.ev.LogicalID, p.identity, w.mux.opts.IDLength)
	}
	return p.stableID
}

// request returns the Request of a call that is about the resource with the
// properties p.
func (w *work) request(p *reading) Request {
	r := w.id
	r.of = &origin{
		stableID: w.stableID(p),
		token: []string{string(r.StackID), r.LogicalID, r.RequestID, w.ev.Type,
			w.ev.Birth.UTC().Format(time.RFC3339), string(w.ev.Properties), string(w.ev.OldProperties)},
		phase: w.phase,
	}
	return r
}

var errNoNext = errors.New("a middleware returned nil without calling next, so nothing was done")

// call calls a method of the handler, through the middleware.
func (w *work) call(name, physicalID string, r Request, method func(context.Context, Request) error) *failure {
	return w.run(w.ctx, name, func(ctx context.Context) error {
		called := false
		next := func(ctx context.Context) error {
			called = true
			return method(ctx, r)
		}
		op := &Operation{Request: r, Name: name, PhysicalID: physicalID}
		for i := range w.mux.opts.Middleware {
			m := w.mux.opts.Middleware[len(w.mux.opts.Middleware)-1-i]
			inner := next
			next = func(ctx context.Context) error { return m(ctx, op, inner) }
		}
		if err := next(ctx); err != nil {
			return err
		}
		if !called {
			return errNoNext
		}
		return nil
	})
}

// The waits between two tries of a call: doubled each time, half of each left
// to chance, and never more than half of the time that is left.
const (
	firstWait = 500 * time.Millisecond
	lastWait  = 10 * time.Second
)

// retry is call, again and again while the failure is one that passes.
func (w *work) retry(name, physicalID string, r Request, method func(context.Context, Request) error) *failure {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		f := w.call(name, physicalID, r, method)
		if f == nil {
			return nil
		}
		switch f.code {
		case CodeResourceConflict, CodeThrottling, CodeServiceInternalError, CodeNetworkFailure:
		default:
			return f
		}
		deadline, _ := w.ctx.Deadline()
		left := time.Until(deadline)
		if left < firstWait/2 {
			return f
		}
		if !budget.Sleep(w.ctx, min(wait/2+rand.N(wait/2), left/2)) {
			return f
		}
	}
}

// find returns what the handler's Find finds for the properties p, or "".
func (w *work) find(p *reading) (string, *failure) {
	if !w.res.hasFind() {
		return "", nil
	}
	var id string
	f := w.retry("Find", "", w.request(p), func(ctx context.Context, r Request) (err error) {
		id, err = w.res.find(ctx, r, p)
		return err
	})
	if f != nil || id == "" {
		return "", f
	}
	return id, checkID("Find", id)
}

// explains reports whether the properties p lead to id: it is their StableID,
// or what Find answers for them. It also returns what Find found, if asked.
func (w *work) explains(p *reading, id string) (explained bool, found string, f *failure) {
	if id == w.stableID(p) {
		return true, "", nil
	}
	found, f = w.find(p)
	return f == nil && found == id, found, f
}

// remove calls Delete for id. What is gone already is no failure. One event may
// remove several resources, or one twice, which are different requests to the
// service.
func (w *work) remove(id string, p *reading) *failure {
	r := w.request(p)
	r.of.token = append(r.of.token, id, strconv.FormatBool(w.again))
	f := w.retry("Delete", id, r, func(ctx context.Context, r Request) error {
		return w.res.delete(ctx, r, id, p)
	})
	if f != nil && f.code == CodeNotFound {
		return nil
	}
	return f
}

// converge calls Update for id, and answers with that ID.
func (w *work) converge(id string, p, old *reading, oldErr error, identityChanged bool) ([]byte, *failure) {
	var data any
	f := w.retry("Update", id, w.request(p), func(ctx context.Context, r Request) (err error) {
		data, err = w.res.update(ctx, r, id, p, old, oldErr, identityChanged)
		return err
	})
	if f != nil {
		return nil, f
	}
	return w.succeed(id, data)
}
