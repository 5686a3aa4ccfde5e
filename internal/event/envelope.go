package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// The envelopes that an event may arrive in: the records of an SNS notification, and the record
// that an on-failure destination gets of an event whose process died (Lambda developer guide,
// "Capturing records of asynchronous invocations"). A plain event may have such fields of any type.
type envelope struct {
	records, requestPayload, requestContext, responsePayload properties.Member
}

// errNoMessage costs nothing: a payload has room for a hundred thousand records without a message.
var errNoMessage = errors.New("it has no message")

// maxErrors is how many errors of records are kept. SNS sends one record at a time.
const maxErrors = 20

// Read returns the events of a payload that can be answered, and an error for those that cannot. It
// keeps nothing of payload, which Lambda's runtime uses again for the next event, while code that
// was given up may still read this one.
func Read(payload []byte) ([]*Event, error) {
	w, err := parse(bytes.Clone(payload))
	if err != nil {
		return nil, err
	}
	if w.requestPayload.JSON() == nil || w.responseURL != "" {
		return w.events()
	}

	var about struct {
		Condition string `json:"condition"`
	}
	_ = json.Unmarshal(w.requestContext.JSON(), &about) // what cannot be read says nothing
	if about.Condition == "Success" {
		return nil, errors.New("the payload is the record of an invocation that succeeded: make this function the on-failure destination only")
	}
	var last struct {
		ErrorMessage string `json:"errorMessage"`
	}
	_ = json.Unmarshal(w.responsePayload.JSON(), &last)

	failed, err := parse(w.requestPayload.JSON())
	if err != nil {
		return nil, err
	}
	failed.tooDeep = failed.tooDeep || w.tooDeep
	events, err := failed.events()
	for _, ev := range events {
		ev.Died = "the function ended before it answered"
		if about.Condition != "" {
			ev.Died += " (" + Printable(about.Condition) + ")"
		}
		ev.ErrorMessage = last.ErrorMessage
	}
	return events, err
}

// events returns the events of a notification, or the one event outside of any.
func (w *wire) events() ([]*Event, error) {
	var records []struct {
		SNS struct{ Message string } `json:"Sns"`
	}
	if raw := w.records.JSON(); raw != nil {
		_ = json.Unmarshal(raw, &records)
	}
	if len(records) == 0 {
		ev, err := w.event()
		if err != nil {
			return nil, err
		}
		return []*Event{ev}, nil
	}
	var events []*Event
	var errs []error
	left := 0
	for i, record := range records {
		var ev *Event
		err := errNoMessage
		if record.SNS.Message != "" {
			var w *wire
			if w, err = parse([]byte(record.SNS.Message)); err == nil {
				w.chain = nil // events from SNS are not continued
				ev, err = w.event()
			}
		}
		switch {
		case err == nil:
			events = append(events, ev)
		case len(errs) < maxErrors:
			errs = append(errs, fmt.Errorf("record %d of %d: %w", i+1, len(records), err))
		default:
			left++
		}
	}
	if left > 0 {
		errs = append(errs, fmt.Errorf("and %d more", left))
	}
	return events, errors.Join(errs...)
}

// A Chain is what one invocation tells the next one that continues its event. It is a
// member of the event beside CloudFormation's own.
type Chain struct {
	Links      int             `json:"links"`             // how many invocations were before this one
	CreatedID  string          `json:"created,omitempty"` // the ID of what they created, or ""
	StartPhase lifecycle.Phase `json:"began"`             // the first one's phase
}

// MaxLinks is how many invocations may follow the first. Lambda ends a chain of about 16 by itself
// (Lambda developer guide, "Use Lambda recursive loop detection").
const MaxLinks = 15

// chainMember is read in exactly this case.
const chainMember = "cfnresource:continue"

// chainOf reads the member. It returns an error if the function did not write it.
func chainOf(raw []byte) (Chain, error) {
	if raw == nil {
		return Chain{}, nil
	}
	var c Chain
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	switch err := d.Decode(&c); {
	case err != nil, c.Links < 1, c.Links > MaxLinks, c.CreatedID != "" && physicalid.Validate(c.CreatedID) != nil:
		return Chain{}, fmt.Errorf("the event's member %q is none that this function made", chainMember)
	}
	return c, nil
}

// Next returns the event with c in place of its own Chain, which may stand anywhere
// among the event's members.
func (ev *Event) Next(c Chain) ([]byte, error) {
	member, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	next := fmt.Appendf(nil, `{%q:%s`, chainMember, member)
	d := json.NewDecoder(bytes.NewReader(ev.Raw))
	_, _ = d.Token() // it was read before: it is an object
	for d.More() {
		start := d.InputOffset()
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if name != chainMember {
			next = append(append(next, ','), bytes.TrimLeft(ev.Raw[start:d.InputOffset()], ", \t\r\n")...)
		}
	}
	return append(next, '}'), nil
}
