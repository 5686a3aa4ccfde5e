package play

// What other people have, and what they do, time among them: the words gone, use, crowd, 2h and those like them.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An othersThing is a thing that is not the judged resource's.
type othersThing struct {
	whose    string
	touched  harm       // if something is done to it
	version  string     // that its owner has deployed, or "" if that is not known
	want     func() any // the State that it should have, unless the service changes it by itself; nil if that is not known
	isBeside bool       // it is of another resource of the stack
}

const somebodyElses = "somebody else's"

// lookAround notes what Around shows while the stack has no things.
func (h *historyRun) lookAround() {
	if h.service.Around != nil {
		h.around[fmt.Sprint(h.beside)] = h.service.Around()
	}
}

// lookAroundAnew notes what Around shows when other people have done something. If the stack has done something already, their
// part in it cannot be told from the stack's.
func (h *historyRun) lookAroundAnew() {
	if len(h.stack.Requests()) > 0 {
		h.service.Around = nil
	}
	h.lookAround()
}

// gather has other people make things: those of the Service's Crowd, and some that the handler makes for
// other stacks.
func (h *historyRun) gather(t testing.TB, op operation) {
	// The stack's own things are not other people's.
	there := h.remaining()
	defer h.lookAroundAnew()
	if h.service.Crowd != nil {
		h.service.Crowd()
	}

	// What the handler makes for other stacks, or why it makes nothing.
	var made map[string]string
	if h.service.showsThings() && h.fitBeside(t) {
		made = h.makeForStacks(op)
	}
	switch {
	case h.found != nil:
		return
	case h.service.Crowd != nil, len(made) > 0: // they are there
	case h.c.RealTime:
		h.record(unplayable, op, "The Service has no Crowd, and in real time the handler would take too long to make so many things.")
		return
	default:
		h.record(unplayable, op, "The Service has no Crowd, and the handler makes no two things with the same properties for two stacks.")
		return
	}

	// What is there now, and was not before.
	for _, id := range append(slices.Sorted(maps.Keys(made)), h.remaining()...) {
		if lacks(there, id) {
			was := h.stateOf(id)
			h.others[id] = othersThing{whose: somebodyElses, touched: strangerTouched, version: made[id], want: func() any { return was }}
		}
	}
}

// makeForStacks has the handler make things for other stacks, whose names sort before and after the stack's, and returns
// their versions by their IDs.
func (h *historyRun) makeForStacks(op operation) (made map[string]string) {
	made = map[string]string{}
	there := h.remaining()
	makeOne := func(i int) string {
		name := "another"
		if i%6 == 5 {
			name = "your"
		}
		return h.neighbour(h.service, name, len(h.others)+i)
	}
	for i := range op.word().times * 6 / 5 {
		id := makeOne(i)
		switch {
		case id == "":
			h.recordLeftOver(op, made, there)
			if makeOne(i+2) != "" { // of the same properties: there is room
				h.record(oneForStacks, op, "The handler makes %d things for other stacks, and fails for the next stack, but not for one after that: two stacks want one name.", i)
			}
			h.record(unplayable, op, "The handler makes %d things for other stacks but not the next, so the service may have no room for the stack's own.", i)
			return made
		case id == h.id, made[id] != "":
			h.record(oneForStacks, op, "The handler answers two stacks with the ID %s.", id)
			return made
		}
		made[id] = h.c.neighbourVersion(len(h.others) + i)
	}
	return made
}

// recordLeftOver records that a Create for another stack failed though it has left a thing, for which there was room. made are
// those that did not fail, and there is what there was before.
func (h *historyRun) recordLeftOver(op operation, made map[string]string, there []string) {
	h.c.wait(serviceTime) // what undoes the Create may take it
	for _, left := range h.remaining() {
		if lacks(there, left) && made[left] == "" {
			h.record(failsWithoutCause, op, "The handler makes %d things for other stacks. The next Create fails, though it has made %s.", len(made), left)
		}
	}
}

// removeThing has somebody remove the resource, as its own Delete does.
func (h *historyRun) removeThing(t testing.TB, op operation) {
	if h.id == "" {
		h.record(unplayable, op, "The stack has no resource.")
		return
	}
	// The handler's own Delete knows best what belongs to the thing.
	err := h.deliverDelete(t, theResource, h.id)
	if h.gone = true; err != nil || h.exists(h.id) {
		h.record(unplayable, op, "The handler's Delete does not remove the resource.")
	}
}

// fitBeside reports whether the handler makes two things of the same properties for two stacks, and not one that
// both have: it is tried in another service. In real time it would take too long.
func (h *historyRun) fitBeside(t testing.TB) bool {
	if h.c.RealTime {
		return false
	}
	apart := h.c.New(t)
	first, second := h.neighbour(apart, "another", 0), h.neighbour(apart, "your", 0)
	if first == "" || second == "" {
		return false
	}
	return first != second
}

// neighbourVersion returns the version of one of the things of other stacks. Every second one is like InPlace, so that not
// all of them are what the resource is.
func (c *Contract) neighbourVersion(n int) string {
	if n%2 > 0 && c.InPlace != nil {
		return inPlace
	}
	return original
}

// neighbour has the handler make such a thing, and returns its ID, or "" if it does not.
func (h *historyRun) neighbour(in Service, name string, n int) string {
	e := simulate.NewEvent("Create", "", h.c.version(h.c.neighbourVersion(n)), nil)
	e.StackID = fmt.Sprintf("arn:aws:cloudformation:us-west-2:123456789012:stack/%s-stack-%d/8f3c1b60-6b52-11f0-9c1d-%012x", name, n, n)
	e.LogicalID = theResource
	return h.createOf(in, e)
}

// findsNothing is the hook.Func in which Find is not called: there is nothing yet, and a Find that asks about one thing
// after the other would take as long as all the rest.
func findsNothing(_ context.Context, c hook.Call, method hook.Method) (string, error) {
	if c.Method == "Find" {
		return "", nil
	}
	return method()
}

// stateOf returns the state of the thing under an ID, or nil.
func (h *historyRun) stateOf(id string) any {
	if h.service.State == nil {
		return nil
	}
	return h.service.State(id)
}

// exists reports whether State shows something under an ID.
func (h *historyRun) exists(id string) bool { return !isNothing(h.stateOf(id)) }

// judgeShared judges that a resource that was deployed has no ID of another's. One that was removed may have it since then.
func (h *historyRun) judgeShared(op operation) {
	id := h.stack.PhysicalID(theResource)
	o, shared := h.others[id]
	isDeployed := slices.Contains([]lifecycle.StackStatus{lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete}, h.resourceStatus(op))
	if isDeployed && shared && h.service.State != nil {
		h.touch(h.stack, o.shared(), op, id, "The operation succeeds, but %s, the resource's physical ID, is %s.", id, o.whose)
	}
}

// judgeOthersAfter judges what others have after an operation of a stack.
func (h *historyRun) judgeOthersAfter(by *simulate.Stack, op operation) {
	var listed []string
	isListed := h.service.State == nil && h.service.List != nil // and nothing else shows what there is
	if isListed && len(h.others) > 0 {
		listed = h.service.List()
	}
	for _, id := range slices.Sorted(maps.Keys(h.others)) {
		o, now := h.others[id], h.stateOf(id)
		want := o.want()
		isGone := isNothing(now) && !isNothing(want)
		switch {
		case isListed && lacks(listed, id), isGone:
			h.touch(by, o.touched, op, id, "%s, which is %s, was deleted.", id, o.whose)
		case h.service.State == nil:
		case !h.isTouched(o.version, want, now):
			h.seen[id] = now
		case h.ripens(o.version, id):
			h.touch(by, answersEarly, op, id, "%s, which is %s, becomes what a Create of %s makes only after the answer. At the answer:\n%s", id, o.whose, o.version, differences(now, want))
		default:
			h.touch(by, o.touched, op, id, "%s, which is %s, was changed:\n%s", id, o.whose, differences(now, want))
		}
	}
}

// touch records harm to what is under an ID, by the operation of a stack. If the harm says nothing that helps, the stack's
// requests do.
func (h *historyRun) touch(by *simulate.Stack, what harm, op operation, id, format string, args ...any) {
	h.touchIn(by, by.Requests(), what, op, id, format, args...)
}

// touchIn is touch where only some of the stack's requests can have done it.
func (h *historyRun) touchIn(by *simulate.Stack, done []simulate.Request, what harm, op operation, id, format string, args ...any) {
	before := h.found
	h.record(what, op, format, args...)
	if h.found == before {
		return
	}
	h.found.story = by.Story()
	if what.cure != "" || op.isAtOnce() {
		return
	}
	singleton := ""
	if what == oneForResources {
		singleton = "If there can be only one such thing, such as an account's setting, put this check into the Contract's Skip with that reason: docs/testing.md#what-else-there-is"
	}
	method := onlyMethod(done)
	if by == h.stack {
		method = h.changedBy(id)
	}
	h.found.helps = whatHelps(cureOfTouch(done, id, method), singleton)
}

// onlyMethod returns the method that was called in some requests, besides Find, if it is one: of other stacks nobody looks at
// the calls.
func onlyMethod(done []simulate.Request) (method string) {
	for _, c := range (scene{requests: done}).calls() {
		switch {
		case c.Method == "Find":
		case method != "" && method != c.Method:
			return ""
		default:
			method = c.Method
		}
	}
	return method
}

// shared is the harm if the resource has the ID of another thing.
func (o othersThing) shared() harm {
	if o.isBeside {
		return oneForResources
	}
	return o.touched
}

// isOthers reports whether an ID is that of a thing of other people's.
func (h *historyRun) isOthers(id string) bool {
	_, others := h.others[id]
	return others
}

// followRecovered is Follow, a panic being an error.
func followRecovered(ctx context.Context, function func() simulate.Function, requestType string, payload []byte) (bodies [][]byte, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	bodies, _, err = simulate.Follow(ctx, function, requestType, payload)
	return bodies, err
}

// letPass has time pass.
func (h *historyRun) letPass(_ testing.TB, op operation) {
	if h.c.RealTime {
		return
	}
	h.c.wait(op.word().lasts)
	h.judgeStill(op)
}

// putInto has users put something into the resource.
func (h *historyRun) putInto(_ testing.TB, op operation) {
	switch {
	case h.service.Use == nil, h.id == "":
		h.record(unplayable, op, "The Service has no Use, or the stack has no resource.")
		return
	case h.used != "":
		h.record(unplayable, op, "A history has one use: what State shows is compared with what it shows after a Create and one use.")
		return
	}
	for range op.word().times {
		h.service.Use(h.id)
	}
	h.used, h.usedBy = h.id, op.What
	h.judgeState(op)
}

// touchSigns returns how some requests of a stack came to the thing under an ID, but for those of the resource whose it is.
func touchSigns(done []simulate.Request, id string) (signs []string) {
	owner := ownerOf(done, id)
	for _, q := range done {
		if q.LogicalID == owner {
			continue
		}
		if hitBy(q) == fault.HeldAtStep && q.Fault.Step > 1 { // it has read something before
			signs = append(signs, "held")
		}
		if names(q, id) {
			signs = append(signs, "named")
		}
		for _, c := range q.Calls() {
			signs = append(signs, touchOf(c, id)...)
		}
	}
	return signs
}

// names reports whether a request was answered with an ID that it did not have before.
func names(q simulate.Request, id string) bool { return q.AnsweredID() == id && q.PhysicalID != id }

// ownerOf returns the logical ID of the resource whose thing it is: of two that have named it the first, and else a sibling
// that has it, or "".
func ownerOf(done []simulate.Request, id string) string {
	var named []string
	for _, q := range done {
		if q.AnsweredID() == id && lacks(named, q.LogicalID) {
			named = append(named, q.LogicalID)
		}
	}
	switch {
	case len(named) > 1, len(named) == 1 && named[0] != theResource:
		return named[0]
	}
	return ""
}

// touchOf returns the same of one call.
func touchOf(c simulate.Call, id string) (signs []string) {
	if c.Created == id {
		signs = append(signs, "named")
	}
	if c.Returned == id { // only Find returns one
		signs = append(signs, "found")
	}
	if isBeginning(c.PhysicalID, id) {
		signs = append(signs, "by-beginning")
	}
	return signs
}

// isBeginning reports whether an ID is only the beginning of another one.
func isBeginning(id, of string) bool {
	if id == "" || id == of {
		return false
	}
	return strings.HasPrefix(of, id)
}
