package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// A Topic is an SNS topic that stands as a ServiceToken: each subscriber gets
// the request in a notification.
type Topic struct {
	ARN         string   // arn:aws:sns:REGION:ACCOUNT:NAME
	Subscribers []string // the functions' ARNs
}

// AddTopic makes a topic known, or replaces the one of its ARN. Functions that
// subscribe to it may be added later.
func (h *Host) AddTopic(t Topic) error {
	if parts := strings.Split(t.ARN, ":"); len(parts) != 6 || parts[0] != "arn" || parts[2] != "sns" || parts[5] == "" {
		return fmt.Errorf("host: %.200q is no topic's ARN: write arn:aws:sns:REGION:ACCOUNT:NAME", t.ARN)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[t.ARN] = t
	return nil
}

// publish sends a payload to each subscriber. A topic without any takes it
// silently, and CloudFormation waits for an answer until its time is over.
func (h *Host) publish(t Topic, payload []byte, faults []Fault) (messageID string, err error) {
	messageID = uuid.NewString()
	if len(t.Subscribers) == 0 {
		h.report(Event{Kind: Dropped, Function: t.name(), RequestID: messageID, Text: "nobody subscribes to the topic"})
		return messageID, nil
	}
	var errs []error
	for _, arn := range t.Subscribers {
		f := h.lookup(arn)
		if f == nil {
			h.report(Event{Kind: Dropped, Function: t.name(), RequestID: messageID, Text: "there is no function " + arn + " to get the topic's notification"})
			continue
		}
		// Its invocations have the message's ID, so that they can be told by what Invoke returns.
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
			SigningCertUrl:   "https://sns." + region + ".amazonaws.com/none.pem",
			UnsubscribeUrl:   "https://sns." + region + ".amazonaws.com/?Action=Unsubscribe&SubscriptionArn=" + subscription,
		},
	}}})
	return out
}
