package play

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/judge"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An exchange is a request, what goes wrong with it, and what came of it. The
// player's lock guards it.
type exchange struct {
	live       *engine.Live
	sent       *engine.Request // its outcome is read in watch alone
	fault      Fault
	deliveries []*Delivery
	met        bool      // whether the fault has happened
	ready      time.Time // until when a slow request's Polls are held
	held       bool      // one was
	outcome    string
	answer     string // that CloudFormation read, or ""
	answeredIn int    // the link of the chain that gave it
}

// send is Live.Send: it starts the delivery of a request.
func (p *Player) send(live *engine.Live, q *engine.Request) {
	p.mu.Lock()
	x := &exchange{live: live, sent: q, fault: p.fault(q)}
	x.ready = p.now().Add(time.Duration(longest * float64(p.opts.Timeout)))
	p.exchanges = append(p.exchanges, x)
	p.open = append(p.open, x)
	p.work.begin()
	p.work.deliveries++
	p.note("%v", sentence{q})
	in := p.startIn()
	p.mu.Unlock()
	go func() {
		p.pause(in)
		p.deliver(x)
		p.mu.Lock()
		p.work.deliveries--
		p.work.end()
		p.mu.Unlock()
		if p.opts.RealTime {
			p.skip(live)
		}
	}()
}

// Lambda waits a minute before it delivers an event for the second time, and
// two before the third and last.
const lambdaTries = 3

// deliver plays Lambda, until it is done with a request.
func (p *Player) deliver(x *exchange) {
	if x.fault.What == Late {
		p.happens(x, "FAULT late: Lambda delivers the event two minutes late")
		p.pause(2 * time.Minute)
	}
	event := p.event(x.sent)
	if x.fault.What == Twice {
		p.twice(x, event)
		return
	}
	unread := p.run(x, event, x.fault, 1)
	if x.fault.What == Redeliver {
		p.pause(time.Second)
		p.happens(x, "FAULT redeliver: Lambda delivers the event once more")
		unread = append(unread, p.run(x, event, Fault{}, 1)...)
	}
	for _, inv := range unread {
		inv.handOver()
	}
}

// run plays Lambda with a payload, which is the event's link-th in its chain,
// and with what the function sends itself then. It returns the invocations whose
// answers nobody has read yet.
func (p *Player) run(x *exchange, payload []byte, fault Fault, link int) (unread []*invocation) {
	var c chain
	inv := p.invoke(x, payload, fault, link, false)
	for try := 1; inv.ended != ""; try++ {
		inv.handOver() // what it answered before it ended so
		p.follow(&c, inv)
		if try == lambdaTries {
			p.tell("  the on-failure destination gets the record of it")
			inv = p.invoke(x, failureRecord(payload), Fault{}, link, true)
			break
		}
		p.pause(time.Duration(try) * time.Minute)
		p.tell("  Lambda delivers the event again")
		inv = p.invoke(x, payload, x.fault.again(), link, false)
	}
	p.follow(&c, inv)
	return append([]*invocation{inv}, c.wait()...)
}

// again returns what goes wrong with the second and third delivery.
func (f Fault) again() Fault {
	if f.What == DieForGood || f.What == LinkDiesForGood {
		return f
	}
	return Fault{}
}

// twice delivers a request to two processes, of which the second begins a
// little later. CloudFormation reads the first answer when both have ended.
func (p *Player) twice(x *exchange, event []byte) {
	var first, second []*invocation
	var wg sync.WaitGroup
	wg.Go(func() { first = p.run(x, event, x.fault, 1) })
	wg.Go(func() {
		p.linger(nil, slowly/2)
		p.happens(x, "FAULT twice: Lambda delivers the event to another process meanwhile")
		second = p.run(x, event, x.fault, 1)
	})
	wg.Wait()
	for _, inv := range append(first, second...) {
		inv.handOver()
	}
}

// event returns the event of a request.
func (p *Player) event(q *engine.Request) []byte {
	return q.Event(Event{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID, Sent: p.birth(q)}.SignedURL())
}

// failureRecord returns what Lambda sends to an on-failure destination
// (AWS Lambda Developer Guide, "Capturing records of Lambda asynchronous
// invocations").
func failureRecord(event []byte) []byte {
	return encode(map[string]any{
		"version":   "1.0",
		"timestamp": time.Now().UTC().Format(time.RFC3339),
		"requestContext": map[string]any{
			"requestId": "e4b46cbf-b738-xmpl-8880-a18cdf61200e", "functionArn": serviceToken + ":$LATEST",
			"condition": "RetriesExhausted", "approximateInvokeCount": lambdaTries,
		},
		"requestPayload":  json.RawMessage(event),
		"responseContext": map[string]any{"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
		"responsePayload": map[string]any{"errorMessage": "Error: Runtime exited with error: signal: killed", "errorType": "Runtime.ExitError"},
	})
}

// happens tells that an exchange's fault has happened.
func (p *Player) happens(x *exchange, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.met = true
	p.note("  %s", what)
}

// watch is Live.Save: it sees the stack after each step, before its requests
// are sent.
func (p *Player) watch(s *engine.Stack) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.open[:0]
	for _, x := range p.open {
		if x.sent.Outcome == engine.Pending {
			waiting = append(waiting, x)
			continue
		}
		p.closed(x)
	}
	p.open = waiting
	p.state = s.Status
	for ; p.rows < len(s.Events); p.rows++ {
		if e := &s.Events[p.rows]; e.ResourceType == engine.StackType {
			p.note("stack %s", because(e.ResourceStatus, e.ResourceStatusReason))
			if e.ResourceStatus == string(lifecycle.StackUpdateInProgress) {
				p.updated = e.Timestamp
			}
		}
	}
}

// closed notes what came of a request. The caller holds the lock.
func (p *Player) closed(x *exchange) {
	q := x.sent
	x.outcome, x.answer = string(q.Outcome), q.Answer
	switch q.Outcome {
	case engine.TimedOut:
		p.note("nobody answered the %s of %s: CloudFormation has waited for %v", q.RequestType, q.LogicalID, q.Deadline.Sub(q.SentAt))
	case engine.Cancelled:
		p.note("the answer to the %s of %s is no longer waited for", q.RequestType, q.LogicalID)
	case engine.Rejected:
		p.note("CloudFormation rejects the answer to the %s of %s: %s", q.RequestType, q.LogicalID, q.Reason)
	}
}

// asked returns what an answer to a request is held against.
func asked(q *engine.Request) judge.Request {
	return judge.Request{RequestType: q.RequestType, StackID: q.StackID, RequestID: q.RequestID, LogicalResourceID: q.LogicalID, PhysicalResourceID: q.PhysicalID}
}

// Requests returns all requests, in the order in which they were sent.
func (p *Player) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Request, 0, len(p.exchanges))
	for _, x := range p.exchanges {
		q := x.sent
		r := Request{
			Type: q.RequestType, LogicalID: q.LogicalID, ResourceType: q.Type, PhysicalID: q.PhysicalID,
			Properties: sentProperties(q.Properties), OldProperties: sentProperties(q.OldProperties),
			Outcome: x.outcome,
		}
		if x.answer != "" {
			a, _ := judge.Read(asked(q), []byte(x.answer)) // what is wrong with it was noted when it came
			a.Invocations = x.answeredIn
			r.Answer = &a
		}
		if x.met {
			r.Fault = x.fault.What
		}
		for _, d := range x.deliveries {
			c := *d
			c.Calls = append([]Call(nil), d.Calls...)
			r.Deliveries = append(r.Deliveries, c)
		}
		all = append(all, r)
	}
	return all
}

// sentProperties returns properties without what is CloudFormation's own.
func sentProperties(p engine.Properties) map[string]any {
	m := p.Map()
	delete(m, "ServiceToken")
	return m
}
