package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// strangerTouched is harm to things that have nothing to do with the stack.
var strangerTouched = harm{"somebody else's thing touched", "other people's things in the service stay unchanged.", "had a thing changed or deleted that has nothing to do with the stack.",
	"Touch only what Create has made, under its physical ID, and go by no place in a list: docs/rules-for-a-handler.md#everywhere"}

// An othersThing is a thing that is not the judged resource's.
type othersThing struct {
	whose    string
	touched  harm              // if something is done to it
	want     func(now any) any // the State that it should have; nil if that is not known
	isBeside bool              // it is of another resource of the stack
}

const somebodyElses = "somebody else's"

// aroundTouched is harm to something of which only a part is the handler's.
var aroundTouched = harm{"a change around the resource", "Service.Around shows the same after the stack's deletion as before its creation.", "left the resource's part in a document that others share, or removed a part of theirs.",
	"Have Delete remove what Create has added, and nothing else: docs/recipes.md#a-document-that-resources-share"}

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

// judgeAround judges that Around shows nothing more and nothing less than before the stack.
func (h *historyRun) judgeAround(op operation) {
	want, known := h.around[fmt.Sprint(h.beside)]
	switch {
	case h.service.Around == nil, h.used != "", !known:
		return
	}
	now := h.service.Around()
	switch {
	case sameState(now, want):
		return
	case !h.c.RealTime: // the service has its time
		<-time.After(serviceTime)
		now = h.service.Around()
	}
	if !sameState(now, want) {
		h.harm(aroundTouched, op, "Around does not show what it did before the Create:\n%s", differences(now, want))
	}
}

// oneForStacks is harm to the things of two stacks at once.
var oneForStacks = harm{"one thing for two stacks", "resources of two stacks are two things.", "taken one stack's resource for another stack's, or failed one stack because of another one.",
	"Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"}

// gather has other people make things: those of the Service's Crowd, and some that the handler makes for
// other stacks.
func (h *historyRun) gather(t testing.TB, op operation) {
	there := h.remaining()
	defer h.lookAroundAnew()
	if h.service.Crowd != nil {
		h.service.Crowd()
	}

	// What the handler makes for other stacks, or why it makes nothing.
	var made []string
	if h.service.showsThings() && h.fitBeside(t) {
		made = h.makeForStacks(op)
	}
	switch {
	case h.found != nil:
		return
	case h.service.Crowd != nil, len(made) > 0: // they are there
	case h.c.RealTime:
		h.harm(unplayable, op, "The Service has no Crowd, and in real time the handler would take too long to make so many things.")
		return
	default:
		h.harm(unplayable, op, "The Service has no Crowd, and the handler makes no two things with the same properties for two stacks.")
		return
	}

	// What is there now, and was not before.
	for _, id := range append(made, h.remaining()...) {
		if !slices.Contains(there, id) {
			was := h.stateOf(id)
			h.others[id] = othersThing{whose: somebodyElses, touched: strangerTouched, want: func(any) any { return was }}
		}
	}
}

// makeForStacks has the handler make things for other stacks, whose names sort before and after the stack's, and returns
// their IDs.
func (h *historyRun) makeForStacks(op operation) (made []string) {
	makeOne := func(i int) string {
		name := "another"
		if i%6 == 5 {
			name = "your"
		}
		return h.neighbour(h.service, name, len(h.others)+i)
	}
	for i := range crowds[op.What] * 6 / 5 {
		id := makeOne(i)
		switch {
		case id == "" && makeOne(i+2) != "": // of the same properties: there is room
			h.harm(oneForStacks, op, "The handler makes %d things for other stacks, and fails for the next stack, but not for one after that: two stacks want one name.", i)
			return made
		case id == "":
			h.harm(unplayable, op, "The handler makes %d things for other stacks but not the next, so the service may have no room for the stack's own.", i)
			return made
		case id == h.id, slices.Contains(made, id):
			h.harm(oneForStacks, op, "The handler answers two stacks with the ID %s.", id)
			return made
		}
		made = append(made, id)
	}
	return made
}

// removeThing has somebody remove the resource, as its own Delete does.
func (h *historyRun) removeThing(t testing.TB, op operation) {
	if h.id == "" {
		h.harm(unplayable, op, "The stack has no resource.")
		return
	}
	err := h.deliverDelete(t, theResource, h.id)
	if h.gone = true; err != nil || h.exists(h.id) {
		h.harm(unplayable, op, "The handler's Delete does not remove the resource.")
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
	areMade := first != "" && second != ""
	return areMade && first != second
}

// neighbour has the handler make a thing for another stack, and returns its ID, or "" if it does not. Every second
// one is like InPlace, so that not all of them are what the resource is.
func (h *historyRun) neighbour(in Service, name string, n int) string {
	props := h.c.Properties
	if n%2 > 0 && h.c.InPlace != nil {
		props = h.c.InPlace
	}
	e := simulate.NewEvent("Create", "", props, nil)
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

// judgeOthers judges that what others have is as it should be.
func (h *historyRun) judgeOthers(op operation) {
	h.judgeOthersAfter(h.stack, op)
}

// judgeShared judges that the resource has no ID of another's.
func (h *historyRun) judgeShared(op operation) {
	id := h.stack.PhysicalID(theResource)
	if o, shared := h.others[id]; shared && h.service.State != nil {
		h.touch(h.stack, o.shared(), op, id, "The operation succeeds, but %s, the resource's physical ID, is %s.", id, o.whose)
	}
}

// judgeOthersAfter judges what others have after an operation of a stack.
func (h *historyRun) judgeOthersAfter(by *simulate.Stack, op operation) {
	var listed []string
	isListed := h.service.State == nil && h.service.List != nil // and nothing else shows what there is
	if isListed && len(h.others) > 0 {
		listed = h.service.List()
		slices.Sort(listed)
	}
	for _, id := range slices.Sorted(maps.Keys(h.others)) {
		o, now := h.others[id], h.stateOf(id)
		want := o.want(now)
		_, there := slices.BinarySearch(listed, id)
		isUnlisted := isListed && !there
		isGone := isNothing(now) && !isNothing(want)
		switch {
		case isUnlisted, isGone:
			h.touch(by, o.touched, op, id, "%s, which is %s, was deleted.", id, o.whose)
		case h.service.State != nil && !sameState(now, want):
			h.touch(by, o.touched, op, id, "%s, which is %s, was changed:\n%s", id, o.whose, differences(now, want))
		}
	}
}

// touch records harm to what is under an ID, by the operation of a stack. If the harm says nothing that helps, the stack's
// requests do.
func (h *historyRun) touch(by *simulate.Stack, what harm, op operation, id, format string, args ...any) {
	before := h.found
	h.harm(what, op, format, args...)
	switch {
	case h.found == before, what.cure != "", op.isAtOnce():
		return
	}
	singleton := ""
	if what == oneForResources {
		singleton = "If there can be only one such thing, such as an account's setting, put this check into the Contract's Skip with that reason: docs/testing.md#what-else-there-is"
	}
	h.found.helps, h.found.story = whatHelps(cureOfTouch(by, id), singleton), by.Story()
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

// larger returns the history with larger crowds.
func (h history) larger() history {
	h = slices.Clone(h)
	for i, op := range h {
		if op.What == crowd {
			h[i].What = largeCrowd
		}
	}
	return h
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
