package event

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A Chain is what one invocation tells the next that goes on with its event. It
// is one member beside CloudFormation's, which no property can be.
type Chain struct {
	Links   int             `json:"links"`             // how many invocations were before this one
	Created string          `json:"created,omitempty"` // the ID of what they created, or ""
	Began   lifecycle.Phase `json:"began"`             // the first one's phase
}

// MaxLinks is how many invocations may follow the first. Lambda ends a chain of
// about 16 by itself (Lambda developer guide, "Use Lambda recursive loop
// detection").
const MaxLinks = 15

// chainMember is read in exactly this case, from what Lambda was invoked with and
// from the record of its death.
const chainMember = "cfnresource:continue"

// chainOf reads the member, or returns an error that says that it is not ours.
func chainOf(raw []byte) (c Chain, err error) {
	if raw == nil {
		return c, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	switch err := d.Decode(&c); {
	case err != nil, c.Links < 1, c.Links > MaxLinks, c.Created != "" && physicalid.Validate(c.Created) != nil:
		return Chain{}, fmt.Errorf("the event's member %q is none that this function made", chainMember)
	}
	return c, nil
}

// Next returns the event with what the next invocation is to know, in place of
// what this one was told. That may stand anywhere: what carries the event may
// have written its members in another order.
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
