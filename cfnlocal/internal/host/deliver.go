package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A delivery is an event on its way through a function's queue.
type delivery struct {
	function *function
	id       string
	payload  []byte
	trace    string // X-Ray's header; "" if no function has sent the event
	born     time.Time
	faults   []Fault // those that are to come
	looped   bool    // it exceeds the limit of a recursive loop
}

// take reports whether a fault is still to come, and removes it.
func (d *delivery) take(f Fault) bool {
	i := slices.Index(d.faults, f)
	if i >= 0 {
		d.faults = slices.Delete(slices.Clone(d.faults), i, i+1)
	}
	return i >= 0
}

// enqueue delivers an event, in the background.
func (h *Host) enqueue(d *delivery) error {
	if !h.enter(true) {
		return errClosed
	}
	go func() {
		defer h.leave(true)
		h.deliver(d)
	}()
	return nil
}

// deliver brings an event to its function until it succeeds or is given up. The host's end ends it.
func (h *Host) deliver(d *delivery) {
	if d.looped {
		h.report(Event{Kind: Looped, Function: d.function.name, RequestID: d.id, Payload: d.payload})
		h.giveUp(d, "RetriesExhausted", 0, outcome{}) // [?] which condition it is
		return
	}
	if d.function.Unavailable { // AWS Lambda Developer Guide, "Configuring reserved concurrency"; the condition is LocalStack's, compared with AWS
		h.giveUp(d, "ZeroReservedConcurrency", 0, outcome{})
		return
	}
	if d.take(DropEvent) {
		h.report(Event{Kind: Dropped, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "the queue lost it"})
		return
	}
	if d.take(Twice) {
		h.report(Event{Kind: Delivering, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "twice at once"})
		twin := *d
		twin.faults = nil
		_ = h.enqueue(&twin) // unless the host is closed
	}
	if !h.process(d) {
		return
	}
	if d.take(Redeliver) {
		h.report(Event{Kind: Delivering, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "again"})
		h.process(d)
	}
}

// retryDelays are the waits before the second and the third attempt.
var retryDelays = [2]time.Duration{time.Minute, 2 * time.Minute}

// process tries until the function succeeds, and reports whether it did.
func (h *Host) process(d *delivery) bool {
	var last outcome
	limit := d.born.Add(d.function.MaximumEventAge)
	for attempts, throttles := 0, 0; ; {
		if !h.config.Clock.Now().Before(limit) {
			h.giveUp(d, "EventAgeExceeded", attempts, last)
			return false
		}

		// A throttled event waits in the queue, which counts as no attempt.
		fault := d.nextFault()
		if fault == Throttle {
			next := h.config.Clock.Now().Add(min(time.Second<<min(throttles, 10), 5*time.Minute))
			throttles++
			h.report(Event{Kind: Throttled, Function: d.function.name, RequestID: d.id, Payload: d.payload, Next: next})
			if h.wait(d, next) != nil {
				return false
			}
			continue
		}

		// After a failed attempt, another one follows after a while, or the record.
		o, err := h.attemptInSlot(d, attempts+1, fault)
		if err != nil {
			return false
		}
		if o.kind == Succeeded {
			return true
		}
		last = o
		attempts++
		if attempts > d.function.MaximumRetryAttempts {
			h.giveUp(d, "RetriesExhausted", attempts, last)
			return false
		}
		if h.config.Deleted != nil && h.config.Deleted(d.function.ARN) {
			h.report(Event{Kind: Dropped, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "the function is deleted"})
			return false
		}
		next := h.config.Clock.Now().Add(retryDelays[attempts-1])
		h.report(Event{Kind: Retrying, Function: d.function.name, RequestID: d.id, Payload: d.payload, Attempt: attempts + 1, Next: next})
		if h.wait(d, next) != nil {
			return false
		}
	}
}

func (d *delivery) nextFault() Fault {
	for _, f := range d.faults {
		if f == Throttle || f == DieBefore || f == DieAfter {
			d.take(f)
			return f
		}
	}
	return ""
}

// wait waits for a time, or until the event is too old.
func (h *Host) wait(d *delivery, until time.Time) error {
	if limit := d.born.Add(d.function.MaximumEventAge); until.After(limit) {
		until = limit
	}
	return h.config.Clock.Wait(h.ctx, until)
}

// attemptInSlot waits for its turn.
func (h *Host) attemptInSlot(d *delivery, number int, fault Fault) (outcome, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-h.ctx.Done():
		return outcome{}, h.ctx.Err()
	}
	return h.attempt(h.ctx, d, number, fault)
}

// giveUp ends an event that could not be processed, and records it.
func (h *Host) giveUp(d *delivery, condition string, attempts int, last outcome) {
	f := d.function
	event := Event{Kind: Dropped, Function: f.name, RequestID: d.id, Payload: d.payload, Text: condition}
	if f.OnFailure == "" {
		h.report(event)
		return
	}
	event.Kind, event.Text = Recorded, f.OnFailure
	h.report(event)
	if _, err := h.Invoke(f.OnFailure, h.failureRecord(d, condition, attempts, last)); err != nil && h.ctx.Err() == nil {
		event.Kind, event.Text = Dropped, err.Error()
		h.report(event)
	}
}

// attempt gives an event to a process of its function, and returns how that
// ended. The error is that the context is done.
func (h *Host) attempt(ctx context.Context, d *delivery, number int, fault Fault) (outcome, error) {
	event := Event{Function: d.function.name, RequestID: d.id, Payload: d.payload, Attempt: number}
	// Each attempt is a chain of its own, unless a function has sent the event: then it is a link of that function's.
	trace := d.trace
	if trace == "" {
		trace = newChain().header(d.function.ARN)
	}
	inv := &invocation{id: d.id, arn: d.function.ARN, trace: trace, payload: d.payload, timeout: d.function.Timeout, exact: slices.Contains(d.faults, ExactTimeout), waited: slices.Contains(d.faults, NoCreateRuns), fault: fault,
		taken: make(chan struct{}), done: make(chan outcome, 1)}
	inv.late = func(p *process) {
		if d.function.late.CompareAndSwap(false, true) {
			event := event
			event.Kind, event.PID, event.Text = NotReady, p.pid, strings.Join(d.function.Command, " ")
			h.report(event)
		}
	}
	inv.invoked = func(p *process) {
		event := event
		event.Kind, event.PID = Invoked, p.pid
		h.report(event)
	}
	o, pid, err := h.invoke(ctx, d.function, inv, event)
	if err != nil {
		return outcome{}, err
	}
	event.Kind, event.PID, event.Overtime, event.Skipped, event.Text = o.kind, pid, o.overtime, o.skipped, o.text()
	h.report(event)
	return o, nil
}

// failureRecord returns the record that a destination gets (AWS Lambda Developer Guide, "Capturing
// records of Lambda asynchronous invocations").
func (h *Host) failureRecord(d *delivery, condition string, attempts int, last outcome) []byte {
	type responseContext struct {
		StatusCode      int    `json:"statusCode"`
		ExecutedVersion string `json:"executedVersion"`
		FunctionError   string `json:"functionError"`
	}
	var record struct {
		Version        string `json:"version"`
		Timestamp      string `json:"timestamp"`
		RequestContext struct {
			RequestID              string `json:"requestId"`
			FunctionARN            string `json:"functionArn"`
			Condition              string `json:"condition"`
			ApproximateInvokeCount int    `json:"approximateInvokeCount"`
		} `json:"requestContext"`
		RequestPayload  json.RawMessage  `json:"requestPayload"`
		ResponseContext *responseContext `json:"responseContext,omitempty"`
		ResponsePayload json.RawMessage  `json:"responsePayload,omitempty"`
	}
	record.Version, record.Timestamp = "1.0", h.config.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	record.RequestContext.RequestID = d.id
	arn, qualifier := unqualified(d.function.ARN)
	record.RequestContext.FunctionARN = arn + ":" + qualifier
	record.RequestContext.Condition = condition
	record.RequestContext.ApproximateInvokeCount = attempts
	record.RequestPayload = d.payload
	if attempts > 0 {
		record.ResponseContext = &responseContext{200, latest, "Unhandled"}
		record.ResponsePayload = last.payload
	}
	out, _ := json.Marshal(record) // payloads have been checked to be JSON
	return out
}

// A Topic is an SNS topic whose ARN is a ServiceToken: each subscriber gets the
// request in a notification.
type Topic struct {
	ARN         string   // arn:aws:sns:REGION:ACCOUNT:NAME
	Subscribers []string // the functions' ARNs
	MaxMessage  int      // how long a message may be, in bytes: 256 KiB if it is zero, as in SNS
}

// maxMessage is how long a message to a topic may be by default, in bytes (Amazon SNS Developer Guide,
// "Publishing large messages").
const maxMessage = 256 << 10

// AddTopic adds a topic, or replaces the one with its ARN. Functions that
// subscribe to it may be added later.
func (h *Host) AddTopic(t Topic) error {
	switch parts := strings.Split(t.ARN, ":"); {
	case len(parts) != 6, parts[0] != "arn", parts[2] != "sns", parts[5] == "":
		return fmt.Errorf("host: %.200q is not a topic's ARN: write arn:aws:sns:REGION:ACCOUNT:NAME", t.ARN)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[t.ARN] = t
	return nil
}

// publish sends a payload to each subscriber. A topic without subscribers accepts
// it silently, and CloudFormation waits for an answer until its timeout.
func (h *Host) publish(t Topic, payload []byte, faults []Fault) (messageID string, err error) {
	if limit := cmp.Or(t.MaxMessage, maxMessage); len(payload) > limit {
		return "", &RefusedError{http.StatusBadRequest, "InvalidParameter", "Invalid parameter: Message too long", "AmazonSNS"}
	}
	messageID = uuid.NewString()
	if len(t.Subscribers) == 0 {
		h.report(Event{Kind: Dropped, Function: t.name(), RequestID: messageID, Text: "nobody subscribes to the topic"})
		return messageID, nil
	}
	var errs []error
	for _, arn := range t.Subscribers {
		f := h.lookup(arn)
		if f == nil {
			h.report(Event{Kind: Dropped, Function: t.name(), RequestID: messageID, Text: "there is no function " + arn + ", which subscribes to the topic"})
			continue
		}
		// Its invocations have the message's ID, which Invoke returns.
		errs = append(errs, h.enqueue(&delivery{function: f, id: messageID, payload: h.notification(t, arn, messageID, payload), born: h.config.Clock.Now(), faults: faults}))
	}
	return messageID, errors.Join(errs...)
}

func (t Topic) name() string { return t.ARN[strings.LastIndexByte(t.ARN, ':')+1:] }

// notification is the event that a function gets from a topic (AWS Lambda
// Developer Guide, "Invoking Lambda functions with Amazon SNS notifications"),
// with CloudFormation's subject. It is not signed.
func (h *Host) notification(t Topic, subscriber, messageID string, payload []byte) []byte {
	subscription := t.ARN + ":" + uuid.NewString()
	type sns struct {
		Type, MessageId, TopicArn, Subject, Message, Timestamp, SignatureVersion, Signature, SigningCertUrl, UnsubscribeUrl string
		MessageAttributes                                                                                                   struct{}
	}
	type record struct {
		EventSource, EventVersion, EventSubscriptionArn string
		Sns                                             sns
	}
	region := strings.Split(subscriber, ":")[3]
	server := "https://sns." + region + "." + engine.PartitionOf(region).Suffix
	out, _ := json.Marshal(struct{ Records []record }{[]record{{ // strings always marshal
		EventSource:          "aws:sns",
		EventVersion:         "1.0",
		EventSubscriptionArn: subscription,
		Sns: sns{
			Type:             "Notification",
			MessageId:        messageID,
			TopicArn:         t.ARN,
			Subject:          "AWS CloudFormation custom resource request",
			Message:          string(payload),
			Timestamp:        h.config.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
			SignatureVersion: "1",
			Signature:        "none",
			SigningCertUrl:   server + "/none.pem",
			UnsubscribeUrl:   server + "/?Action=Unsubscribe&SubscriptionArn=" + subscription,
		},
	}}})
	return out
}
