package play

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/judge"
)

// Some events come of no template that a test could write: those of a resource
// that an older program made. They are delivered by hand.

// deliver delivers an event to a new process, by hand, and returns the answer.
func (p *play) deliver(event []byte) (Answer, error) {
	return p.invoke(event, event)
}

// deliverRecord delivers the record of an event that no process lived to
// answer, as to an on-failure destination.
func (p *play) deliverRecord(event []byte) (Answer, error) {
	return p.invoke(event, failureRecord(event))
}

func (p *play) invoke(event, payload []byte) (Answer, error) {
	if p.err != nil {
		return Answer{}, p.err
	}
	req, err := judge.ReadRequest(event)
	if err != nil {
		return Answer{}, err
	}
	p.log.plays(p)
	p.deletes = 0
	p.tell("%s", opening(req, event, payload))
	p.see(req.PhysicalResourceID)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), p.timeout())
	defer cancel()
	bodies, err := followed(hook.WithCalls(ctx, p.watch), p.service.Function, req.RequestType, payload)
	switch {
	case err != nil:
		return Answer{}, p.wrong("the invocation with the %s fails, so that Lambda would deliver it again: %v", req.RequestType, err)
	case len(bodies) != 1:
		return Answer{}, p.wrong("the %s is answered %d times, want once", req.RequestType, len(bodies))
	}
	a, err := judge.Read(req, bodies[0])
	if err != nil {
		return a, p.wrong("CloudFormation would not accept the answer to the %s: %v", req.RequestType, err)
	}
	p.tell("  answered %s %s", because(a.Status, a.Reason), a.PhysicalResourceID)
	p.see(a.PhysicalResourceID)
	p.delivered = append(p.delivered, a)
	p.largest = max(p.largest, len(bodies[0]))
	return a, nil
}

// followed is Follow, a panic being an error.
func followed(ctx context.Context, function func() Handler, requestType string, payload []byte) (bodies [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	bodies, _, err = Follow(ctx, function, requestType, payload)
	return bodies, err
}

// watch stands around the calls of the handler's methods.
func (p *play) watch(ctx context.Context, c hook.Call, method hook.Method) (string, error) {
	if c.PhysicalID == "" {
		p.tell("  the handler's %s is called", c.Method)
	} else {
		p.tell("  the handler's %s is called for %s", c.Method, c.PhysicalID)
	}
	p.see(c.PhysicalID)
	if c.Method == "Find" && p.blind {
		return "", nil
	}
	began := time.Now()
	id, err := method()
	if p.deletes > 0 {
		p.player.hurry.ended(ctx, c.Method, began, err)
	}
	if c.Method == deleteMethod {
		p.deletes++
	}
	p.see(id)
	if c.Method == "Find" && err == nil {
		p.answered(c.PhysicalID, id)
	}
	if c.Created != nil {
		p.see(c.Created())
	}
	return id, err
}

// answered keeps what Find answered first.
func (p *play) answered(at, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finds = append(p.finds, id)
	if p.found == nil {
		p.found = make(map[string]string)
	}
	if _, before := p.found[at]; !before { // asked with the new properties; later ones with the old
		p.found[at] = id
	}
}

// see keeps an ID under which a thing may be.
func (p *play) see(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.add(id)
}

// sights returns a copy of the IDs that came up.
func (p *play) sights() idSet {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.seen)
}

// last returns the latest answer to an event delivered by hand.
func (p *play) last() Answer { return p.delivered[len(p.delivered)-1] }

// make delivers a Create that has to succeed.
func (p *play) make(props any) (Answer, error) {
	a, err := p.deliver(p.createEvent(props))
	if err == nil && a.Status != "SUCCESS" {
		err = unjudgedError{"a Create is not answered SUCCESS"}
	}
	return a, err
}

// update delivers an Update that has to succeed, and to keep the ID.
func (p *play) update(id string, props, old any) error {
	a, err := p.deliver(p.updateEvent(id, props, old))
	switch {
	case err != nil:
		return err
	case a.Status != "SUCCESS":
		return p.wrong("the Update is answered FAILED")
	case a.PhysicalResourceID != id:
		return p.wrong("the Update is answered with the ID %s, and the resource's is %s", a.PhysicalResourceID, id)
	}
	return nil
}
