package play

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/judge"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Some events come of no template that a test could write: those of a resource
// that an older program made. They are delivered by hand.

// deliver delivers an event to a new process, by hand, and returns the answer.
func (p *run) deliver(event []byte) (judge.Response, error) {
	return p.invoke(event, event)
}

// deliverRecord delivers the record of an event that no process lived to
// answer, as to an on-failure destination.
func (p *run) deliverRecord(event []byte) (judge.Response, error) {
	return p.invoke(event, simulate.FailureRecord(event))
}

func (p *run) invoke(event, payload []byte) (judge.Response, error) {
	if p.err != nil {
		return judge.Response{}, p.err
	}
	req, err := judge.ReadRequest(event)
	if err != nil {
		return judge.Response{}, err
	}
	p.log.setRun(p)
	p.deletes = 0
	p.logf("%s", eventText(req, event, payload))
	p.addSeen(req.PhysicalResourceID)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), p.timeout())
	defer cancel()
	bodies, err := followRecovered(hook.WithCalls(ctx, p.recordCall), p.service.Function, req.RequestType, payload)
	switch {
	case err != nil:
		return judge.Response{}, p.failf("the invocation with the %s fails, so that Lambda would deliver it again: %v", req.RequestType, err)
	case len(bodies) != 1:
		return judge.Response{}, p.failf("the %s is answered %d times, want once", req.RequestType, len(bodies))
	}
	a, err := judge.Read(req, bodies[0])
	if err != nil {
		return a, p.failf("CloudFormation would not accept the answer to the %s: %v", req.RequestType, err)
	}
	p.logf("  answered %s %s", simulate.StatusText(a.Status, a.Reason), a.PhysicalResourceID)
	p.addSeen(a.PhysicalResourceID)
	p.delivered = append(p.delivered, a)
	p.largest = max(p.largest, len(bodies[0]))
	return a, nil
}

// followRecovered is Follow, a panic being an error.
func followRecovered(ctx context.Context, function func() simulate.Function, requestType string, payload []byte) (bodies [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	bodies, _, err = simulate.Follow(ctx, function, requestType, payload)
	return bodies, err
}

// recordCall is the hook.Func that records the calls of the handler's methods.
func (p *run) recordCall(ctx context.Context, c hook.Call, method hook.Method) (string, error) {
	if c.PhysicalID == "" {
		p.logf("  the handler's %s is called", c.Method)
	} else {
		p.logf("  the handler's %s is called for %s", c.Method, c.PhysicalID)
	}
	p.addSeen(c.PhysicalID)
	if c.Method == "Find" && p.findDisabled {
		return "", nil
	}
	began := time.Now()
	id, err := method()
	if p.deletes > 0 && err != nil && ctx.Err() != nil {
		p.setStopped(stoppedCall{c.Method, time.Since(began)})
	}
	if c.Method == "Delete" {
		p.deletes++
	}
	p.addSeen(id)
	if c.Method == "Find" && err == nil {
		p.findReturned(c.PhysicalID, id)
	}
	if c.Created != nil {
		p.addSeen(c.Created())
	}
	return id, err
}

func (p *run) setStopped(c stoppedCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = c
}

// findReturned records what Find returned.
func (p *run) findReturned(at, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.foundIDs = append(p.foundIDs, id)
	if p.foundByID == nil {
		p.foundByID = make(map[string]string)
	}
	if _, before := p.foundByID[at]; !before { // asked with the new properties; later ones with the old
		p.foundByID[at] = id
	}
}

// addSeen keeps an ID under which a thing may be.
func (p *run) addSeen(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.add(id)
}

// seenIDs returns a copy of the IDs that came up.
func (p *run) seenIDs() idSet {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.seen)
}

// last returns the latest answer to an event delivered by hand.
func (p *run) last() judge.Response { return p.delivered[len(p.delivered)-1] }

// create delivers a Create that has to succeed.
func (p *run) create(props any) (judge.Response, error) {
	a, err := p.deliver(p.createEvent(props))
	if err == nil && a.Status != "SUCCESS" {
		err = unjudgedError{"a Create is not answered SUCCESS"}
	}
	return a, err
}

// update delivers an Update that has to succeed, and to keep the ID.
func (p *run) update(id string, props, old any) error {
	a, err := p.deliver(p.updateEvent(id, props, old))
	switch {
	case err != nil:
		return err
	case a.Status != "SUCCESS":
		return p.failf("the Update is answered FAILED")
	case a.PhysicalResourceID != id:
		return p.failf("the Update is answered with the ID %s, and the resource's is %s", a.PhysicalResourceID, id)
	}
	return nil
}
