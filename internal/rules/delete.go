package rules

import "slices"

// maxSweep bounds how many resources one look deletes. Two deliveries of a
// Create may have made two.
const maxSweep = 10

// delete removes the event's resource. Its ID may be CloudFormation's invention,
// or the dispatcher's word for "whatever Find finds": then the answer to the
// Create never arrived, or did not know an ID.
func (e *event) delete() result {
	if e.Generated {
		found, o := e.find(New, e.ID)
		if o.End != Done {
			return fails(o)
		}
		if found != e.ID {
			return e.lost(found, CreateOver)
		}
	} else if e.Finds && e.ID == e.Stable {
		found, o := e.find(New, e.ID)
		if o.End != Done {
			return fails(o)
		}
		return e.lost(found, Lag)
	}
	return e.removed(ordinary, e.do.Delete(e.ID, false))
}

// lost removes what a Create made whose answer CloudFormation does not have.
//
// Where nothing is found, the event's own ID is deleted too: an older provider,
// or this one before it had Find, may have made it so. Then comes a second look:
// the Create may still run, which proves what the first look found to be all
// there is as little as if it was nothing; or searches may lag.
func (e *event) lost(found string, over Moment) result {
	some, r := e.sweep(found)
	if !r.ok {
		return r
	}
	if !some {
		if r = e.removed(lastResort, e.do.Delete(e.ID, false)); !r.ok {
			return r
		}
	}
	if over == Lag && some || !e.Makes || !e.do.Wait(over) {
		return r
	}
	found, o := e.find(New, e.ID)
	if o.End != Done {
		return fails(o)
	}
	_, r = e.sweep(found)
	return r
}

// sweep removes what Find finds until it finds nothing, found first. Without
// Find it removes what bears the StableID, of which nobody knows whether it was
// there.
func (e *event) sweep(found string) (some bool, r result) {
	if !e.Finds && e.Stable == "" {
		return false, success(e.ID) // a Create with such properties was refused
	}
	if !e.Finds {
		return false, e.removed(lost, e.do.Delete(e.Stable, false))
	}
	seen := make(map[string]bool)
	for found != "" && !seen[found] { // again: a search shows what is deleted
		if len(seen) == maxSweep {
			return true, result{why: "Find finds more than one event should have made: delete what bears the StableID by hand"}
		}
		if r = e.removed(lost, e.do.Delete(found, false)); !r.ok {
			return true, r
		}
		seen[found] = true
		var o Outcome
		if found, o = e.find(New, e.ID); o.End != Done {
			return true, fails(o)
		}
	}
	return len(seen) > 0, success(e.ID)
}

// A removal is what is known of the ID that a Delete is called with.
type removal int

const (
	ordinary   removal = iota
	lost               // it was found, or is the StableID
	lastResort         // nobody may ever have made it
)

// removals are the ends of a Delete that mean that nothing is there any more. A
// service that refuses the form of an ID has nothing under it.
var removals = map[removal][]End{
	ordinary:   {Done, Gone},
	lost:       {Done, Gone, Invalid},
	lastResort: {Done, Gone, Invalid, Uncoded},
}

func (e *event) removed(how removal, o Outcome) result {
	if slices.Contains(removals[how], o.End) {
		return success(e.ID)
	}
	return fails(o)
}
