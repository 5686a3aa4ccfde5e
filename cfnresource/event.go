package cfnresource

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cfnresource/sdk-go/response"
)

// The limits that CloudFormation sets (Template reference,
// AWS::CloudFormation::CustomResource, ServiceTimeout).
const maxServiceTimeout = time.Hour

// An event is one request of CloudFormation's, read so far that it can be
// answered. What it says of the resource's properties is read later.
type event struct {
	requestType    string
	url            response.URL
	request        Request
	physicalID     string
	properties     json.RawMessage
	oldProperties  json.RawMessage
	serviceTimeout time.Duration
	birth          time.Time // when CloudFormation signed the URL; zero if unknown
	died           string    // what is known of the death of the process that had the event before, or ""
	err            error     // why the event cannot be handled, though it can be answered
	raw            []byte
}

// wireEvent has every field raw: one that is wrong must not hide the others.
type wireEvent struct {
	RequestType           json.RawMessage
	ResponseURL           json.RawMessage
	StackID               json.RawMessage `json:"StackId"`
	RequestID             json.RawMessage `json:"RequestId"`
	ResourceType          json.RawMessage
	LogicalResourceID     json.RawMessage `json:"LogicalResourceId"`
	PhysicalResourceID    json.RawMessage `json:"PhysicalResourceId"`
	ServiceTimeout        json.RawMessage
	ResourceProperties    json.RawMessage
	OldResourceProperties json.RawMessage
}

// readEvent returns an error only if the event cannot be answered.
func readEvent(raw []byte) (*event, error) {
	var w wireEvent
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("the payload is not a custom resource event: %s: is the function invoked by something else than CloudFormation?", jsonProblem(err))
	}
	var bad []error
	text := func(name string, raw json.RawMessage) string {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil && raw != nil {
			bad = append(bad, fmt.Errorf("the event's %s is not a string", name))
		}
		return s
	}
	ev := &event{
		requestType: text("RequestType", w.RequestType),
		request: Request{
			RequestID:    text("RequestId", w.RequestID),
			StackID:      StackID(text("StackId", w.StackID)),
			LogicalID:    text("LogicalResourceId", w.LogicalResourceID),
			ResourceType: text("ResourceType", w.ResourceType),
		},
		physicalID:     text("PhysicalResourceId", w.PhysicalResourceID),
		properties:     w.ResourceProperties,
		oldProperties:  w.OldResourceProperties,
		serviceTimeout: serviceTimeout(w.ServiceTimeout, w.ResourceProperties),
		raw:            raw,
	}
	url := text("ResponseURL", w.ResponseURL)
	if url == "" {
		return nil, errors.New("the payload has no ResponseURL, so nobody can be answered: is the function invoked by something else than CloudFormation?")
	}
	var err error
	if ev.url, err = response.ParseURL(url); err != nil {
		return nil, err
	}
	ev.birth, _ = ev.url.Birth()

	switch ev.requestType {
	case "Create":
	case "Update", "Delete":
		if ev.physicalID == "" {
			bad = append(bad, fmt.Errorf("the event has no PhysicalResourceId, which CloudFormation sends with each %s", ev.requestType))
		}
	default:
		bad = append(bad, errors.New("the event's RequestType is none of Create, Update and Delete"))
	}
	ev.err = errors.Join(bad...)
	return ev, nil
}

// serviceTimeout returns how long CloudFormation waits for the answer. It
// sends the property ServiceTimeout among the others, as a string.
func serviceTimeout(top, properties json.RawMessage) time.Duration {
	var p struct{ ServiceTimeout json.RawMessage }
	_ = json.Unmarshal(properties, &p) // what cannot be read has no timeout
	for _, raw := range []json.RawMessage{p.ServiceTimeout, top} {
		var s json.Number // takes 30 and "30"
		if json.Unmarshal(raw, &s) != nil {
			continue
		}
		if n, err := strconv.Atoi(s.String()); err == nil && n > 0 {
			return min(time.Duration(n)*time.Second, maxServiceTimeout)
		}
	}
	return maxServiceTimeout
}

// deadline returns when CloudFormation stops waiting, counted from now if the
// event's birth is not known.
func (ev *event) deadline(now time.Time) time.Time {
	if ev.birth.IsZero() {
		return now.Add(ev.serviceTimeout)
	}
	return ev.birth.Add(ev.serviceTimeout)
}

// tooOld returns an error if CloudFormation has given the event up. A Delete
// is worth doing also after that, for an hour.
func (ev *event) tooOld(now time.Time) error {
	limit := ev.serviceTimeout
	if ev.requestType == "Delete" {
		limit = maxServiceTimeout
	}
	age := now.Sub(ev.birth)
	if ev.birth.IsZero() || age <= limit {
		return nil
	}
	return fmt.Errorf("the event is %s old and CloudFormation waits %s: it was not handled", age.Round(time.Second), limit)
}

// jsonProblem says what is wrong with JSON without repeating any of it.
func jsonProblem(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("not JSON at byte %d", syntax.Offset)
	}
	return "not a JSON object"
}
