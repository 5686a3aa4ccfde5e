package play

// Plays and judges a thing that the program before this one has made under an ID that this one would not give. It need not be
// as a thing of this program's is, and without the Service's Occupy there is nothing under the ID: an Update may fail, but it
// neither makes another thing nor answers another ID.

import (
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// theForeignID is an ID that no program would give.
const theForeignID = "made-by-an-older-program"

var changesNothing = harm{"an Update that changes nothing", "an Update that succeeds brings the thing under its physical ID to its properties.", "shown a template that the resource does not match.",
	"Have Update change the thing under req.PhysicalID, which need not be the ID that this program would give"}

// A foreign thing is that of a history with the circumstance foreign-id, or native-id.
type foreign struct {
	id     string
	states []any // what State showed of it after each operation that succeeded
}

// isForeign reports whether the resource is a thing that the program before has made under an ID of its own.
func (h *historyRun) isForeign() bool { return h.History.has(foreignID, nativeID) }

// makeForeign is the Create of the program before.
func (h *historyRun) makeForeign(t testing.TB) (id string) {
	h.foreign.id = theForeignID
	if h.History.has(nativeID) {
		h.foreign.id = h.nativeID(t)
	}
	if h.service.Occupy != nil {
		h.service.Occupy(h.foreign.id)
	}
	return h.foreign.id
}

// nativeID returns the ID that this program gives to another resource of the stack.
func (h *historyRun) nativeID(t testing.TB) string {
	e := simulate.NewEvent("Create", "", h.c.Properties, nil)
	e.LogicalID = theSibling
	return h.createOf(h.c.New(t), e)
}

// judgeForeign judges an operation that ended well.
func (h *historyRun) judgeForeign(op operation) {
	if h.id != h.foreign.id {
		h.harm(needlesslyReplaced, op, "The resource's physical ID was %s and is %s.", h.foreign.id, h.id)
	}
	if others := slices.DeleteFunc(h.remainingBeside(h.id), h.isTwin); len(others) > 0 {
		h.harm(secondThing, op, "%s", h.besideIt(others))
	}
	switch {
	case h.service.Occupy == nil, h.service.State == nil:
		return
	}

	// What the Updates have changed: the thing may have been as one of them has it, and not as both have it.
	state := h.service.State(h.id)
	if len(h.foreign.states) == 0 && isNothing(state) {
		h.harm(unplayable, h.History[0], "The Service's Occupy makes nothing that State shows: State returns nil for %s. If the service's IDs have one form, nothing can be under such an ID.", h.id)
	}
	h.foreign.states = append(h.foreign.states, state)
	hasChanged := slices.ContainsFunc(h.foreign.states, func(s any) bool { return !sameState(s, h.foreign.states[0]) })
	isThereAndBack := h.History.String() == foreignID+" "+original+" "+inPlace+" "+original && len(h.foreign.states) == 3
	if isThereAndBack && !hasChanged {
		h.harm(changesNothing, op, "The Updates of %s succeed, but change nothing.", h.id)
	}
}

// noteRefused notes the first Update to InPlace that fails. It is a harm if one succeeds with a native ID.
func (h *historyRun) noteRefused(op operation, r simulate.Request) {
	switch {
	case h.refusedForeign != nil, len(h.foreign.states) == 0: // it is known, or there is nothing to update
	case op.What != inPlace, r.Type != "Update":
	case r.Outcome == string(engine.Failed):
		h.refusedForeign = h.finding(failsWithoutCause, op, "The Update of "+r.PhysicalID+" fails, but succeeds for the same thing under an ID of this program's form: accept IDs of any form.")
	}
}

// withNativeID returns the history with an ID of this program's form.
func (h history) withNativeID() history {
	h = slices.Clone(h)
	h[0].What = nativeID
	return h
}

// isUpdated reports whether a history has led to a settled version.
func (r *historyResult) isUpdated() bool {
	return r.found == nil && r.Reached.Status == lifecycle.StackUpdateComplete
}
