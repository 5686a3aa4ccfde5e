// Package event reads what Lambda delivers: CloudFormation's requests, and the
// envelopes around them. All of it is hostile input.
package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/response"
)

// maxServiceTimeout is how long CloudFormation waits by default, and at most
// (Template reference, AWS::CloudFormation::CustomResource, ServiceTimeout).
const maxServiceTimeout = time.Hour

// An Event is one request of CloudFormation's that can be answered.
type Event struct {
	Type          string // Create, Update or Delete, unless Err is set
	URL           response.URL
	RequestID     string
	StackID       string
	LogicalID     string
	ResourceType  string
	PhysicalID    string
	Properties    properties.Member
	OldProperties properties.Member

	ServiceTimeout time.Duration // how long CloudFormation waits
	SentAt         time.Time     // when CloudFormation signed the URL; zero if unknown
	Died           string        // why an earlier process did not answer the event, or ""
	ErrorMessage   string        // of that process: the user's text, which may quote secrets
	Chain          Chain         // what earlier invocations of this function say
	Err            error         // why the event can be answered, but not handled
	Raw            []byte
}

// A wire is a payload: an event, or an envelope around events.
type wire struct {
	requestType, responseURL, stackID, requestID, resourceType, logicalID, physicalID string

	serviceTimeout, properties, oldProperties properties.Member
	chain                                     json.RawMessage
	envelope

	raw      []byte
	mistyped []string // fields that are not strings
	tooDeep  bool     // something was left out, since encoding/json does not read it so deep
}

// parse reads a JSON object. Like encoding/json, it takes names in any case.
func parse(raw []byte) (*wire, error) {
	// Where each member goes.
	w := &wire{raw: raw}
	texts := []struct {
		name     string
		to       *string
		mistyped bool
	}{
		{name: "LogicalResourceId", to: &w.logicalID}, {name: "PhysicalResourceId", to: &w.physicalID},
		{name: "RequestId", to: &w.requestID}, {name: "RequestType", to: &w.requestType},
		{name: "ResourceType", to: &w.resourceType}, {name: "ResponseURL", to: &w.responseURL}, {name: "StackId", to: &w.stackID},
	}
	raws := []struct {
		name string
		to   *properties.Member
	}{
		{"ServiceTimeout", &w.serviceTimeout}, {"ResourceProperties", &w.properties}, {"OldResourceProperties", &w.oldProperties},
		{"Records", &w.records}, {"requestPayload", &w.requestPayload}, {"requestContext", &w.requestContext}, {"responsePayload", &w.responsePayload},
	}
	keep := func(name []byte, value properties.Member) {
		if string(name) == chainMember && w.chain == nil { // the first counts: it is the last invocation's
			w.chain = value.JSON()
			return
		}
		for i := range texts {
			if t := &texts[i]; strings.EqualFold(string(name), t.name) { // of several the last counts
				var isText bool
				*t.to, isText = value.Text()
				t.mistyped = !isText
				return
			}
		}
		for _, r := range raws {
			if strings.EqualFold(string(name), r.name) {
				*r.to = value
				return
			}
		}
	}
	// What encoding/json would not read is left out, and the rest is read.
	read := properties.Members(raw, keep)
	if !read {
		var shallow []byte
		shallow, w.tooDeep = properties.Shallow(raw)
		read = w.tooDeep && properties.Members(shallow, keep)
	}
	if !read {
		return nil, fmt.Errorf("the payload is not a custom resource event: %s: is the function invoked by something other than CloudFormation?", jsonProblem(raw))
	}
	for _, t := range texts {
		if t.mistyped {
			w.mistyped = append(w.mistyped, t.name)
		}
	}
	return w, nil
}

// event returns an error only if the event cannot be answered.
func (w *wire) event() (*Event, error) {
	// What makes an answer impossible.
	if w.responseURL == "" {
		return nil, errors.New("the payload has no ResponseURL, so there is nowhere to send an answer: is the function invoked by something other than CloudFormation?")
	}
	url, err := response.ParseURL(w.responseURL)
	if err != nil {
		return nil, err
	}

	// The rest is answered, whatever is wrong with it.
	var bad []error
	for _, name := range w.mistyped {
		bad = append(bad, fmt.Errorf("the event's %s is not a string", name))
	}
	if w.tooDeep {
		bad = append(bad, errors.New("the event's JSON is nested more than 10,000 deep, which encoding/json does not read: nest less"))
	}
	ev := &Event{
		Type:           Printable(w.requestType),
		URL:            url,
		RequestID:      w.requestID,
		StackID:        w.stackID,
		LogicalID:      w.logicalID,
		ResourceType:   w.resourceType,
		PhysicalID:     w.physicalID,
		Properties:     w.properties,
		OldProperties:  w.oldProperties,
		ServiceTimeout: serviceTimeout(w.serviceTimeout.JSON(), w.properties.JSON()),
		Raw:            w.raw,
	}
	ev.SentAt, _ = url.SignedAt()
	if ev.Chain, err = chainOf(w.chain); err != nil {
		bad = append(bad, err)
	}

	// What its type asks for.
	switch ev.Type {
	case "Create":
	case "Update", "Delete":
		if ev.PhysicalID == "" {
			bad = append(bad, fmt.Errorf("the event has no PhysicalResourceId, which CloudFormation sends with each %s", ev.Type))
		}
	default:
		bad = append(bad, errors.New("the event's RequestType is none of Create, Update and Delete"))
	}
	ev.Err = errors.Join(bad...)
	return ev, nil
}

// serviceTimeout returns how long CloudFormation waits for the answer. It
// sends the property ServiceTimeout among the others, as a string.
func serviceTimeout(top, properties json.RawMessage) time.Duration {
	inside := bytes.Contains(properties, []byte("ServiceTimeout"))
	if top == nil && !inside { // mostly
		return maxServiceTimeout
	}
	var p map[string]json.RawMessage // serviceTimeout is a property of the handler's own
	if inside {
		_ = json.Unmarshal(properties, &p) // what cannot be read has no timeout
	}
	for _, raw := range []json.RawMessage{p["ServiceTimeout"], top} {
		var s json.Number // takes 30 and "30"
		if json.Unmarshal(raw, &s) != nil {
			continue
		}
		if n, err := strconv.Atoi(s.String()); err == nil && n > 0 {
			return time.Duration(min(n, int(maxServiceTimeout/time.Second))) * time.Second
		}
	}
	return maxServiceTimeout
}

// Deadline returns when CloudFormation stops waiting, counted from now if the
// event's SentAt is not known, or is still to come: the clocks differ then.
func (ev *Event) Deadline(now time.Time) time.Time {
	if ev.SentAt.IsZero() || ev.SentAt.After(now) {
		return now.Add(ev.ServiceTimeout)
	}
	return ev.SentAt.Add(ev.ServiceTimeout)
}

// Signature returns the query of the ResponseURL, which is to be redacted in texts
// about the event: whoever has it can answer.
func (ev *Event) Signature() string {
	w, err := parse(ev.Raw)
	if err != nil {
		return ""
	}
	_, query, _ := strings.Cut(w.responseURL, "?")
	return query
}

// TooOld returns an error if CloudFormation no longer waits for the event. A Delete
// is handled for an hour all the same.
func (ev *Event) TooOld(now time.Time) error {
	limit := ev.ServiceTimeout
	if ev.Type == "Delete" {
		limit = maxServiceTimeout
	}
	age := now.Sub(ev.SentAt)
	if ev.SentAt.IsZero() || age <= limit {
		return nil
	}
	return fmt.Errorf("the event is %s old and CloudFormation waits %s: it was not handled", age.Round(time.Second), limit)
}

// DeathReason returns Died with the process's error message, which is to be redacted.
func (ev *Event) DeathReason() string {
	if ev.ErrorMessage == "" {
		return ev.Died
	}
	return ev.Died + ": " + ev.ErrorMessage
}

// jsonProblem says why raw is not a JSON object, without quoting it.
func jsonProblem(raw []byte) string {
	var object map[string]json.RawMessage
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(raw, &object)); ok {
		return fmt.Sprintf("not JSON at byte %d", syntax.Offset)
	}
	return "not a JSON object"
}

// IsDescribe reports whether a payload asks a function to describe itself: an
// object with the one member "cfnresource", which is "describe". An event of
// CloudFormation's has others, and so has every envelope.
func IsDescribe(payload []byte) bool {
	const longest = 100 // with spaces: longer payloads are not read
	members, isDescribe := 0, false
	isObject := len(payload) <= longest && properties.Members(payload, func(name []byte, value properties.Member) {
		members++
		text, isText := value.Text()
		isDescribe = string(name) == "cfnresource" && isText && text == "describe"
	})
	return isObject && members == 1 && isDescribe
}

// maxPrinted is how many bytes of a field are printed. CloudFormation's stack IDs have some 200.
const maxPrinted = 256

// Printable returns a field of an event as it may stand in a log, a Reason or an error: one line
// without control characters, so that it cannot begin a record of its own, and no longer than tells
// which it is. Answers repeat the field as it came.
func Printable(field string) string { return redact.OneLine(field, maxPrinted) }
