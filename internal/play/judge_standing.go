package play

// Looks at the resource at the end of each call: which one does harm to it, and since when it has been as it is.

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A standing resource is the settled template's during an operation: nothing but a Delete removes it, and
// a replacement does not change it.
type standing struct {
	mu   sync.Mutex        // a method may outlive its event
	id   string            // "" if there is none
	as   any               // the state that a replacement leaves it in; nil in other operations
	harm harm              // the first that was seen
	seen string            // "" if there was none
	by   simulate.Returned // that did it

	stays     bool            // the operation leaves the resource as it is
	arounds   []sighting      // what Around showed, in the order of the calls
	others    []string        // the IDs of other people's things, unless they are many
	sightings []sighting      // in the order of the calls
	phantoms  []simulate.Call // that named a thing of which State showed nothing
}

// A sighting is what State showed of a thing at the end of a call.
type sighting struct {
	simulate.Returned

	id    string
	state any
}

// call names the call.
func (s sighting) call() string {
	text := fmt.Sprintf("%s, in delivery %d of the %s %s", s.Method, s.Delivery, ordinal(s.Nth), s.Request)
	if s.LogicalID != theResource {
		text += " of " + s.LogicalID
	}
	return text
}

// ordinal returns the word for a place in an order, from 1.
func ordinal(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	if n <= len(words) {
		return words[n-1]
	}
	return fmt.Sprintf("%dth", n)
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
	if named := c.Returned + c.Created; named != "" && c.LogicalID == theResource && isNothing(h.service.State(named)) {
		h.standing.phantoms = append(h.standing.phantoms, c.Call)
	}
	switch {
	case c.Method == "Find": // which changes nothing
		return
	case c.LogicalID != theResource && !h.standing.stays: // at the same time something is done for this one
		return
	}
	h.sightAround(c)
	seen := append([]string{"", c.PhysicalID, c.Created, h.standing.id}, h.standing.others...)
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
		case s.id != id, s.Method == "":
		case !s.isAs(now):
			return call
		case last == "", last == s.call():
			last = s.call()
			call = "\nThe resource has been in this state since the end of " + last + "."
		default:
			call = "\nThe resource has been in this state since the end of " + s.call() + ". " + last + ", has not changed it."
		}
	}
	return call
}

// phantomsOf returns the calls that have named a thing of which State showed nothing.
func (h *historyRun) phantomsOf() []simulate.Call {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	return slices.Clone(h.standing.phantoms)
}

// lastSight returns what was seen of a thing when a method was last called for it.
func (h *historyRun) lastSight(id string) (last sighting) {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	for _, s := range h.standing.sightings {
		if s.id == id && s.PhysicalID == id {
			last = s
		}
	}
	return last
}

// isThere reports whether the thing existed.
func (s sighting) isThere() bool { return !isNothing(s.state) }

// isDenied reports whether it did, and the call said that there is none.
func (s sighting) isDenied() bool { return s.isThere() && s.Code == string(cfnresource.CodeNotFound) }

// doneBy returns the method that was seen to change a thing, or after which it was gone, and "" if nobody has seen it. If that
// was called for another thing, it is along, with the call.
func (h *historyRun) doneBy(id string) (method, call string) {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	switch {
	case h.standing.seen != "":
		return along(h.standing.by, h.standing.id)
	case h.service.State == nil:
		return "", ""
	}

	// Back to the last call after which it was not as now: the one after that has changed it.
	now := h.service.State(id)
	for _, s := range slices.Backward(h.standing.sightings) {
		if s.id != id {
			continue
		}
		if !s.isAs(now) {
			break
		}
		method, call = along(s.Returned, id)
	}
	if !isNothing(now) && method != "along" {
		return "", "" // its own methods change it
	}
	return method, call
}

// along returns the method of a call, or along and the call if that was for another thing, or to make one for another resource.
func along(c simulate.Returned, id string) (method, call string) {
	isOwnCreate := lacks([]string{"Update", "Delete"}, c.Method) && lacks(besideIDs, c.LogicalID)
	if c.PhysicalID == id || isOwnCreate {
		return c.Method, ""
	}
	return "along", c.Method + " of " + cmp.Or(c.PhysicalID, c.LogicalID)
}

// sightAround keeps what Around shows at the end of a call. The caller holds the lock.
func (h *historyRun) sightAround(c simulate.Returned) {
	if h.service.Around != nil {
		h.standing.arounds = append(h.standing.arounds, sighting{Returned: c, state: h.service.Around()})
	}
}

// lostSince says since which call Around has lacked a part that it should have, or "".
func (h *historyRun) lostSince(now, want any) (text string) {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	lost := without(partsOf(want), partsOf(now))
	for _, s := range slices.Backward(h.standing.arounds) {
		if len(without(lost, partsOf(s.state))) == 0 {
			break
		}
		text = "\nA part has been lost since the end of " + s.call() + "."
	}
	return text
}

// partsOf returns the values in a state as texts.
func partsOf(state any) (texts []string) {
	for _, value := range valuesIn(state) {
		texts = append(texts, fmt.Sprint(value))
	}
	return texts
}

// neverSeen reports whether a thing that the stack has just got did not exist at the end of any call.
func (h *historyRun) neverSeen(id string) bool {
	isOlder := slices.Contains(h.ownIDs[:max(0, len(h.ownIDs)-1)], id) || h.isForeign() || h.History.has(before)
	if isOlder {
		return false
	}
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	isSeen := func(s sighting) bool { return s.id == id && !isNothing(s.state) }
	return len(h.standing.sightings) > 0 && !slices.ContainsFunc(h.standing.sightings, isSeen)
}

// changedBy returns the method after which something else was seen of a thing than before, or "".
func (h *historyRun) changedBy(id string) (method string) {
	h.standing.mu.Lock()
	defer h.standing.mu.Unlock()
	var last *sighting
	for _, s := range h.standing.sightings {
		if s.id != id {
			continue
		}
		if last != nil && !last.isAs(s.state) {
			method = s.Method
		}
		last = &s
	}
	return method
}

// sightOthers keeps what State shows of other people's things before an operation. The caller holds the lock.
func (h *historyRun) sightOthers() {
	const most = 4 // what a crowd has is too much to look at after each call
	h.standing.others = nil
	if h.service.State == nil || len(h.others) > most {
		return
	}
	for id, o := range h.others {
		if !o.isBeside { // which its own requests change
			h.standing.others = append(h.standing.others, id)
			h.standing.sightings = append(h.standing.sightings, sighting{id: id, state: h.service.State(id)})
		}
	}
}

// stand notes the resource that is to stand during an operation.
func (h *historyRun) stand(op operation) {
	s := &h.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.as, s.stays = h.id, nil, op.What == asItIs
	h.sightOthers()
	switch {
	case h.gone, h.isForeign():
		s.id = ""
	case h.History.has(before), h.twins.id != "": // another program has made it, or it is taken for another one
	case h.Version == "", h.stack.Status() == lifecycle.StackUpdateFailed: // nothing is settled
	case op.What == refused, !op.deploys(), sameIdentity(op.What, h.Version):
	default:
		s.as = h.learned.want[h.settled()]
	}
}

// lookAtStanding looks at the standing resource at the end of a call.
func (h *historyRun) lookAtStanding(c simulate.Returned) {
	s := &h.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	h.sight(c)
	switch {
	case s.id == "", s.seen != "", c.LogicalID != theResource, slices.Contains([]string{c.Request, c.Method}, "Delete"):
		return
	}

	// What the method has done to it.
	s.by = c
	refuses := c.Code == string(cfnresource.CodeNotUpdatable)
	isReplaced := s.as != nil && h.stack.Status() == lifecycle.StackUpdateInProgress
	switch state := h.service.State(s.id); {
	case isNothing(state):
		s.harm, s.seen = liveDeleted, fmt.Sprintf("%s removes %s, the stack's resource, while it works: leave that to CloudFormation's Delete.", c.Method, s.id)
	case refuses && h.isTouched(h.Version, h.learned.want[h.Version], state):
		s.harm, s.seen = takesNotUpdatable, fmt.Sprintf("%s returns CodeNotUpdatable after it has changed %s: check the properties before the first change.", c.Method, s.id)
	case isReplaced && h.isTouched(h.settled(), s.as, state):
		s.harm, s.seen = wrongState, fmt.Sprintf("%s changes %s, to which the stack goes back if the replacement fails.", c.Method, s.id)
	}
}

// judgeStanding judges what lookAtStanding has seen.
func (h *historyRun) judgeStanding(op operation) {
	h.standing.mu.Lock()
	what, seen, by, id := h.standing.harm, h.standing.seen, h.standing.by, h.standing.id
	h.standing.mu.Unlock()
	if seen == "" {
		return
	}
	// Where the Update was to replace the thing, and changed it, nothing was replaced: both identities have one ID.
	isInPlace := by.Method == "Update" && by.PhysicalID == id && h.stack.PhysicalID(theResource) == id
	if what == wrongState && isInPlace {
		what, seen = notReplaced, fmt.Sprintf("Update changes %s in place: the other identity has its ID too.", id)
	}
	h.record(what, op, "%s", seen)
}
