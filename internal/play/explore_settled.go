package play

// Judges what an operation leads to: the settled stack's resource, its Data and effects, and what is left of the stack.

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
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
			h.harm(idNotRestored, op, "The resource's physical ID was %s and is %s.", id, h.id)
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
		isOfOthers := op.What == asItIs && h.Version == ""
		if isOfOthers || op.What == takesOut {
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
	if h.learned.refused[h.Version] {
		h.harm(acceptsRefused, op, "An Update to %s succeeds, and a Create of the same properties is refused.", h.Version)
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
	case was == "", h.changed() && op.What != again, h.isOfBefore(was, h.Version): // whether these are another identity is not known
	case isSame == stays:
	case stays:
		h.harm(notReplaced, op, "The resource's physical ID is %s, as before%s.", id, lagHint(h.stack.Requests()))
	default:
		h.harm(needlesslyReplaced, op, "The resource's physical ID was %s and is %s.", id, h.id)
	}
}

// judgeData checks that Data has all that a Create returns in which nothing goes wrong.
func (h *historyRun) judgeData(op operation) {
	got := h.returned()
	if h.how.learns {
		h.taught.data[h.Version] = got
		return
	}
	want := h.learned.data[h.Version]
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != "" && isEmpty(got[name]) {
			h.harm(dataMissing, op, "Data has no %s, which a Create of %s returns when nothing goes wrong.", name, h.Version)
		}
	}
}

// judgeSameData judges that Data is the same after an Update to the same properties. Much later it may differ, but not have
// come late.
func (h *historyRun) judgeSameData(op operation) {
	was, now := h.lastData, h.stack.Data(theResource)
	h.lastData, h.dataStayed = now, len(differentKeys(was, now)) == 0
	switch {
	case op.What != again, h.isForeign(), h.History.has(before): // which another program may have answered
	case !h.History.hasLike(aged):
		h.judgeTwoData(op, "the answers before and after an Update to the same properties", was, now)
	default:
		for _, name := range differentKeys(was, now) {
			if isEmpty(was[name]) {
				h.harm(dataDiffers, op, "%s in Data is empty in the answer to the Create, but not in the answer to an Update later: the resource was not ready.", name)
			}
		}
	}
}

// judgeTwoData judges that two answers about one thing have the same Data. It prints no values.
func (h *historyRun) judgeTwoData(op operation, of string, one, other map[string]any) {
	names := differentKeys(one, other)
	switch {
	case len(names) == 0:
	case slices.ContainsFunc(names, func(name string) bool { return isEmpty(one[name]) || isEmpty(other[name]) }):
		h.harm(dataShrinks, op, "Of %s, one has no value for %s.", of, strings.Join(names, ", "))
	default:
		h.harm(dataDiffers, op, "Data differs between %s, in %s.", of, strings.Join(names, ", "))
	}
}

// judgeEffects judges what cannot be undone: a request that succeeds has the effects of one with which nothing goes wrong.
func (h *historyRun) judgeEffects(op operation) {
	if h.service.Effects == nil {
		return
	}
	h.effects = h.service.Effects()
	_, at := h.History.faulty()
	if at < 0 {
		h.judgeNoEffect(op)
		return
	}

	// Only what is handled once is compared with what is handled twice at the same time.
	plain := slices.Clone(h.History)
	plain[at].Fault = nil
	want, known := h.learned.effects[plain.String()]
	switch {
	case !known, sameState(h.effects, want):
		return
	}
	for _, r := range h.stack.Requests() {
		switch {
		case !r.FaultHit, simultaneous(r):
		case r.Outcome == string(engine.Succeeded):
			h.harm(effectsDiffer, op, "The effects of the %s differ from those of one with which nothing goes wrong:\n%s", r.Type, differences(h.effects, want))
		}
	}
}

// judgeNoEffect judges an Update whose work neither Data nor Effects shows, if there is no State that could.
func (h *historyRun) judgeNoEffect(op operation) {
	if h.service.State != nil {
		return
	}
	first, updated := h.learned.effects[original], h.learned.effects[original+" "+inPlace]
	switch h.History.String() {
	case original + " " + inPlace:
		if h.dataStayed && sameState(h.effects, first) {
			h.harm(noEffect, op, "Effects and Data are the same with Properties alone and after an Update to InPlace: the Update does nothing, or nobody sees it.")
		}
	case original + " " + inPlace + " " + original:
		if hasEffect := !sameState(updated, first); hasEffect && sameState(h.effects, updated) {
			h.harm(noEffect, op, "The Update to InPlace has an effect, but the Update back to Properties has none: the handler takes it for the first request.")
		}
	}
}

// isEmpty reports whether an attribute has no value.
func isEmpty(value any) bool { return value == nil || value == "" }

// judgeDataOfBefore checks that Data of a thing of the program before does not name a Create's ID that does not exist, nor
// has a part of it, such as the name, for the whole of an attribute.
func (h *historyRun) judgeDataOfBefore(op operation) {
	other := h.learned.ids[h.Version]
	switch {
	case len(other) < 4, strings.Contains(h.id, other), slices.Contains(h.remaining(), other): // too short to tell apart, or there
		return
	}
	for name, value := range h.stack.Data(theResource) {
		if text, _ := value.(string); h.isOfAnother(name, text, other) {
			h.harm(staleData, op, "%s in Data is of %s, which does not exist: the resource is %s.", name, other, h.id)
		}
	}
}

// isOfAnother reports whether a text in Data has another thing's ID, or is a part of it that the Data of that thing has.
func (h *historyRun) isOfAnother(name, text, other string) bool {
	switch {
	case strings.Contains(text, other):
		return true
	case len(text) < 8, strings.Contains(h.id, text): // too short to tell apart, or the resource's own
		return false
	}
	return text == h.learned.data[h.Version][name] && strings.Contains(other, text)
}

// judgeLeft checks that nothing is left of a stack that has no resources any more.
func (h *historyRun) judgeLeft(op operation) {
	left := h.remainingBeside("")
	if op.Variant == unreadable && h.learned.keeps[h.leaves] {
		return // as judgeKept judges
	}
	deletion := scene{requests: h.stack.Requests(), left: []string{h.used}}.lastDelete()
	left = slices.DeleteFunc(left, func(id string) bool { return id == h.foreign.id }) // which a Delete may leave
	isDeleted := deletion.Method != "" && deletion.Error == ""
	if h.used != "" && !isDeleted { // users' content kept it from being deleted
		left = slices.DeleteFunc(left, func(id string) bool { return id == h.used })
	}
	if len(left) == 0 {
		h.judgeAround(op)
		return
	}
	h.harm(leftBehind, op, "There is still %s.", strings.Join(left, ", "))
	if h.Limit = h.findLimit(left); h.Limit != "" {
		h.excused, h.found = h.found, nil
	}
}

// remainingBeside returns the physical IDs of all things but one that exist when the service has had its time.
func (h *historyRun) remainingBeside(id string) []string {
	is := func(other string) bool { return other == id }
	left := slices.DeleteFunc(h.remaining(), is)
	if len(left) > 0 && !h.c.RealTime { // what undoes a replacement does not wait to the end
		<-time.After(serviceTime)
		left = slices.DeleteFunc(h.remaining(), is)
	}
	return left
}

// judgeKept judges that a Delete whose properties cannot be read keeps what it keeps otherwise. id was the resource's.
func (h *historyRun) judgeKept(op operation, settled, id string) {
	h.stands = id != "" && slices.Contains(h.remaining(), id)
	switch {
	case h.stands, op.What != deletesStack:
	case h.learned.keeps[settled]:
		h.harm(keptDeleted, op, "%s was deleted, but a Delete with properties that can be read keeps it.", id)
	}
}

// findLimit returns the name of the limit that excuses what is left, or "". A limit excuses a
// single thing that was never the stack's, or several where each delivery makes another one, made
// by a deployment that met the limit: the last one before which the first of them did not exist. The
// next update to the same identity adopts what the limit excuses.
func (h *historyRun) findLimit(left []string) string {
	for i, d := range slices.Backward(h.deployed) {
		if slices.Contains(d.existedBefore, left[0]) {
			continue
		}
		own := func(id string) bool { return slices.Contains(h.ownIDs[d.ownIDsBefore:], id) }
		adopts := func(later pastDeployment) bool { return h.adopts(later, d) }
		switch {
		case slices.ContainsFunc(left, own):
			return ""
		case h.c.Neither: // each delivery makes another thing, and no update adopts one
		case len(left) > 1, slices.ContainsFunc(h.deployed[i+1:], adopts):
			return ""
		}
		return limitOf(d.limitCase)
	}
	return ""
}

// adopts reports whether a deployment without a fault succeeded in replacing the resource by what an earlier one of the
// same identity has left.
func (h *historyRun) adopts(later, earlier pastDeployment) bool {
	r := later.Request
	switch {
	case later.Op.Variant != noVariant, r.FaultHit, r.Outcome != string(engine.Succeeded):
		return false
	case h.isOneThing(later.Op.What, earlier.Op.What):
		return replaces(r)
	}
	return false
}

// isOneThing reports whether it is known of two versions that they are the same identity.
func (h *historyRun) isOneThing(version, other string) bool {
	switch {
	case version == other:
		return true
	case isChanged(version) && h.c.handler.isTold():
		return h.c.oneIdentity(version, other)
	}
	return false
}

// replaces reports whether a request has given the resource another physical ID.
func replaces(r simulate.Request) bool {
	answer := r.Response()
	switch {
	case answer == nil, r.PhysicalID == "":
		return false
	}
	return answer.PhysicalResourceID != r.PhysicalID
}

// remaining returns the physical IDs of all things that exist.
func (h *historyRun) remaining() (ids []string) {
	if h.service.List != nil {
		ids = slices.Clone(h.service.List())
	}
	if h.service.State != nil {
		for _, id := range h.stack.SeenIDs() {
			if h.exists(id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(ids, func(id string) bool { return h.isOthers(id) || h.isTwin(id) })
	return slices.Compact(ids)
}
