package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A router leads what the topic passes on to the plays.
type router struct {
	to     allowed
	report func(error)

	mu    sync.Mutex
	plays map[string]*play  // by the stack's name
	seen  map[string]bool   // messages, and whether they are handled: a queue may deliver one twice
	open  map[string]*event // requests that nobody has answered, by RequestId
}

func newRouter(to allowed, report func(error)) *router {
	return &router{to: to, report: report, plays: map[string]*play{}, seen: map[string]bool{}, open: map[string]*event{}}
}

func (r *router) add(p *play) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plays[p.name] = p
}

// message handles what the topic has passed on, and reports whether it is handled when it returns.
func (r *router) message(ctx context.Context, id, text string) (handled bool, err error) {
	e := event{to: r.to}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return true, errors.New("the topic has passed on what is no request")
	}
	name := rootOf(stackName(e.StackId))
	r.mu.Lock()
	handled, twice := r.seen[id]
	if twice {
		r.mu.Unlock()
		return handled, nil
	}
	r.seen[id] = false
	p := r.plays[name]
	if p != nil {
		r.open[e.RequestId] = &e
	}
	r.mu.Unlock()
	var answered bool
	if p != nil {
		answered, err = p.handle(ctx, p.pathOf(e.StackId, e.LogicalResourceId), &e)
	} else {
		err = e.succeed(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[id] = true
	if answered {
		delete(r.open, e.RequestId)
	}
	return true, err
}

// remove has all requests of a play answered SUCCESS from now on, also those that have
// come before: its stack is to be removed.
func (r *router) remove(ctx context.Context, name string) {
	r.mu.Lock()
	delete(r.plays, name)
	var open []*event
	for id, e := range r.open {
		if rootOf(stackName(e.StackId)) == name {
			open = append(open, e)
			delete(r.open, id)
		}
	}
	r.mu.Unlock()
	for _, e := range open {
		_ = e.succeed(ctx) // most are answered, or nobody waits for them
	}
}

func (e *event) succeed(ctx context.Context) error {
	q := engine.Request{RequestType: e.RequestType, RequestID: e.RequestId, StackID: e.StackId, LogicalID: e.LogicalResourceId, PhysicalID: e.PhysicalResourceId}
	return e.answer(ctx, enginetest.Answer{}.Body(&q, "removed"))
}

func stackName(id string) string {
	if parts := strings.Split(id, "/"); len(parts) > 1 {
		return parts[1]
	}
	return id
}

// rootOf is the name of the stack that another one is nested in: it has one hyphen.
func rootOf(name string) string {
	name, _ = strings.CutPrefix(name, prefix)
	name, _, _ = strings.Cut(name, "-")
	return prefix + name
}

// pathOf names a resource from the root stack: a nested stack's name has the name of what it
// is nested in, its logical ID and a suffix.
func (p *play) pathOf(stackID, logicalID string) string {
	words := strings.Split(strings.TrimPrefix(stackName(stackID), p.name), "-")
	var path []string
	for i := 1; i < len(words); i += 2 {
		path = append(path, words[i])
	}
	if logicalID != "" {
		path = append(path, logicalID)
	}
	return strings.Join(path, ".")
}
