package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// inside are the options of the Dispatcher that applies the rules.
func (d *Dispatcher) inside(o *cfnresource.Options) {
	o.Middleware = d.opts.Middleware
	o.Logger = slog.New(routed{})
	o.Phase = func(ctx context.Context, _ *cfnresource.Operation) (lifecycle.Phase, error) {
		return phases[callOf(ctx).r.Action], nil
	}
	o.Continue = func(ctx context.Context, payload []byte) error {
		events, err := event.Read(payload)
		if err != nil || len(events) != 1 {
			return cfnresource.Errorf(cfnresource.CodeInternalFailure, "the callbackContext cannot be written")
		}
		c := callOf(ctx)
		c.note(func() { c.next = &events[0].Chain })
		return nil
	}
}

// event returns the request as one of a custom resource.
func (c *call) event() ([]byte, error) {
	e := map[string]any{
		"RequestType": requests[c.r.Action], "ResponseURL": "https://registry.invalid/", "RequestId": c.r.BearerToken,
		"StackId": c.stackID(), "LogicalResourceId": c.logicalID(), "ResourceType": c.d.typeName,
		"ResourceProperties": c.props,
	}
	if c.id != "" && c.r.Action != create {
		e["PhysicalResourceId"] = c.id
	}
	if c.r.Action == update && len(c.before) > 0 {
		e["OldResourceProperties"] = c.before
	}
	raw, err := json.Marshal(e)
	if err != nil || c.back == nil {
		return raw, err
	}
	chain := event.Chain{Links: 1, CreatedID: c.back.Created, StartPhase: phases[c.back.Action]} // its length is no concern of the rules
	return (&event.Event{Raw: raw}).Next(chain)
}

// invoke invokes the Dispatcher that applies the rules. It leaves time for a Read.
func (c *call) invoke(ctx context.Context, payload []byte) error {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	ctx, cancel := context.WithTimeout(ctx, left-min(left/4, 10*time.Second))
	defer cancel()
	ctx = hook.WithSender(ctx, sender{c})
	ctx = hook.WithRegistry(ctx, &hook.Registry{
		Failed: func(code string) { c.note(func() { c.code = cfnresource.Code(code) }) },
		Pause:  func(d time.Duration) { c.note(func() { c.pause = min(d, longestDelay) }) },
		Logs:   c.logs.place(),
	})
	_, err := c.d.inner.Invoke(ctx, payload)
	return err
}

// A sender keeps the answer.
type sender struct{ *call }

func (s sender) Send(_ context.Context, _ response.URL, body []byte) error {
	s.note(func() { s.body = body })
	return nil
}

// strict reports whether the call may not adopt anything. A CREATE of what exists fails, even if it
// bears this resource's StableID: in a stack, that may be the resource that is about to be
// replaced. What proves that the request itself made it is a callbackContext, a StableID that is
// made of this request's token, or that Find found nothing when this call began.
func (c *call) strict() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	hasNoProof := c.back == nil && !c.none
	return hasNoProof && c.r.Action == create && c.r.StackID != ""
}

// none is the Data of a handler here: Read returns that.
type none struct{}

// A handler is a Resource as the rules see it: its Delete is the Resource's own.
type handler[P, D any] struct{ *typed[P, D] }

// A finding handler has Find, too.
type finding[P, D any] struct {
	handler[P, D]
	finder cfnresource.Finder[P]
}

func (t *typed[P, D]) handler(r Resource[P, D]) cfnresource.Handler[P, none] {
	if f, ok := r.(cfnresource.Finder[P]); ok {
		return finding[P, D]{handler[P, D]{t}, f}
	}
	return handler[P, D]{t}
}

func (t *typed[P, D]) finds() bool {
	_, ok := t.Resource.(cfnresource.Finder[P])
	return ok
}

func (h handler[P, D]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (none, error) {
	c := callOf(ctx)
	c.note(func() { c.tried = true })
	data, err := h.Resource.Create(ctx, req)
	c.redactor.Add(h.data.Secrets(data)...)
	made := req.CreatedID()
	c.note(func() { c.made = made })
	if made == "" && cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists && c.strict() {
		return none{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "%s", err) // no ID, so that nothing is adopted
	}
	return none{}, err
}

func (h handler[P, D]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (none, error) {
	c := callOf(ctx)
	c.note(func() { c.adopted = req.PhysicalID })
	data, err := h.Resource.Update(ctx, req)
	c.redactor.Add(h.data.Secrets(data)...)
	return none{}, err
}

var errExists = errors.New("the resource exists already: another request of this stack made it")

func (h finding[P, D]) Find(ctx context.Context, req *cfnresource.FindRequest[P]) (string, error) {
	id, err := h.finder.Find(ctx, req)
	c := callOf(ctx)
	c.mu.Lock()
	c.find = func(ctx context.Context) (string, error) {
		return hook.Do(ctx, hook.Call{Method: "Find"}, func() (string, error) { return h.finder.Find(ctx, req) })
	}
	hasAnswered := err == nil || cfnresource.CodeOf(err) == cfnresource.CodeNotFound
	c.none = c.none || id == "" && hasAnswered
	c.mu.Unlock()
	if err == nil && id != "" && c.strict() {
		return "", &cfnresource.Error{Code: cfnresource.CodeAlreadyExists, Err: errExists}
	}
	return id, err
}

// describe answers who asks for the type's schema, in the form in which functions
// of custom resources answer.
func (d *Dispatcher) describe() ([]byte, error) {
	if d.err != nil {
		return nil, fmt.Errorf("the function is not configured as it must be: %w", d.err)
	}
	raw, err := d.opts.Schema()
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return json.Marshal(map[string]any{"resourceTypes": []any{map[string]any{"schema": json.RawMessage(raw)}}})
}

// Lazy returns a Resource that opens the real one at the first request, as [cfnresource.Lazy] does
// for a handler. If that fails, the request fails with InternalFailure, and the next request tries
// again. R is the resource's own type, not an interface, because it shows whether there is a Find.
// open gets the context of the request, with its [Credentials] and [Configuration]: keep nothing
// that belongs to the request.
func Lazy[R Resource[P, D], P, D any](open func(context.Context) (R, error)) Resource[P, D] {
	l := new(lazy[P, D])
	is := reflect.TypeFor[R]()
	switch {
	case open == nil:
		l.wrong = errors.New("the function passed to Lazy is nil: pass one that returns the resource")
	case is.Kind() == reflect.Interface:
		l.wrong = errors.New("the function passed to Lazy returns an interface, which does not say whether there is a Find: let it return the resource's own type")
	}
	l.opener = guard.NewOpener(func(ctx context.Context) (Resource[P, D], error) {
		r, err := open(redact.Lasting(ctx))
		if v := reflect.ValueOf(r); err == nil && v.Kind() == reflect.Pointer && v.IsNil() {
			err = errors.New("the resource is nil")
		}
		return r, err
	})
	if is.Implements(reflect.TypeFor[cfnresource.Finder[P]]()) {
		return lazyFinder[P, D]{l}
	}
	return l
}

type lazy[P, D any] struct {
	wrong  error // what New reports, or nil
	opener *guard.Opener[Resource[P, D]]
}

// problem returns what is wrong with the call of Lazy.
func (l *lazy[P, D]) problem() error { return l.wrong }

func (l *lazy[P, D]) get(ctx context.Context) (Resource[P, D], error) {
	r, err := l.opener.Get(ctx)
	if err != nil {
		// Whatever code the error has, it says nothing of the resource.
		return nil, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the resource could not be opened: %w", err)
	}
	return r, nil
}

func (l *lazy[P, D]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (data D, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return r.Create(ctx, req)
}

func (l *lazy[P, D]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (data D, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return data, err
	}
	return r.Update(ctx, req)
}

func (l *lazy[P, D]) Delete(ctx context.Context, req *cfnresource.DeleteRequest[P]) error {
	r, err := l.get(ctx)
	if err != nil {
		return err
	}
	return r.Delete(ctx, req)
}

func (l *lazy[P, D]) Read(ctx context.Context, req *ReadRequest) (m Model[P, D], err error) {
	r, err := l.get(ctx)
	if err != nil {
		return m, err
	}
	return r.Read(ctx, req)
}

func (l *lazy[P, D]) List(ctx context.Context, req *ListRequest) (ids []string, next string, err error) {
	r, err := l.get(ctx)
	if err != nil {
		return nil, "", err
	}
	return r.List(ctx, req)
}

// A lazyFinder opens what has Find.
type lazyFinder[P, D any] struct{ *lazy[P, D] }

func (l lazyFinder[P, D]) Find(ctx context.Context, req *cfnresource.FindRequest[P]) (string, error) {
	r, err := l.get(ctx)
	if err != nil {
		return "", err
	}
	return r.(cfnresource.Finder[P]).Find(ctx, req) // it is of the type that Lazy looked at
}
