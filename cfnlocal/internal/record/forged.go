package record

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// Forged returns a name in a record that was read that no stack has, or "": one with a line feed,
// or another character that is not to be seen, would forge a line wherever it is told. Names are
// those that CloudFormation makes or checks; what handlers say is made safe where it is shown.
func (r *Record) Forged() string {
	for _, s := range r.Stack.All() {
		names := namesIn(s)
		if i := slices.IndexFunc(names, func(name string) bool { return printable.Line(name) != name }); i >= 0 {
			return names[i]
		}
	}
	return ""
}

// namesIn are the names, types and statuses of a stack without its nested stacks.
func namesIn(s *engine.Stack) []string {
	names := []string{s.Name, s.ID, s.Path, s.Status}
	for _, r := range slices.Concat(s.Resources, s.Leaving) {
		names = append(names, r.LogicalID, r.Type, r.Status)
	}
	for _, o := range s.Outputs {
		names = append(names, o.Name)
	}
	for _, l := range s.Left {
		names = append(names, l.LogicalID, l.Type)
	}
	for _, q := range s.Requests {
		names = append(names, q.RequestType, q.LogicalID, q.Type)
	}
	for _, e := range s.Events {
		names = append(names, e.LogicalResourceId, e.ResourceType, e.ResourceStatus)
	}
	if o := s.Operation; o != nil {
		names = slices.Concat(names, o.Retain, o.Skip)
		for _, f := range o.Failures {
			names = append(names, f.LogicalID, f.Verb)
		}
	}
	return names
}
