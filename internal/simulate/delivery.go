package simulate

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An exchange is a request that is being answered. The Stack's lock guards it.
type exchange struct {
	Request // without its Deliveries, which change until they have ended

	live       *engine.Live
	deliveries []*Delivery
	readyAt    time.Time // until when a slow request's Polls are held
}

// send is Live.Send: it starts the delivery of a request.
func (s *Stack) send(live *engine.Live, q *engine.Request) {
	// The request, and the fault that it meets.
	s.mu.Lock()
	x := &exchange{
		Request: Request{
			Type:         q.RequestType,
			LogicalID:    q.LogicalID,
			ResourceType: q.Type,
			PhysicalID:   q.PhysicalID,
			Fault:        s.fault(q),
			sent:         q,
		},
		live:    live,
		readyAt: s.now().Add(time.Duration(slowFactor * float64(s.opts.Timeout))),
	}
	if InPoll(x.Fault.Kind) {
		x.readyAt = q.Deadline.Add(24 * time.Hour)
	}

	// From here on something runs, until its delivery has ended.
	s.exchanges = append(s.exchanges, x)
	s.pending = append(s.pending, x)
	s.activity.begin()
	s.activity.deliveries++
	s.logfLocked("%v", requestText{q})
	in := s.startDelay()
	s.mu.Unlock()
	go func() {
		s.pause(in)
		s.deliver(x)
		s.mu.Lock()
		s.activity.deliveries--
		s.activity.answering--
		s.activity.end()
		s.mu.Unlock()
		if s.opts.RealTime {
			s.skipToDeadline(live)
		}
	}()
}

// Lambda waits a minute before it delivers an event for the second time, and
// two before the third and last.
const lambdaTries = 3

// deliver delivers a request as Lambda does, with all retries.
func (s *Stack) deliver(x *exchange) {
	now := actOf(x.Fault.Kind, delivering, 1)
	if now.does == waits {
		s.faultHappens(x, now)
		s.pause(2 * time.Minute)
	}
	if now.does == loses {
		s.faultHappens(x, now)
		s.publishAnswers(nil)
		return
	}
	event := s.event(x.sent)
	if now.does == doubles {
		s.twice(x, event, now)
		return
	}
	// A second delivery meets no fault: one a request is enough.
	unread := s.run(x, event, x.Fault, 1)
	if a := actOf(x.Fault.Kind, delivered, 1); a.does == repeats {
		s.pause(time.Second)
		s.faultHappens(x, a)
		unread = append(unread, s.run(x, event, fault.Fault{}, 1)...)
	}
	s.publishAnswers(unread)
}

// publishAnswers ends a delivery: whatever CloudFormation sends now comes after it.
func (s *Stack) publishAnswers(unread []*invocation) {
	s.mu.Lock()
	s.activity.answering++
	s.mu.Unlock()
	for _, inv := range unread {
		inv.publishAnswers()
	}
}

// run invokes the function with a payload as Lambda does, and then with the payloads that
// the function sends itself. link is the payload's place in the event's chain. run returns
// the invocations whose answers have not been read yet.
func (s *Stack) run(x *exchange, payload []byte, f fault.Fault, link int) (unread []*invocation) {
	var c chain
	inv := s.invoke(x, payload, f, link, false)
	for try := 1; inv.ended != ""; try++ {
		inv.publishAnswers() // those from before it failed
		s.follow(&c, inv)
		if try == lambdaTries {
			s.logAbout(x, engine.NoteTold, "  Lambda sends a record of it to the on-failure destination")
			inv = s.invoke(x, FailureRecord(payload), fault.Fault{}, link, true)
			break
		}
		s.pause(time.Duration(try) * time.Minute)
		s.logAbout(x, engine.NoteCall, "  Lambda delivers the event again")
		inv = s.invoke(x, payload, onRetry(x.Fault), link, false)
	}
	s.follow(&c, inv)
	return append([]*invocation{inv}, c.wait()...)
}

// twice delivers a request to two processes, of which the second begins a
// little later. CloudFormation reads the first answer when both have ended.
func (s *Stack) twice(x *exchange, event []byte, a act) {
	var first, second []*invocation
	var wg sync.WaitGroup
	wg.Go(func() { first = s.run(x, event, x.Fault, 1) })
	wg.Go(func() {
		s.simulateWork(nil, slowWork/2)
		s.faultHappens(x, a)
		second = s.run(x, event, x.Fault, 1)
	})
	wg.Wait()
	s.publishAnswers(append(first, second...))
}

// event returns the event of a request.
func (s *Stack) event(q *engine.Request) []byte {
	event := withoutMark(q.Event(Event{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID, Sent: s.sentAt(q)}.SignedURL()))
	s.mu.Lock()
	rewrite := s.rewrite
	s.mu.Unlock()
	if rewrite == nil {
		return event
	}
	return rewrite(q.RequestType, q.LogicalID, event)
}

// FailureRecord returns the record that Lambda sends to an on-failure destination (AWS Lambda Developer Guide,
// "Capturing records of Lambda asynchronous invocations").
func FailureRecord(event []byte) []byte {
	return JSON(map[string]any{
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

// faultHappens records that an exchange's fault happens.
func (s *Stack) faultHappens(x *exchange, a act) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faultHappensLocked(x, a.text)
}

// faultHappensLocked is faultHappens for a caller that holds the lock.
func (s *Stack) faultHappensLocked(x *exchange, what string) {
	x.FaultHit = true
	s.logAboutLocked(x, engine.NoteFault, "  FAULT %s: %s", x.Fault.Kind, what)
}

// watch is Live.Save: it sees the stack after each step, before its requests are sent.
func (s *Stack) watch(live *engine.Live, now *engine.Stack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.pending[:0]
	for _, x := range s.pending {
		if x.live != live || x.sent.Outcome == engine.Pending { // a deleted stack's is watched by its own steps
			waiting = append(waiting, x)
			continue
		}
		s.requestEnded(x)
	}
	s.pending = waiting
	if live != s.live {
		return
	}
	s.status = lifecycle.StackStatus(now.Status)
	for ; s.eventsLogged < len(now.Events); s.eventsLogged++ {
		if e := &now.Events[s.eventsLogged]; e.ResourceType == engine.StackType {
			s.logfLocked("stack %s", StatusText(e.ResourceStatus, e.ResourceStatusReason))
		}
	}
}

// requestEnded records the outcome of a request. The caller holds the lock.
func (s *Stack) requestEnded(x *exchange) {
	q := x.sent
	x.Outcome, x.Reason, x.answer = string(q.Outcome), q.Reason, q.Answer
	switch q.Outcome {
	case engine.TimedOut:
		s.logfLocked("no answer to the %s of %s: CloudFormation waited for %v", q.RequestType, q.LogicalID, q.Deadline.Sub(q.SentAt))
	case engine.Cancelled:
		s.logfLocked("CloudFormation no longer waits for the answer to the %s of %s", q.RequestType, q.LogicalID)
	case engine.Rejected:
		s.logfLocked("CloudFormation rejects the answer to the %s of %s: %s", q.RequestType, q.LogicalID, q.Reason)
	}
}
