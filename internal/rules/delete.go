package rules

import "slices"

// maxSweep bounds how many resources one search deletes. Two deliveries of a Create
// may have made two.
const maxSweep = 10

// delete deletes the event's resource. CloudFormation may have made the ID up, if the
// answer to the Create never arrived. Or, in a handler with Find, the ID is the
// StableID, with which a Create was answered that did not know its resource's ID.
func (e *event) delete() result {
	if e.Generated {
		found, o := e.find(New, e.ID)
		if o.End != Done {
			return failedUnchanged(o)
		}
		if found != e.ID {
			return e.deleteLost(found, CreateOver)
		}
	} else if e.Finds && e.ID == e.StableID {
		found, o := e.find(New, e.ID)
		if o.End != Done {
			return failedUnchanged(o)
		}
		return e.deleteLost(found, Lag)
	}
	return e.remove(e.ID, ordinary)
}

// deleteLost deletes what a Create made, where CloudFormation does not know its ID.
//
// If nothing is found, the event's own ID is deleted too: an older version of the
// function, or one without Find, may have made a resource with that ID. Then comes a
// second look, since the Create may still run, or searches may lag.
func (e *event) deleteLost(found string, over Moment) result {
	some, r := e.sweep(found)
	if !r.ok {
		return r
	}
	if !some {
		if r = e.remove(e.ID, lastResort); !r.ok {
			return r
		}
	}
	if over == Lag && some || !e.Makes || !e.effects.Wait(over) {
		return r
	}
	found, o := e.find(New, e.ID)
	if o.End != Done {
		return failedUnchanged(o)
	}
	_, r = e.sweep(found)
	return r
}

// sweep deletes what Find finds, beginning with found, until it finds nothing.
// Without Find it deletes the StableID, and cannot tell whether that was there.
func (e *event) sweep(found string) (some bool, r result) {
	if !e.Finds && e.StableID == "" {
		return false, success(e.ID) // a Create with such properties was refused
	}
	if !e.Finds {
		return false, e.remove(e.StableID, lost)
	}
	seen := make(map[string]bool)
	for found != "" && !seen[found] { // a search may still show what is deleted
		if len(seen) == maxSweep {
			return true, result{reason: "Find finds more than one event should have made: delete what bears the StableID by hand"}
		}
		if r = e.remove(found, ordinary); !r.ok {
			return true, r
		}
		seen[found] = true
		var o Outcome
		if found, o = e.find(New, e.ID); o.End != Done {
			return true, failedUnchanged(o)
		}
	}
	return len(seen) > 0, success(e.ID)
}

// A removal is what is known of the ID that a Delete is called with.
type removal int

const (
	ordinary   removal = iota
	lost               // it is the StableID, and nobody has seen such a resource
	lastResort         // there may never have been such a resource
)

// removals are the ends of a Delete after which nothing is there. A service that
// refuses the form of an ID has nothing with that ID.
var removals = map[removal][]End{
	ordinary:   {Done, NotFound},
	lost:       {Done, NotFound, InvalidRequest},
	lastResort: {Done, NotFound, InvalidRequest, NoCode},
}

// remove deletes something, unless the stack cleans up and keeps that: a later Create may
// have adopted it. Like [event.phase], a young event asks again.
func (e *event) remove(id string, how removal) result {
	now := e.effects.PhaseNow(id)
	for now == NotAwaited && !e.Late && e.effects.Wait(NextAnswer) {
		now = e.effects.PhaseNow(id)
	}
	if now == NotAwaited {
		return result{reason: "the stack uses what this request would delete: it is not deleted"}
	}
	o := e.effects.Delete(id, false)
	if slices.Contains(removals[how], o.End) {
		return success(e.ID)
	}
	return failedUnchanged(o)
}
