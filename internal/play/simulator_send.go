package play

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
	"github.com/cfnresource/sdk-go/internal/judge"
)

// An exchange is a request, its fault, and its outcome. The
// Simulator's lock guards it.
type exchange struct {
	live          *engine.Live
	request       *engine.Request // only watch reads its outcome
	fault         Fault
	deliveries    []*Delivery
	faultHappened bool      // whether the fault has happened
	readyAt       time.Time // until when a slow request's Polls are held
	pollHeld      bool      // a Poll was held
	outcome       string
	answer        string // that CloudFormation read, or ""
	answeredIn    int    // the link of the chain that gave it
}

// send is Live.Send: it starts the delivery of a request.
func (p *Simulator) send(live *engine.Live, q *engine.Request) {
	p.mu.Lock()
	x := &exchange{live: live, request: q, fault: p.fault(q)}
	x.readyAt = p.now().Add(time.Duration(slowFactor * float64(p.opts.Timeout)))
	p.exchanges = append(p.exchanges, x)
	p.pending = append(p.pending, x)
	p.activity.begin()
	p.activity.deliveries++
	p.logfLocked("%v", requestText{q})
	in := p.startDelay()
	p.mu.Unlock()
	go func() {
		p.pause(in)
		p.deliver(x)
		p.mu.Lock()
		p.activity.deliveries--
		p.activity.end()
		p.mu.Unlock()
		if p.opts.RealTime {
			p.skipToDeadline(live)
		}
	}()
}

// Lambda waits a minute before it delivers an event for the second time, and
// two before the third and last.
const lambdaTries = 3

// deliver delivers a request as Lambda does, with all retries.
func (p *Simulator) deliver(x *exchange) {
	if x.fault.Kind == Late {
		p.faultHappens(x, "FAULT late: Lambda delivers the event two minutes late")
		p.pause(2 * time.Minute)
	}
	event := p.event(x.request)
	if x.fault.Kind == Twice {
		p.twice(x, event)
		return
	}
	unread := p.run(x, event, x.fault, 1)
	if x.fault.Kind == Redeliver {
		p.pause(time.Second)
		p.faultHappens(x, "FAULT redeliver: Lambda delivers the event once more")
		unread = append(unread, p.run(x, event, Fault{}, 1)...)
	}
	for _, inv := range unread {
		inv.publishAnswers()
	}
}

// run invokes the function with a payload as Lambda does, and then with what the
// function sends itself. link is the payload's place in the event's chain. run returns
// the invocations whose answers have not been read yet.
func (p *Simulator) run(x *exchange, payload []byte, fault Fault, link int) (unread []*invocation) {
	var c chain
	inv := p.invoke(x, payload, fault, link, false)
	for try := 1; inv.ended != ""; try++ {
		inv.publishAnswers() // what it answered before it failed
		p.follow(&c, inv)
		if try == lambdaTries {
			p.logAbout(x, page.Told, "  the on-failure destination gets the record of it")
			inv = p.invoke(x, failureRecord(payload), Fault{}, link, true)
			break
		}
		p.pause(time.Duration(try) * time.Minute)
		p.logAbout(x, page.Call, "  Lambda delivers the event again")
		inv = p.invoke(x, payload, x.fault.onRetry(), link, false)
	}
	p.follow(&c, inv)
	return append([]*invocation{inv}, c.wait()...)
}

// onRetry returns the fault of the second and third delivery.
func (f Fault) onRetry() Fault {
	if f.Kind == DieForGood || f.Kind == LinkDiesForGood {
		return f
	}
	return Fault{}
}

// twice delivers a request to two processes, of which the second begins a
// little later. CloudFormation reads the first answer when both have ended.
func (p *Simulator) twice(x *exchange, event []byte) {
	var first, second []*invocation
	var wg sync.WaitGroup
	wg.Go(func() { first = p.run(x, event, x.fault, 1) })
	wg.Go(func() {
		p.simulateWork(nil, slowWork/2)
		p.faultHappens(x, "FAULT twice: Lambda delivers the event to another process meanwhile")
		second = p.run(x, event, x.fault, 1)
	})
	wg.Wait()
	for _, inv := range append(first, second...) {
		inv.publishAnswers()
	}
}

// event returns the event of a request.
func (p *Simulator) event(q *engine.Request) []byte {
	return q.Event(Event{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID, Sent: p.sentAt(q)}.SignedURL())
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

// faultHappens tells that an exchange's fault has happened.
func (p *Simulator) faultHappens(x *exchange, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.faultHappened = true
	p.logAboutLocked(x, page.Fault, "  %s", what)
}

// watch is Live.Save: it sees the stack after each step, before its requests
// are sent.
func (p *Simulator) watch(s *engine.Stack) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.pending[:0]
	for _, x := range p.pending {
		if x.request.Outcome == engine.Pending {
			waiting = append(waiting, x)
			continue
		}
		p.requestEnded(x)
	}
	p.pending = waiting
	p.status = s.Status
	for ; p.eventsLogged < len(s.Events); p.eventsLogged++ {
		if e := &s.Events[p.eventsLogged]; e.ResourceType == engine.StackType {
			p.logfLocked("stack %s", withReason(e.ResourceStatus, e.ResourceStatusReason))
		}
	}
}

// requestEnded records the outcome of a request. The caller holds the lock.
func (p *Simulator) requestEnded(x *exchange) {
	q := x.request
	x.outcome, x.answer = string(q.Outcome), q.Answer
	switch q.Outcome {
	case engine.TimedOut:
		p.logfLocked("nobody answered the %s of %s: CloudFormation has waited for %v", q.RequestType, q.LogicalID, q.Deadline.Sub(q.SentAt))
	case engine.Cancelled:
		p.logfLocked("the answer to the %s of %s is no longer waited for", q.RequestType, q.LogicalID)
	case engine.Rejected:
		p.logfLocked("CloudFormation rejects the answer to the %s of %s: %s", q.RequestType, q.LogicalID, q.Reason)
	}
}

// judgedRequest returns the request as package judge needs it to check the answer.
func judgedRequest(q *engine.Request) judge.Request {
	return judge.Request{RequestType: q.RequestType, StackID: q.StackID, RequestID: q.RequestID, LogicalResourceID: q.LogicalID, PhysicalResourceID: q.PhysicalID}
}

// Requests returns all requests, in the order in which they were sent.
func (p *Simulator) Requests() []StackRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]StackRequest, 0, len(p.exchanges))
	for _, x := range p.exchanges {
		q := x.request
		r := StackRequest{
			Type: q.RequestType, LogicalID: q.LogicalID, ResourceType: q.Type, PhysicalID: q.PhysicalID,
			Properties: sentProperties(q.Properties), OldProperties: sentProperties(q.OldProperties),
			Outcome: x.outcome,
		}
		if x.answer != "" {
			a, _ := judge.Read(judgedRequest(q), []byte(x.answer)) // its violations were recorded when it came
			a.Invocations = x.answeredIn
			r.Response = &a
		}
		if x.faultHappened {
			r.Fault = x.fault.Kind
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

// sentProperties returns properties without those that CloudFormation adds.
func sentProperties(p engine.Properties) map[string]any {
	m := p.Map()
	delete(m, "ServiceToken")
	return m
}
