package rules

import (
	"strings"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// Problems say what is wrong with an event's properties, each as a text that holds no value, or "".
type Problems struct {
	Invalid    string // cannot be read, is missing, or is refused by Validate
	Unknown    string // the handler's type has no such property
	Unresolved string // a dynamic reference that CloudFormation did not resolve
}

// A strictness is what decides how strictly properties are read.
type strictness struct {
	requestType lifecycle.RequestType
	phase       Phase
}

// refusals are the problems for which an event is refused. A Delete is never
// refused, nor is an Update of a rollback: they have no row.
var refusals = map[strictness]struct{ invalid, unknown, unresolved bool }{
	{lifecycle.Create, PhaseUnknown}: {invalid: true, unknown: true, unresolved: true},

	// The rollback of an upgrade brings what this version does not know.
	{lifecycle.Update, PhaseUnknown}: {invalid: true},
	{lifecycle.Update, Forward}:      {invalid: true, unknown: true},
	{lifecycle.Update, GivenUp}:      {invalid: true},
	{lifecycle.Update, NotAwaited}:   {invalid: true},
}

// refusal returns why the event's properties are refused, or "". It asks for the
// phase only where that matters.
func (e *event) refusal() string {
	if e.Problems == (Problems{}) {
		return ""
	}
	s := strictness{requestType: e.Type}
	switch {
	case e.Type == lifecycle.Update && e.ID == "":
		s.requestType = lifecycle.Create // there is nothing to roll back to
	case e.Type == lifecycle.Update:
		s.phase = e.phase()
	}
	row := refusals[s]
	var reason []string
	for _, p := range []struct {
		refused bool
		text    string
	}{
		{row.invalid, e.Problems.Invalid},
		{row.unknown, e.Problems.Unknown},
		{row.unresolved, e.Problems.Unresolved},
	} {
		if p.refused && p.text != "" {
			reason = append(reason, p.text)
		}
	}
	if reason == nil {
		return ""
	}
	return "the properties are refused: " + strings.Join(reason, "\n")
}
