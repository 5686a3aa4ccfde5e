package model

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

// functionTimeout is the Lambda function's, in the virtual time of the model.
const functionTimeout = 30 * time.Second

// A lambda runs dispatchers as Lambda runs processes: a new one for each event
// (every invocation may meet a cold start), or one that stays warm until it
// dies. It does not freeze processes, and it kills one only where a fault says
// so.
type lambda struct {
	k    *kind
	w    *world
	warm bool

	phase func(*cfnresource.Options) // nil if the kind does not ask for phases
	kept  []kept

	mu sync.Mutex
	d  *cfnresource.Dispatcher
}

// A kept event is one that Lambda delivers again when CloudFormation has gone on.
type kept struct {
	event      event
	operations int // how many end before that
}

func quiet(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) }

func (l *lambda) process() *cfnresource.Dispatcher {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.d == nil || !l.warm {
		l.d = l.k.dispatcher(l.w, l.phase)
	}
	return l.d
}

// deliver hands an event, or an envelope around it, to a process, and returns
// when the invocation has ended.
func (l *lambda) deliver(p *cfnresource.Dispatcher, payload []byte, d *delivery) {
	ctx, cancel := context.WithTimeout(context.Background(), functionTimeout)
	defer cancel()
	d.w, d.kill = l.w, cancel
	ctx = response.WithSender(context.WithValue(ctx, deliveryKey{}, d), d)
	start := time.Now()
	_, err := p.Invoke(ctx, payload)

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		l.mu.Lock()
		l.d = nil
		l.mu.Unlock()
		return
	}
	if took := time.Since(start); took > functionTimeout {
		l.w.harm("not answered in time", "%v", took)
	}
	switch {
	case d.fault.what == undelivered:
		if err == nil {
			l.w.harm("an undelivered answer not given back to Lambda", "")
		}
	case err != nil:
		l.w.harm("an answered event given back to Lambda", "%v", err)
	case len(d.sent) != 1:
		l.w.harm("not answered once", "%d answers", len(d.sent))
	}
	for _, r := range d.refused {
		l.w.harm("an answer that CloudFormation refuses", "%s", r)
	}
}

// request delivers an event with everything that goes wrong with it, and
// returns the answer that CloudFormation reads, or nil if there is none.
func (l *lambda) request(ev event, f fault, slow time.Duration) (read *answer, excused bool) {
	payload := ev.payload()
	first := &delivery{fault: f, slow: slow, event: ev}
	if f.twice > 0 {
		return l.twice(ev, first), true
	}
	l.deliver(l.process(), payload, first)

	second := &delivery{event: ev}
	switch f.then {
	case again:
		if len(first.sent) == 0 {
			pass(time.Minute)
		}
		l.w.tell("    (Lambda delivers the event again)")
		l.deliver(l.process(), payload, second)
		if l.warm && f.what == undelivered && second.calls > 0 {
			l.w.harm("work that was done, done again", "")
		}
	case recorded:
		pass(3 * time.Minute)
		l.w.tell("    (the on-failure destination gets the record)")
		l.deliver(l.process(), failureRecord(payload), second)
		if second.calls > 0 {
			l.w.harm("the handler called for a failure record", "")
		}
	case belated, stale:
		if len(first.sent) == 0 {
			pass(20 * time.Second)
			l.w.tell("    (another resource fails, and CloudFormation does not wait)")
		}
		l.kept = append(l.kept, kept{ev, int(f.then-belated) + 1})
	case silence:
		l.w.tell("    (nobody answers: CloudFormation waits for an hour)")
		pass(time.Hour)
	}
	for _, d := range []*delivery{first, second} {
		if len(d.sent) > 0 {
			return &d.sent[0], first.excused()
		}
	}
	return nil, first.excused()
}

// comeAgain delivers what was kept until now, and reports whether there was
// anything. Nobody reads the answers.
func (l *lambda) comeAgain() (came bool) {
	all := l.kept
	l.kept = nil
	for _, k := range all {
		if k.operations--; k.operations > 0 {
			l.kept = append(l.kept, k)
			continue
		}
		pass(max(0, 70*time.Second-time.Since(k.event.born)))
		l.w.tell("    (Lambda delivers again: %v)", k.event)
		l.deliver(l.process(), k.event.payload(), &delivery{event: k.event})
		came = true
	}
	return came
}

// twiceSlow is how long handlers work before and after the effect of an event
// that is delivered twice.
const twiceSlow = 1500 * time.Millisecond

// twice delivers an event to two processes, or twice to a warm one, nearly at
// once.
func (l *lambda) twice(ev event, first *delivery) *answer {
	second := &delivery{event: ev, slow: twiceSlow}
	first.slow = twiceSlow
	p1, p2 := l.process(), l.process()
	var wg sync.WaitGroup
	wg.Go(func() { l.deliver(p1, ev.payload(), first) })
	wg.Go(func() {
		pass(first.fault.twice)
		l.w.tell("    (Lambda delivers the event once more meanwhile)")
		l.deliver(p2, ev.payload(), second)
	})
	wg.Wait()
	if len(first.sent) == 0 || len(second.sent) == 0 {
		return nil // a harm is noted
	}
	if first.sentAt.Before(second.sentAt) != first.fault.readsLast {
		return &first.sent[0]
	}
	return &second.sent[0]
}

// failureRecord is the record of an asynchronous invocation that an on-failure
// destination receives.
func failureRecord(payload []byte) []byte {
	record, err := json.Marshal(map[string]any{
		"version":         "1.0",
		"timestamp":       time.Now().UTC().Format(time.RFC3339),
		"requestContext":  map[string]any{"requestId": "e3a4f0c5-0f6f-4a3e-9d2b-6f6a0c1c8a11", "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:F:$LATEST", "condition": "RetriesExhausted", "approximateInvokeCount": 3},
		"requestPayload":  json.RawMessage(payload),
		"responseContext": map[string]any{"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
		"responsePayload": map[string]any{"errorMessage": "RequestId: e3a4f0c5 Error: Runtime exited with error: signal: killed", "errorType": "Runtime.ExitError"},
	})
	if err != nil {
		panic(err)
	}
	return record
}
