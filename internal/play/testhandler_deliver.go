package play

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Some events come of no template that a test could write: those of a resource
// that an older program made. They are delivered by hand.

// deliverWithoutFind is deliver where searches do not show anything yet.
func (r *run) deliverWithoutFind(event []byte) answercheck.Response {
	set := func(findsNot bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.findsNot = findsNot
	}
	set(true)
	defer set(false)
	return r.deliver(event)
}

// deliver delivers an event to a new process, by hand, and returns the answer.
func (r *run) deliver(event []byte) (a answercheck.Response) {
	if r.err != nil {
		return a
	}

	// The event, in the story.
	req, err := answercheck.ReadRequest(event)
	if err != nil {
		r.err = err
		return a
	}
	r.log.SetOwner(r)
	r.mu.Lock()
	r.deletes = 0
	r.mu.Unlock()
	r.logf("%s", eventText(req))
	r.addSeen(req.PhysicalResourceID)

	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), r.timeout())
	defer cancel()
	ctx = hook.WithChain(ctx, hook.Chain{NoCreateRuns: func() bool { return r.RealTime }})
	bodies, err := followRecovered(hook.WithCalls(ctx, r.recordCall), r.service.Function, req.RequestType, event)
	switch {
	case err != nil:
		r.err = r.failf("the invocation with the %s fails, so Lambda would deliver the event again: %v", req.RequestType, err)
		return a
	case len(bodies) != 1:
		r.err = r.failf("the %s is answered %d times, want once", req.RequestType, len(bodies))
		return a
	}

	// The answer, as CloudFormation reads it.
	if a, err = answercheck.Read(req, bodies[0]); err != nil {
		r.err = r.failf("CloudFormation would not accept the answer to the %s: %v", req.RequestType, err)
		return a
	}
	r.logf("  answered %s %s", simulate.StatusText(a.Status, a.Reason), a.PhysicalResourceID)
	r.addSeen(a.PhysicalResourceID)
	r.largest = max(r.largest, len(bodies[0]))
	return a
}

// followRecovered is Follow, a panic being an error.
func followRecovered(ctx context.Context, function func() simulate.Function, requestType string, payload []byte) (bodies [][]byte, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	bodies, _, err = simulate.Follow(ctx, function, requestType, payload)
	return bodies, err
}

// recordCall is the hook.Func that records the calls of the handler's methods.
func (r *run) recordCall(ctx context.Context, c hook.Call, method hook.Method) (string, error) {
	if c.PhysicalID == "" {
		r.logf("  the handler's %s is called", c.Method)
	} else {
		r.logf("  the handler's %s is called for %s", c.Method, c.PhysicalID)
	}
	r.addSeen(c.PhysicalID)
	r.mu.Lock()
	findsNot := r.findsNot
	r.mu.Unlock()
	if c.Method == "Find" && findsNot {
		return "", nil
	}

	// The call, and its results.
	began := time.Now()
	id, err := method()
	k := simulate.Call{Method: c.Method, PhysicalID: c.PhysicalID, Returned: id}
	if c.Created != nil {
		k.Created = c.Created()
	}
	if err != nil {
		k.Error, k.Code = err.Error(), string(cfnresource.CodeOf(err))
	}
	if err == nil {
		r.addSeen(id)
	}
	r.addSeen(k.Created)

	// An abandoned method may get here late, so take the lock.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byHand = append(r.byHand, k)
	if r.deletes > 0 && err != nil && ctx.Err() != nil {
		r.stopped = stoppedCall{Method: c.Method, After: time.Since(began)}
	}
	if c.Method == "Delete" {
		r.deletes++
	}
	return id, err
}

// takeCalls returns the calls in the events delivered by hand so far, and forgets them.
func (r *run) takeCalls() (all []simulate.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, r.byHand = r.byHand, nil
	return all
}

// calls returns all calls of the handler's methods, of the stack's events and of those
// delivered by hand. The caller holds the lock.
func (r *run) calls() (all []simulate.Call) {
	for _, q := range r.stack.Requests() {
		all = append(all, q.Calls()...)
	}
	return append(all, r.byHand...)
}

// addSeen keeps an ID under which a thing may be.
func (r *run) addSeen(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.add(id)
}

// seenIDs returns a copy of the IDs that came up.
func (r *run) seenIDs() idSet {
	ids := idSet{}
	for _, id := range r.stack.SeenIDs() {
		ids.add(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(ids, r.seen)
	return ids
}

// create delivers a Create, which has to succeed for the check to say anything, and returns its ID.
func (r *run) create(props any) (id string) {
	a := r.deliver(r.createEvent(props))
	if r.err == nil && a.Status != "SUCCESS" {
		r.err = unjudgedError("a Create is not answered SUCCESS")
	}
	return a.PhysicalResourceID
}

// occupyForeign makes a thing of somebody else's under an ID of any form, which the service may not have.
func (r *run) occupyForeign(name string) {
	if r.occupy(name); errors.As(r.err, new(contractError)) {
		r.err = missingError(r.err.Error() + ". If the service's IDs have one form, nothing can be under such an ID")
	}
}

// occupy makes a thing of somebody else's.
func (r *run) occupy(name string) {
	if r.err != nil {
		return
	}
	if r.service.Occupy(name); r.state(name) == nil {
		r.err = contractError("the Service's Occupy makes nothing that State shows: State returns nil for " + name)
	}
}

// findAnswered reports whether Find returned an ID, for the stack or for an event
// delivered by hand.
func (r *run) findAnswered(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.calls(), func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == id })
}
