package play

// Judges the stack's resource during an operation, after it, and until the next one.

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// settled returns the line that leads to the state that the stack's resource should have.
func (h *historyRun) settled() string {
	if h.used != "" && h.used == h.id {
		return h.Version + " " + h.usedBy
	}
	return h.Version
}

// A standing resource is the settled template's during an operation: nothing but a Delete removes it, and
// a replacement does not change it.
type standing struct {
	mu   sync.Mutex // a method may outlive its event
	id   string     // "" if there is none
	as   any        // the state that a replacement leaves it in; nil in other operations
	harm harm       // the first that was seen
	seen string     // "" if there was none
	by   string     // the method that did it

	sightings []sighting // in the order of the calls
}

// A sighting is what State showed of a thing at the end of a call.
type sighting struct {
	simulate.Returned

	id    string
	state any
}

// call names the call.
func (s sighting) call() string {
	return fmt.Sprintf("%s, in delivery %d of the %s", s.Method, s.Delivery, s.Request)
}

// isAs reports whether a thing was as it is now, or gone as it is now.
func (s sighting) isAs(now any) bool {
	if isNothing(now) {
		return isNothing(s.state)
	}
	return sameState(s.state, now)
}

// sight keeps what State shows of the things that a call was about, or one before it. The caller holds the lock.
func (h *historyRun) sight(c simulate.Returned) {
	switch {
	case c.Method == "Find", c.LogicalID != theResource: // which changes nothing
		return
	}
	seen := []string{"", c.PhysicalID, c.Created, h.standing.id}
	for _, s := range h.standing.sightings {
		seen = append(seen, s.id)
	}
	slices.Sort(seen)
	for _, id := range slices.Compact(seen)[1:] {
		h.standing.sightings = append(h.standing.sightings, sighting{c, id, h.service.State(id)})
	}
}

// since names the call after which a thing was as it is now, or "".
func (h *historyRun) since(id string, now any) (call string) {
	if h.gone {
		return "" // somebody else has removed it
	}
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	last := ""
	for _, s := range slices.Backward(h.standing.sightings) {
		switch {
		case s.id != id:
		case !s.isAs(now):
			return call
		case last == "" || last == s.call():
			last = s.call()
			call = "\nThis state is there since the end of " + last + "."
		default:
			call = "\nThis state is there since the end of " + s.call() + ". " + last + ", has not changed it."
		}
	}
	return call
}

// doneBy returns the method that was seen to change a thing, or after which it was gone: along if it was one for another
// thing, and "" if nobody has seen it.
func (h *historyRun) doneBy(id string) (method string) {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	switch {
	case h.standing.seen != "":
		return h.standing.by
	case h.service.State == nil, h.exists(id):
		return ""
	}

	// Back to the last call after which it was there: the one after that has removed it.
	for _, s := range slices.Backward(h.standing.sightings) {
		switch {
		case s.id != id:
		case !isNothing(s.state):
			return method
		case s.Method == "Delete" && s.PhysicalID != id:
			method = "along"
		default:
			method = s.Method
		}
	}
	return method
}

// stand notes the resource that is to stand during an operation.
func (h *historyRun) stand(op operation) {
	s := &h.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.as = h.id, nil
	isUnsettled := h.stack.Status() == lifecycle.StackUpdateFailed || h.Version == ""
	switch {
	case h.gone, h.isForeign():
		s.id = ""
	case h.History.has(before), h.twins.id != "": // another program has made it, or it is taken for another one
	case isUnsettled, op.What == refused, !op.deploys():
	case !sameIdentity(op.What, h.Version):
		s.as = h.learned.want[h.settled()]
	}
}

// lookAtStanding looks at the standing resource at the end of a call.
func (h *historyRun) lookAtStanding(c simulate.Returned) {
	s := &h.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	h.sight(c)
	mayChange := slices.Contains([]string{"Create", "Update"}, c.Method)
	switch {
	case s.id == "", s.seen != "", c.LogicalID != theResource, !mayChange:
		return
	}

	// What the method has done to it.
	s.by = c.Method
	refuses := c.Code == string(cfnresource.CodeNotUpdatable)
	isReplaced := s.as != nil && h.stack.Status() == lifecycle.StackUpdateInProgress
	switch state := h.service.State(s.id); {
	case isNothing(state):
		s.harm, s.seen = liveDeleted, fmt.Sprintf("%s removes %s, the stack's resource, while it works: change it in place, or leave it to CloudFormation's Delete.", c.Method, s.id)
	case refuses && !sameState(state, h.learned.want[h.Version]):
		s.harm, s.seen = takesNotUpdatable, fmt.Sprintf("%s returns CodeNotUpdatable after it has changed %s: check the properties before the first change.", c.Method, s.id)
	case isReplaced && !sameState(state, s.as):
		s.harm, s.seen = wrongState, fmt.Sprintf("%s changes %s, to which the stack goes back if the replacement fails.", c.Method, s.id)
	}
}

// judgeStanding judges what lookAtStanding has seen.
func (h *historyRun) judgeStanding(op operation) {
	h.standing.mu.Lock()
	what, seen := h.standing.harm, h.standing.seen
	h.standing.mu.Unlock()
	if seen != "" {
		h.harm(what, op, "%s", seen)
	}
}

// judgeExists checks that the settled template's resource exists during an operation.
func (h *historyRun) judgeExists(op operation) {
	switch {
	case h.Version == "", h.gone, h.service.State == nil:
	case isNothing(h.service.State(h.id)):
		h.harm(liveDeleted, op, "In %s there is nothing under %s, the ID of the stack's resource.", h.stack.Status(), h.id)
	}
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
	if len(h.stack.Requests()) == 1 && op.Fault == nil {
		h.harm(madeNothing, op, "There is nothing under %s, the ID of the stack's resource.", h.id)
		return
	}
	h.harm(liveDeleted, op, "There is nothing under %s, the ID of the stack's resource.%s", h.id, h.since(h.id, nil))
}

// judgeSight judges that State shows what Use and an Update to InPlace change.
func (h *historyRun) judgeSight(op operation, state any) {
	if h.learned.calibration.isPartial() {
		return
	}
	if op.What == h.usedBy && reflect.DeepEqual(state, h.learned.want[h.Version]) {
		h.harm(blindState, op, "State shows the same before Use and after it.")
	}
	if h.Version == inPlace && reflect.DeepEqual(state, h.learned.want[original]) {
		h.judgeBlind(op)
	}
}

// isOfUse reports whether a state may be another one because of what users have put into the resource.
func (h *historyRun) isOfUse(state any) bool {
	switch {
	case h.used == "":
		return false
	case h.used != h.id && sameState(state, h.learned.want[h.Version+" "+h.usedBy]): // with the contents of the replaced thing
		return true
	}
	return h.changed() && !sameState(state, h.learned.want[h.Version]) // what they put there may be another with other properties
}

// judgeBlind judges a State that shows the same with Properties and with InPlace.
func (h *historyRun) judgeBlind(op operation) {
	if later, then := h.learned.calibration.later[original], h.learned.calibration.later[inPlace]; !sameState(later, then) {
		h.harm(answersEarly, op, "State shows the same with Properties and with InPlace when their Creates are answered. An hour later it differs:\n%s", differences(then, later))
	}
	h.harm(blindState, op, "State shows the same with Properties and with InPlace, so no check can see what an Update does.")
}

// judgeLater judges a resource that is not as it should be: either it is wrong, or the answer came too soon.
func (h *historyRun) judgeLater(op operation, state, want any) {
	later := state
	if !h.c.RealTime {
		<-time.After(serviceTime)
		later = h.service.State(h.id)
	}
	settled := h.learned.calibration.later[h.settled()]
	isThen := func(state any) bool { return settled != nil && sameState(state, settled) }
	switch {
	case isThen(state):
		h.harm(answersEarly, op, "The resource is what a Create of %s makes, but that is not done when it is answered. An hour later, when the service is done, the resource differs from what it is at the answer:\n%s", h.settled(), differences(settled, want))
	case sameState(later, want), isThen(later):
		h.harm(answersEarly, op, "The resource becomes what a Create of %s makes only after the answer. At the answer:\n%s", h.settled(), differences(state, want))
	default:
		h.harm(wrongState, op, "The resource is not what a Create of %s makes:\n%s%s", h.settled(), differences(state, want), h.since(h.id, state))
	}
}

// judgeStill judges that the resource of a settled stack has not changed by itself.
func (h *historyRun) judgeStill(op operation) {
	switch {
	case h.Version == "", h.service.State == nil, h.how.learns, h.stack.Status() == lifecycle.StackUpdateFailed:
		return
	}
	if state, want := h.service.State(h.id), h.learned.want[h.settled()]; isNothing(state) {
		h.harm(changedByItself, op, "There is nothing under %s any more, the ID of the stack's resource. If the service ends such things by itself, skip the check.", h.id)
	} else if !sameState(state, want) {
		h.harm(changedByItself, op, "The resource has changed since the request was answered:\n%s", differences(state, want))
	}
}
