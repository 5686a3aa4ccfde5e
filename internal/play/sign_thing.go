package play

// Which thing a harm is about, and what the requests show of one that is left.

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// about returns the ID of the thing that a harm is about, if that is not one that is left: the resource's, or that of the
// call that failed.
func (s scene) about() string {
	if !slices.Contains(anyFail, s.harm) {
		return s.id
	}
	q, _ := s.suspect()
	for _, c := range slices.Backward(q.Calls()) {
		if c.Error != "" && c.PhysicalID != "" {
			return c.PhysicalID
		}
	}
	return s.id
}

// naming returns the thing that a harm is about, one beside it, and what their IDs show.
func (s scene) naming() (thing, other, sign string) {
	switch s.harm {
	case leftBehind:
		return s.namesOfLeft()
	case deleteFails:
		if last := s.lastDelete(); last.Error != "" {
			return last.PhysicalID, "", "there"
		} else if s.last.isThere() {
			return s.last.id, "", "there"
		}
	case madeNothing:
		if others := slices.DeleteFunc(slices.Clone(s.left), func(id string) bool { return id == s.id }); len(others) > 0 {
			return s.id, others[0], "elsewhere"
		}
	}
	// Of all other harm, the thing is the resource, and the other one what was deleted last.
	for _, c := range s.calls() {
		if c.Method == "Delete" {
			other = c.PhysicalID
		}
	}
	return s.about(), other, ""
}

// namesOfLeft returns the same of things that are left: what their Delete, the IDs of other things, and Created show.
func (s scene) namesOfLeft() (thing, other, sign string) {
	if last := s.vainDelete(); last.Code != "" {
		return last.PhysicalID, "", "denied-to-exist"
	} else if last.Method != "" {
		return last.PhysicalID, "", "vain"
	}
	// No Delete was in vain, so its ID was another one, or nobody knew it.
	thing, sign = s.left[0], "unnamed"
	for _, c := range s.calls() {
		if slices.Contains(s.left, c.Created) {
			thing, sign = c.Created, "named"
		}
	}
	// The IDs show whether one thing is a part of the other, or its name was cut.
	for _, c := range s.calls() {
		isRemoved := did(c) == "Delete" && lacks(s.left, c.PhysicalID)
		for _, left := range s.left {
			switch {
			case isCutTo(c.PhysicalID, left):
				return c.PhysicalID, left, "cut"
			case sign == "named":
			case isRemoved && isPartOf(left, c.PhysicalID):
				return c.PhysicalID, left, "beside"
			}
		}
	}
	return thing, "", sign
}

// separators are in IDs, between a name and what is added to it.
const separators = "-_./:|,"

// isPartOf reports whether an ID is a name to which something was added, after a separator.
func isPartOf(id, name string) bool {
	rest, begins := strings.CutPrefix(id, name)
	return begins && strings.IndexAny(rest, separators) == 0
}

// isCutTo reports whether a name is the beginning of an ID that was cut, and not before a separator.
func isCutTo(id, name string) bool {
	rest, begins := strings.CutPrefix(id, name)
	switch {
	case isPartOf(id, name), len(rest) < 4:
		return false
	}
	return begins
}

// isUndeleted reports whether no Delete was called with the ID of a thing that is left, or none at the end, since Find did not
// return it.
func (s scene) isUndeleted() bool {
	all := s.calls()
	if n := len(all); n > 0 && did(all[n-1])+all[n-1].Returned == "Find" {
		return true
	}
	return !slices.ContainsFunc(s.calls(), func(c simulate.Call) bool { return c.Method == "Delete" && slices.Contains(s.left, c.PhysicalID) })
}

// isOverlooked reports whether a Create ended when its Delete had been answered, though that looks for what it makes: by Find, or
// under its ID.
func (s scene) isOverlooked() bool {
	isFound := s.searching() != "unsearched" || slices.ContainsFunc(s.calls(), func(c simulate.Call) bool {
		return c.Method == "Delete" && slices.Contains(s.left, c.PhysicalID)
	})
	isLate := slices.ContainsFunc(s.requests, func(q simulate.Request) bool {
		return slices.ContainsFunc(q.Deliveries, func(d simulate.Delivery) bool { return d.Overlooked })
	})
	return isFound && isLate
}

// lastDelete returns the last call that was to delete one of the things that are left. It returns none if the thing may
// have been made after its Delete.
func (s scene) lastDelete() (last simulate.Call) {
	for _, q := range s.requests {
		if q.Outcome == string(engine.Cancelled) || q.Fault.Kind == fault.Late {
			return simulate.Call{}
		}
		for _, c := range q.Calls() {
			if c.Method == "Delete" && slices.Contains(s.left, c.PhysicalID) {
				last = c
			}
		}
	}
	return last
}

// vainDelete returns the last Delete of a thing, if it returned no error, or that there is no such thing, and did not
// remove it.
func (s scene) vainDelete() simulate.Call {
	last := s.lastDelete()
	isTold := last.Error == "" || last.Code == string(cfnresource.CodeNotFound)
	if last.Method == "" || !isTold || slices.ContainsFunc(s.requests, simultaneous) {
		return simulate.Call{}
	}
	isAgain := false // it was made, or built anew, after that
	for _, c := range s.calls() {
		switch {
		case c == last:
			isAgain = false
		case c.Created == last.PhysicalID, c.Method+c.PhysicalID == "Update"+last.PhysicalID:
			isAgain = true
		}
	}
	if isAgain {
		return simulate.Call{}
	}
	return last
}

// ended returns the call with which a request ended, or that which was to delete what is left.
func (s scene) ended(q simulate.Request) simulate.Call {
	if s.harm == leftBehind {
		return s.lastDelete()
	}
	return lastWork(q.Calls())
}

// waitsInVain reports whether that call failed with a code of what passes, and not because of a fault.
func (s scene) waitsInVain(q simulate.Request) bool {
	isMade := func(q simulate.Request) bool { return hitBy(q) == fault.ThrottleAtStep || simulate.InPoll(hitBy(q)) }
	all := []simulate.Request{q}
	switch {
	case s.harm == leftBehind:
		all = s.requests // what is left may be of any of them
	case !isErred(q):
		return false
	}
	code := cfnresource.Code(s.ended(q).Code)
	isPassing := code.Transient() || code == cfnresource.CodeNotStabilized
	return isPassing && !slices.ContainsFunc(all, isMade)
}
