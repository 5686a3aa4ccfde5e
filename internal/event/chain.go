package event

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

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
