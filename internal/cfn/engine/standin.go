package engine

import (
	"cmp"
	"fmt"
)

// A StandIn says what becomes of a stand-in's operation ("Create", "Update" or
// "Delete"). It is asked once for each.
type StandIn func(operation string, r *StackResource) Fate

// A Fate is what becomes of a stand-in's operation. The zero value is success.
type Fate struct {
	Failure    string // the reason of the failure, if it fails
	Unmade     bool   // it fails before there is a physical ID
	PhysicalID string // instead of a made-up one
	Replace    bool   // of an Update: it makes another physical resource
}

// performStandIn plays an operation of a stand-in, which is over at once.
func (m *Machine) performStandIn(i int, operation string, r *StackResource) {
	var f Fate
	if m.top.StandIn != nil {
		f = m.top.StandIn(operation, r)
	}
	v := verdict{outcome: Succeeded, physicalID: cmp.Or(f.PhysicalID, r.PhysicalID)}
	switch operation {
	case "Create":
		if f.Unmade {
			r.Sent = false
		} else if f.PhysicalID == "" {
			v.physicalID = m.native().PhysicalID(m.stack, r)
		}
	case "Update":
		replaced, named := m.native().Change(r)
		replace := f.Replace || replaced
		if why := m.keepsStandIn(f, named); replace && why != "" {
			r.restoreBefore()
			m.immediate = append(m.immediate, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: why}})
			return
		}
		if replace {
			v.physicalID = cmp.Or(f.PhysicalID, m.native().PhysicalID(m.stack, r))
			m.addResourceEvent(r, "UPDATE_IN_PROGRESS", replacementNeeded)
		} else {
			m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "")
		}
	}
	if f.Failure != "" {
		v.outcome, v.reason = Failed, f.Failure
		if operation == "Update" { // [I] a replacement that fails leaves nothing
			v.physicalID = r.PhysicalID
		}
	}
	m.immediate = append(m.immediate, outcome{i, v})
}

// keepsStandIn says why CloudFormation does not replace a stand-in, "" if it does. named is the name that the template
// gives it, and that it had before.
func (m *Machine) keepsStandIn(f Fate, named string) string {
	switch {
	case m.refusesReplacement():
		return replacementRefused
	case !f.Replace && named != "":
		return fmt.Sprintf(customNamed, named)
	}
	return ""
}

// NativeTypes know the types that stand-ins take the place of: AWS's own.
type NativeTypes interface {
	// PhysicalID returns the physical ID of a resource that is made.
	PhysicalID(s *Stack, r *StackResource) string
	// Change says whether an update from r.Old to r.Properties makes another resource, and returns the name that
	// both give it, or "": two resources cannot have one name.
	Change(r *StackResource) (replaces bool, named string)
	// Attribute returns what Fn::GetAtt gives: a text, or a list.
	Attribute(s *Stack, r *StackResource, name string) any
}

func (m *Machine) native() NativeTypes {
	if m.top.Native == nil {
		return unknownTypes{}
	}
	return m.top.Native
}

// unknownTypes are types of which nothing is known: CloudFormation makes up the name of each resource, and no update
// replaces one.
type unknownTypes struct{}

func (unknownTypes) PhysicalID(s *Stack, r *StackResource) string { return s.NameOf(r.LogicalID) }

func (unknownTypes) Change(*StackResource) (replaces bool, named string) { return false, "" }

func (unknownTypes) Attribute(_ *Stack, r *StackResource, name string) any {
	switch v := r.Properties.Map()[name].(type) {
	case string, []any:
		return v
	}
	return r.PhysicalID + "." + name
}
