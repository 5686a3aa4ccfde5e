package play

// Judges what an operation leads to: the resource of the settled stack, in what state it is and under which ID. Whatever was
// deployed before, a handler leads to what a Create of the same properties makes in an empty service.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// judge judges the result of an operation.
func (h *historyRun) judge(op operation) {
	was, id := h.Version, h.id
	switch h.resourceStatus(op) {
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete: // what was deployed is settled
		h.judgeDeployed(op)
	case lifecycle.StackUpdateRollbackComplete:
		if h.id = h.stack.PhysicalID(theResource); was == "" { // back to a stack of which nothing was settled
			h.judgeLeft(op)
			return
		}
		if h.id != id {
			h.record(idNotRestored, op, "The resource's physical ID was %s, and is now %s.", id, h.id)
		}
		h.judgeState(op)
	case lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed: // nothing is settled
	case lifecycle.StackRollbackComplete, lifecycle.StackDeleteComplete: // nothing is to be left
		h.leaves, h.Version, h.id = h.settled(), "", ""
		h.judgeLeft(op)
		made, taught := h.taught.want[was]
		if !taught {
			made = h.learned.want[was]
		}
		isAlone := h.service.State != nil && slices.Equal(h.remaining(), []string{id})
		h.kept = isAlone && reflect.DeepEqual(h.service.State(id), made)
	}
}

// resourceStatus returns the stack's status as far as the resource goes: a complete stack without it has deleted it.
func (h *historyRun) resourceStatus(op operation) lifecycle.StackStatus {
	status := h.stack.Status()
	switch status {
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete:
		if h.deployedBy(op) == "" {
			return lifecycle.StackDeleteComplete
		}
	}
	return status
}

// judgeDeployed judges the resource of a deployment that is complete.
func (h *historyRun) judgeDeployed(op operation) {
	was, id := h.Version, h.id
	h.Version, h.id = h.deployedBy(op), h.stack.PhysicalID(theResource)
	h.replaced = was != "" && h.id != id
	h.judgeIdentity(op, was, id)

	// The resource, and what a Create of the same properties makes.
	if failed := h.learned.refused[h.Version]; failed != "" {
		h.record(acceptsRefused, op, "An Update to %s succeeds, and a Create of the same properties %s", h.Version, failed)
	}
	h.judgeState(op)
	h.judgeSameData(op)
	switch {
	case h.isForeign():
	case h.History.has(before):
		h.judgeDataOfBefore(op)
	case was == "":
		h.judgeData(op)
	}
	h.judgeCut(op, was, id)
	h.judgeOne(op)
}

// judgeIdentity judges that the resource was replaced if its version is another identity than the one before, and only then.
func (h *historyRun) judgeIdentity(op operation, was, id string) {
	isSame, stays := sameIdentity(was, h.Version), h.id == id
	switch {
	case h.isForeign(): // no properties lead to it
	case was == "", h.isOfBefore(was, h.Version): // whether these are another identity is not known
	case h.History.isChanged() && op.What != again: // nor these
	case isSame == stays:
	case stays && h.gone: // the ID is no harm by itself: Update may make the other thing there
		h.judgeRemade(op, was)
	case stays:
		h.record(notReplaced, op, "The resource's physical ID is %s, as before%s.", id, lagHint(h.stack.Requests()))
	default:
		h.record(needlesslyReplaced, op, "The resource's physical ID was %s, and is now %s.", id, h.id)
	}
}

// judgeRemade judges what Update has made of what somebody had removed, if IdentityChanged was set. Where the ID says what the
// thing is, State or Data shows that it is not the other one.
func (h *historyRun) judgeRemade(op operation, was string) {
	all := h.stack.Requests()
	last := lastWork(all[len(all)-1].Calls())
	switch isChanged := h.c.handler.isTold() && !h.c.oneIdentity(was, h.Version); {
	case !isChanged, did(last) != "Update", !h.exists(h.id):
		return
	}

	// It may be all that a Create makes.
	differs := ""
	if state, want := h.service.State(h.id), h.learned.want[h.settled()]; differ(state, want) && !h.isOfUse(state) {
		differs = differences(state, want)
	}
	for _, name := range h.staleNames() {
		differs += "\n\t" + name + " in Data"
	}
	if differs != "" {
		h.record(notReplaced, op, "Somebody had removed %s. Update was called with IdentityChanged set, and made a thing under that ID which differs from what a Create of %s makes:\n%s", h.id, h.Version, strings.Trim(differs, "\n"))
	}
}

// settled returns the line that leads to the state that the stack's resource should have.
func (h *historyRun) settled() string {
	if h.used == "" || h.used != h.id {
		return h.Version
	}
	return h.Version + " " + h.usedBy
}

// judgeState judges the resource of a settled stack.
func (h *historyRun) judgeState(op operation) {
	h.ownIDs = append(h.ownIDs, h.id)
	if h.isForeign() {
		h.judgeForeign(op)
		return
	}

	// Data and secrets are judged even without a State, and after it: the first harm counts.
	defer h.judgeAfresh(op)
	if h.service.State == nil {
		return
	}
	switch state, want := h.service.State(h.id), h.learned.want[h.settled()]; {
	case isNothing(state):
		h.judgeNothing(op)
	case h.how.learns:
		h.taught.want[h.settled()], h.taught.ids[h.settled()] = state, h.id
		h.judgeSight(op, state)
	case sameState(state, want), h.isOfUse(state):
	default:
		h.judgeLater(op, state, want)
	}
}

// judgeNothing judges that there is nothing under the resource's ID: the first Create has made nothing, or it was deleted.
func (h *historyRun) judgeNothing(op operation) {
	isFirst := len(h.stack.Requests()) == 1 && op.Fault == nil
	if isFirst || h.neverSeen(h.id) {
		h.record(madeNothing, op, "There is nothing under %s, the ID of the stack's resource.", h.id)
		return
	}
	h.record(liveDeleted, op, "There is nothing under %s, the ID of the stack's resource.%s", h.id, h.since(h.id, nil))
}

// judgeLater judges a resource that is not as it should be: either it is wrong, or the answer came too soon.
func (h *historyRun) judgeLater(op operation, state, want any) {
	h.c.wait(serviceTime)
	later := h.service.State(h.id)
	settled := h.learned.calibration.later[h.settled()]
	isThen := func(state any) bool { return settled != nil && sameState(state, settled) }
	switch {
	case isThen(state):
		h.record(answersEarly, op, "The resource is what a Create of %s makes, but the service has not finished when the request is answered. An hour later, when it has, the resource differs from what it was at the answer:\n%s", h.settled(), differences(settled, want))
	case sameState(later, want), isThen(later):
		h.record(answersEarly, op, "The resource becomes what a Create of %s makes only after the answer. At the answer:\n%s", h.settled(), differences(state, want))
	case h.runsBefore():
		h.record(wrongBefore, op, "What Before makes is not what a Create of %s makes, and either may be wrong:\n%s", h.settled(), differences(state, want))
	default:
		h.compared = comparedValues{state, want}
		h.record(wrongState, op, "The resource is not what a Create of %s makes:\n%s%s", h.settled(), differences(state, want), h.since(h.id, state))
	}
}

// judgeSight judges that State shows what Use and an Update to InPlace change.
func (h *historyRun) judgeSight(op operation, state any) {
	if h.learned.calibration.isPartial() {
		return
	}
	if op.What == h.usedBy && reflect.DeepEqual(state, h.learned.want[h.Version]) {
		h.record(blindState, op, "State shows the same before Use and after it.")
	}
	if h.Version == inPlace && reflect.DeepEqual(state, h.learned.want[original]) {
		h.judgeBlind(op)
	}
}

// judgeBlind judges a State that shows the same with Properties and with InPlace.
func (h *historyRun) judgeBlind(op operation) {
	if later, then := h.learned.calibration.later[original], h.learned.calibration.later[inPlace]; differ(later, then) {
		h.record(answersEarly, op, "State shows the same with Properties and with InPlace when their Creates are answered. An hour later it differs:\n%s", differences(then, later))
	}
	h.record(blindState, op, "State shows the same with Properties and with InPlace, so no check can see what an Update does.")
}

// isOfUse reports whether a state may be another one because of what users have put into the resource.
func (h *historyRun) isOfUse(state any) bool {
	switch {
	case h.used == "":
		return false
	case h.used != h.id && sameState(state, h.learned.want[h.Version+" "+h.usedBy]): // with the contents of the replaced thing
		return true
	}
	return h.History.isChanged() && differ(state, h.learned.want[h.Version]) // what they put there may be another with other properties
}

// judgeStill judges that the resource of a settled stack has not changed by itself.
func (h *historyRun) judgeStill(op operation) {
	switch {
	case h.Version == "", h.service.State == nil, h.how.learns, h.stack.Status() == lifecycle.StackUpdateFailed:
		return
	}
	if state, want := h.service.State(h.id), h.learned.want[h.settled()]; isNothing(state) {
		h.record(changedByItself, op, "There is nothing under %s any more, the ID of the stack's resource. If the service ends such things by itself, skip the check.", h.id)
	} else if differ(state, want) {
		h.record(changedByItself, op, "The resource has changed since the request was answered:\n%s", differences(state, want))
	}
}

// judgeExists checks that the settled template's resource exists during an operation.
func (h *historyRun) judgeExists(op operation) {
	switch {
	case h.Version == "", h.gone, h.service.State == nil:
	case isNothing(h.service.State(h.id)):
		h.record(liveDeleted, op, "In %s there is nothing under %s, the ID of the stack's resource.", h.stack.Status(), h.id)
	}
}

// judgeCut judges that two values of a property lead to two states, if another change shows that State shows the property.
// If the property is createOnly, id was the resource's ID before.
func (h *historyRun) judgeCut(op operation, was, id string) {
	switch {
	case !h.c.differ(was, h.Version), h.learned.want[was] == nil:
		return
	case h.id != id, h.c.oneIdentity(was, h.Version):
	default:
		h.record(oneID, op, "%s and %s have one physical ID, %s.", was, h.Version, id)
	}
	if lost := h.learned.told(h.c, h.Version).lost(); lost != "" {
		h.record(cutValue, op, "%s: a part of %s is lost, or two of its values become one.", lost, h.subject())
	}
}

// subject returns the path of what the settled version changes.
func (h *historyRun) subject() string {
	_, ch, _ := cutChange(h.Version)
	return readable(ch.Path)
}

// judgeOne judges that an update of one property in which nothing went wrong leaves one thing.
func (h *historyRun) judgeOne(op operation) {
	_, faulty := h.History.faulty()
	switch {
	case !h.History.isChanged(), faulty >= 0:
		return
	}
	if others := h.remainingBeside(h.id); len(others) > 0 {
		h.record(secondThing, op, "%s", h.besideIt(others))
	}
}

// besideIt says what there is besides the resource, or in its place.
func (h *historyRun) besideIt(others []string) string {
	list := strings.Join(others, ", ")
	if h.service.State != nil && isNothing(h.stateOf(h.id)) {
		return fmt.Sprintf("There is %s, and State shows nothing under %s.", list, h.id)
	}
	return fmt.Sprintf("Besides %s there is %s.", h.id, list)
}
