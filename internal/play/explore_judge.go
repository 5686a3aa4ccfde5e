package play

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// harm records the first harm that a history does. Harm that is in an answer alone does not end the history, and counts if it
// does no other.
func (h *historyRun) harm(what harm, at operation, format string, args ...any) {
	if check, ok := inAnswers[what]; ok {
		if h.c.Skip[check] != "" {
			return
		}
		before := h.found
		h.found = h.inAnswer
		defer func() { h.inAnswer, h.found = h.found, before }()
	}

	// While the program before runs, nothing is the handler's.
	if what != unplayable && h.History.has(before) && !h.over.Load() {
		if what = wrongBefore; h.changed() { // which it need not know how to make
			what = unplayable
		}
	}
	if h.found != nil {
		return
	}

	// What is told of it.
	detail, mayBeRight := fmt.Sprintf(format, args...), lastStopped(h.stack.Requests()).Text(h.c.timeout())
	if mayBeRight != "" {
		detail += "\n" + mayBeRight + "."
	}
	h.found = &finding{assume: h.o.Assume, history: h.History, harm: what, at: at, detail: detail, story: h.stack.Story()}
	h.found.helps, h.found.caused = h.helpWith(what, at, mayBeRight != "")
	if h.how.log != nil {
		h.found.log = h.how.log.Last(h)
	}
	if h.o.HTML != "" {
		h.found.page = pageOf(h.stack)
	}
}

// helpWith returns what helps against a harm, and whether the requests show the cause. If the handler may be right, only
// what an error says is told.
func (h *historyRun) helpWith(what harm, at operation, mayBeRight bool) (helps string, caused bool) {
	seen := scene{what, h.History, h.stack.Requests(), h.id, h.remaining()}
	cause, hint := causeOf(seen), ""
	if cause == "" {
		hint = uncodedHint(seen.calls())
	}
	isFailure := slices.Contains([]harm{failsWithoutCause, deleteFails, stackStuck, answersDiffer}, what)
	findsOthers := slices.ContainsFunc(seen.calls(), func(c simulate.Call) bool { return c.Method == "Find" && h.isOthers(c.Returned) })
	cure := cmp.Or(cause, what.cureIn(h.History))
	switch {
	case mayBeRight:
		cure = ""
	case at.isAtOnce():
		cure = writeOwnPart
	case findsOthers:
		cure = "Have Find return only a thing that proves to be this resource's, by the StableID in a tag"
	case hint != "" && isFailure:
		cure = "" // the hint is about the cause
	}
	return whatHelps(hint, cure), cause != ""
}

// judgeRequests judges the requests that have ended since it was last called. It returns the points
// of each at which a fault can happen. n is how many requests of the operation were judged before.
func (h *historyRun) judgeRequests(op operation, n int) (points []faultPoints) {
	requests := h.stack.Requests()[h.judgedRequests:] // nothing runs any more
	h.judgedRequests += len(requests)
	for _, r := range requests {
		if r.LogicalID != theResource {
			if !h.judgeBesideMade(op, r) {
				h.judgeRequest(op, r, false)
			}
			continue
		}
		points = append(points, faultPoints{Steps: r.FirstSteps(), Polls: r.Polls(), Waits: r.Waits() && !h.c.RealTime, Fails: r.Fails()})
		first := n+len(points) == 1
		if first && op.deploys() {
			h.createOverwrites = h.createOverwrites || createOverwrites(r.Calls())
			h.deployed = append(h.deployed, pastDeployment{
				limitCase: limitCase{
					Op:         op,
					Replaces:   h.Version != "" && (op.What == refused || h.changed() || !sameIdentity(op.What, h.Version)),
					Overwrites: h.overwrites,
					Neither:    h.c.Neither,
					Request:    r,
				},
				existedBefore: h.existedBefore,
				ownIDsBefore:  len(h.ownIDs),
			})
		}
		mayRefuse := h.changed() && !r.FaultHit || h.isOfBefore(h.Version, op.What)
		if first && op.deploys() && mayRefuse && r.Outcome == string(engine.Failed) {
			h.judgeRefusal(op, r)
			continue
		}
		h.judgeRequest(op, r, first && op.What == refused)
	}
	return points
}

// judgeRefusal judges a request that failed for properties that may be invalid: they are not if a Create accepts them.
func (h *historyRun) judgeRefusal(op operation, r simulate.Request) {
	h.refusal = refusalOf(op, r)
	if h.how.learns {
		h.taught.refused[op.What] = h.refusal.code != cfnresource.CodeServiceLimitExceeded
	}
	isValid := h.changed() && h.learned.want[op.What] != nil
	mayFail := h.refusal.ofUpdate() || h.refusal.code == cfnresource.CodeAlreadyExists
	switch {
	case r.Type == "Update" && isValid && !mayFail:
		h.harm(failsWithoutCause, op, "The Update %s, but a Create of the same properties succeeds.", failureText(r))
	case r.Type == "Create" && kindOf(op.What).less && !h.refusal.says():
		h.harm(failsWithoutCause, op, "The Create %s, though its properties hold nothing beside those of a Create that succeeds.", failureText(r))
	}
}

// judgeRequest judges a request: one that failed needs a cause. refuses says that its
// properties are those of Contract.Refused.
func (h *historyRun) judgeRequest(op operation, r simulate.Request, refuses bool) {
	ok := r.Outcome == string(engine.Succeeded)
	waited := r.Outcome == string(engine.TimedOut) && r.Fault.Kind != fault.LoseAnswer && r.Fault.Kind != fault.NeverDelivered
	h.waited = h.waited || waited
	failed := r.FaultHit && !cured(r.Fault.Kind)
	excused := failed || r.GaveUp() || h.mayFail(op, r)
	if name := abandoned(r); name != "" {
		h.harm(neverReturns, op, "The handler's %s was still running when the %s had been answered.", name, r.Type)
	}
	switch {
	case r.Outcome == string(engine.Cancelled):
	case op.What == notUpdatable && r.Type == "Update" && reflect.DeepEqual(r.Properties(), h.c.properties(notUpdatable)):
		h.judgeNotUpdatable(op, r)
	case refuses && simulate.RanOut(r.Deliveries):
		h.ranOut = true
	case ok && refuses:
		h.harm(notRefused, op, "The %s of Contract.Refused was answered SUCCESS.", r.Type)
	case waited:
		h.harm(badAnswer, op, "The %s was never answered.", r.Type)
	case ok:
		h.judgeDeliveries(op, r)
		h.emptied = h.emptied || r.Type == "Delete" && h.usedBy == uses
	case refuses || excused:
	case r.Type == "Delete" && h.usedBy == usesMuch && h.empties:
		h.harm(deleteFails, op, "A Delete %s, but it succeeds when users have put less into the resource.", failureText(r))
	case r.Type == "Delete" && h.used != "": // it refuses to remove what others have put there
	case r.Type == "Delete":
		h.harm(deleteFails, op, "A Delete %s.", failureText(r))
	case r.CutOff():
		h.harm(cutOff, op, "The %s waits in a Poll until its invocation ends, and fails.", r.Type)
	case op.What == again && r.Type == "Update":
		h.harm(failsWithoutCause, op, "The Update %s, though the properties are those that the resource has.", failureText(r))
	default:
		h.harm(failsWithoutCause, op, "The %s %s.", r.Type, failureText(r))
	}
}

// mayFail reports whether a request may fail though nothing has gone wrong with it: CloudFormation sends no such properties,
// somebody has removed the thing or has the name, or the service takes long.
func (h *historyRun) mayFail(op operation, r simulate.Request) bool {
	isHeldUp := r.Type != "Delete" && h.isHeld()
	switch {
	case op.isHeld() && r.Outcome != string(engine.Succeeded): // a handler may give up before the service has time for it
		h.gaveUp = true
		h.unseen = fmt.Sprintf("two %ss at once, one of which takes long at a step, do not both succeed, so this check cannot see whether one overwrites the other", r.Type)
		return true
	case op.Variant == native, isHeldUp:
		return true
	}
	return h.gone && r.Type == "Update"
}

// judgeNotUpdatable judges an Update that cannot be made in place.
func (h *historyRun) judgeNotUpdatable(op operation, r simulate.Request) {
	said := slices.ContainsFunc(r.Calls(), func(c simulate.Call) bool { return c.Code == string(cfnresource.CodeNotUpdatable) })
	switch {
	case r.Outcome == string(engine.Succeeded):
		h.harm(takesNotUpdatable, op, "The Update to Contract.NotUpdatable was answered SUCCESS.")
	case !said:
		h.harm(takesNotUpdatable, op, "The Update to Contract.NotUpdatable fails, but not with CodeNotUpdatable.")
	}
}

// judgeDeliveries judges the answers to an event that was delivered more than once, of which CloudFormation has
// read one that is SUCCESS.
func (h *historyRun) judgeDeliveries(op operation, r simulate.Request) {
	if len(r.Deliveries) < 2 || h.c.Neither && r.Type == "Create" || r.FaultHit && !cured(r.Fault.Kind) {
		return
	}
	read := r.Response()
	if read == nil {
		return
	}
	refused := map[string]harm{"Create": answersDiffer, "Update": failsWithoutCause, "Delete": deleteFails}[r.Type]
	for _, d := range r.Deliveries {
		switch a := d.Response; {
		case a == nil:
		case a.Status != read.Status:
			h.harm(refused, op, "One delivery of the %s is answered SUCCESS, and another FAILED (%s).", r.Type, a.Reason)
		case a.PhysicalResourceID != read.PhysicalResourceID:
			h.harm(answersDiffer, op, "One delivery of the %s is answered with the ID %s, and another with %s.", r.Type, read.PhysicalResourceID, a.PhysicalResourceID)
		default:
			h.judgeTwoData(op, "two deliveries of the "+r.Type, read.Data, a.Data)
		}
	}
}

// judge judges the result of an operation.
func (h *historyRun) judge(op operation) {
	was, id := h.Version, h.id
	status := h.stack.Status()
	isOfOthers := op.What == asItIs && h.Version == ""
	isAtRest := status == lifecycle.StackUpdateComplete || status == lifecycle.StackCreateComplete
	if isAtRest && (op.What == takesOut || isOfOthers) {
		status = lifecycle.StackDeleteComplete // as far as the resource goes
	}
	switch status {
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete: // what was deployed is settled
		h.Version, h.id = h.deployedBy(op), h.stack.PhysicalID(theResource)
		h.replaced = was != "" && h.id != id
		switch {
		case was == "", h.changed() && op.What != again, h.isOfBefore(was, h.Version): // whether these are another identity is not known
		case !sameIdentity(was, h.Version) && h.id == id:
			h.harm(notReplaced, op, "The resource's physical ID is %s, as before%s.", id, lagHint(h.stack.Requests()))
		case sameIdentity(was, h.Version) && h.id != id:
			h.harm(needlesslyReplaced, op, "The resource's physical ID was %s and is %s.", id, h.id)
		}

		// The resource, and what a Create of the same properties makes.
		if h.learned.refused[h.Version] {
			h.harm(acceptsRefused, op, "An Update to %s succeeds, and a Create of the same properties is refused.", h.Version)
		}
		h.judgeState(op)
		h.judgeSameData(op)
		switch {
		case h.History.has(before):
			h.judgeDataOfBefore(op)
		case was == "":
			h.judgeData(op)
		}
		h.judgeCut(op, was, id)
		h.judgeOne(op)
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
		left := h.remaining()
		h.kept = len(left) == 1 && left[0] == id && h.service.State != nil && reflect.DeepEqual(h.service.State(id), made)
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
		if want[name] != "" && (got[name] == nil || got[name] == "") {
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
	case op.What != again:
	case !h.History.ages():
		h.judgeTwoData(op, "the answers before and after an Update to the same properties", was, now)
	default:
		for _, name := range differentKeys(was, now) {
			if was[name] == nil || was[name] == "" {
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
	if !known || sameState(h.effects, want) {
		return
	}
	for _, r := range h.stack.Requests() {
		if r.FaultHit && !simultaneous(r) && r.Outcome == string(engine.Succeeded) {
			h.harm(effectsDiffer, op, "The effects of the %s differ from those of one with which nothing goes wrong:\n%s", r.Type, differences(h.effects, want))
		}
	}
}

// judgeNoEffect judges an Update whose work neither Data nor Effects shows, if there is no State that could.
func (h *historyRun) judgeNoEffect(op operation) {
	first, updated := h.learned.effects[original], h.learned.effects[original+" "+inPlace]
	switch line := h.History.String(); {
	case h.service.State != nil:
	case line == original+" "+inPlace && h.dataStayed && sameState(h.effects, first):
		h.harm(noEffect, op, "Effects and Data are the same with Properties alone and after an Update to InPlace: the Update does nothing, or nobody sees it.")
	case line == original+" "+inPlace+" "+original && !sameState(updated, first) && sameState(h.effects, updated):
		h.harm(noEffect, op, "The Update to InPlace has an effect, but the Update back to Properties has none: the handler takes it for the first request.")
	}
}

// isEmpty reports whether an attribute has no value.
func isEmpty(value any) bool { return value == nil || value == "" }

// judgeDataOfBefore checks that Data of a thing of the program before does not name a Create's ID that does not exist, nor
// has a part of it, such as the name, for the whole of an attribute.
func (h *historyRun) judgeDataOfBefore(op operation) {
	other := h.learned.ids[h.Version]
	if len(other) < 4 || other == h.id || strings.Contains(h.id, other) || slices.Contains(h.remaining(), other) {
		return
	}
	for name, value := range h.stack.Data(theResource) {
		text, is := value.(string)
		part := len(text) >= 8 && text == h.learned.data[h.Version][name] && strings.Contains(other, text) && !strings.Contains(h.id, text)
		if is && (part || strings.Contains(text, other)) {
			h.harm(staleData, op, "%s in Data is of %s, which does not exist: the resource is %s.", name, other, h.id)
		}
	}
}

// judgeLeft checks that nothing is left of a stack that has no resources any more.
func (h *historyRun) judgeLeft(op operation) {
	left := h.remainingBeside("")
	if op.Variant == unreadable && h.keeps[h.leaves] {
		return // as judgeKept judges
	}
	deletion, _ := scene{requests: h.stack.Requests(), left: []string{h.used}}.lastDelete()
	if h.used != "" && (deletion.Method == "" || deletion.Error != "") { // users' content kept it from being deleted
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
	if op.What == deletesStack && h.keeps[settled] && !h.stands {
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
		if len(left) > 1 && !h.c.Neither || slices.ContainsFunc(left, own) {
			return ""
		}
		if !h.c.Neither && slices.ContainsFunc(h.deployed[i+1:], func(later pastDeployment) bool { return h.adopts(later, d) }) {
			return ""
		}
		return limitOf(d.limitCase)
	}
	return ""
}

// adopts reports whether a deployment without a fault succeeded in replacing the resource by what an earlier one of the
// same identity has left.
func (h *historyRun) adopts(later, earlier pastDeployment) bool {
	isToldSame := h.c.handler.isTold() && h.c.oneIdentity(later.Op.What, earlier.Op.What)
	same := later.Op.What == earlier.Op.What || isChanged(later.Op.What) && isToldSame
	answer := later.Request.Response()
	replaced := answer != nil && later.Request.PhysicalID != "" && answer.PhysicalResourceID != later.Request.PhysicalID
	wentWell := later.Op.Variant == noVariant && !later.Request.FaultHit && later.Request.Outcome == string(engine.Succeeded)
	return same && replaced && wentWell
}

// remaining returns the physical IDs of all things that exist.
func (h *historyRun) remaining() (ids []string) {
	if h.service.List != nil {
		ids = slices.Clone(h.service.List())
	}
	if h.service.State != nil {
		for _, id := range h.stack.SeenIDs() {
			if !isNothing(h.service.State(id)) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(ids, func(id string) bool { return h.isOthers(id) })
	return slices.Compact(ids)
}
