package history

import (
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Situation is where a history has led to, as far as that can be seen: what
// CloudFormation knows of the resource, and what there is in the service.
type Situation struct {
	Status, Version string         // of the stack, and of its settled template
	Resource        string         // the resource's status
	Sent            map[string]any // the properties that CloudFormation holds of it
	Named           bool           // it has a physical ID
	State           any            // of what is under that
	Others          []any          // the States of all else that there is
	Gone            int            // how many IDs came up under which there is nothing
}

// Reached returns where a stack with a resource has come to. version is that of the
// settled template, there are the IDs of all that there is, and state may be nil.
func Reached(stack *simulate.Stack, logicalID, version string, there []string, state func(id string) any) Situation {
	s := Situation{Status: stack.Status(), Version: version, Gone: len(stack.SeenIDs()) - len(there)}
	s.Resource, s.Sent = stack.Sent(logicalID)
	id := stack.PhysicalID(logicalID)
	s.Named = id != ""
	for _, other := range there {
		var what any
		if state != nil {
			what = state(other)
		}
		if other == id {
			s.State = what
		} else {
			s.Others = append(s.Others, what)
		}
	}
	return s
}

// Situations are those to which the histories have led that were played.
type Situations struct{ known []Situation }

// Split returns, of histories that were played, the first that led to each new situation, and the
// others: what can follow those has been played in a like situation.
func (s *Situations) Split(all []*Played) (first, again []*Played) {
	for _, p := range all {
		switch {
		case p.Limit != "": // nothing follows
		case slices.ContainsFunc(s.known, func(k Situation) bool { return reflect.DeepEqual(k, p.Situation) }):
			again = append(again, p)
		default:
			s.known = append(s.known, p.Situation)
			first = append(first, p)
		}
	}
	return first, again
}
