package engine

import "cmp"

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
			v.physicalID = standInID(m.stack, r)
		}
	case "Update":
		replace := f.Replace || standInName(r.Type, r.Properties) != standInName(r.Type, r.Old)
		if replace && m.refusesReplacement() {
			m.immediate = append(m.immediate, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: replacementRefused}})
			return
		}
		if replace {
			v.physicalID = cmp.Or(f.PhysicalID, standInID(m.stack, r))
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
