package rules

import (
	"strings"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// Problems say what is wrong with an event's properties, each as a text that
// holds no value, or "".
type Problems struct {
	Invalid    string // cannot be read, is missing, or is refused by Validate
	Unknown    string // the handler's type has no such property
	Unresolved string // a dynamic reference that CloudFormation did not resolve
}

// A sender is what tells how strictly properties are read.
type sender struct {
	request lifecycle.Request
	phase   Phase
}

// refusals are the problems for which an event is refused. A Delete is in no
// row: it is refused nothing. Nor is an Update that is known to lead back.
var refusals = map[sender]struct{ invalid, unknown, unresolved bool }{
	{lifecycle.Create, Untold}: {invalid: true, unknown: true, unresolved: true},

	// The rollback of an upgrade brings what this version does not know.
	{lifecycle.Update, Untold}:     {invalid: true},
	{lifecycle.Update, Forward}:    {invalid: true, unknown: true},
	{lifecycle.Update, GivenUp}:    {invalid: true},
	{lifecycle.Update, NotAwaited}: {invalid: true},
}

// refusal returns why the event's properties are refused, or "". The phase is
// asked for only where it counts.
func (e *event) refusal() string {
	if e.Problems == (Problems{}) {
		return ""
	}
	s := sender{request: e.Type}
	switch {
	case e.Type == lifecycle.Update && e.ID == "":
		s.request = lifecycle.Create // nothing is there that it could lead back to
	case e.Type == lifecycle.Update:
		s.phase = e.began()
	}
	row := refusals[s]
	var why []string
	for _, p := range []struct {
		refused bool
		text    string
	}{
		{row.invalid, e.Problems.Invalid},
		{row.unknown, e.Problems.Unknown},
		{row.unresolved, e.Problems.Unresolved},
	} {
		if p.refused && p.text != "" {
			why = append(why, p.text)
		}
	}
	if why == nil {
		return ""
	}
	return "the properties are refused: " + strings.Join(why, "\n")
}
