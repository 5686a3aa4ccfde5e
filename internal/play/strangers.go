package play

// What other people do whose stacks, things or IDs are easily taken for the stack's: the words namesakes, occupied and
// other-deletes. What they have is judged after each operation, as all that is in others.

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const anotherStacks = "another stack's"

// A namesake is another stack, with the resource of the judged one's Properties.
type namesake struct {
	*simulate.Stack

	met   string     // the fault of its Create or Delete
	ended chan error // of its deployment
	made  []string   // the IDs of what there was when the judged stack went on
}

// namesakesOf are the names of stacks that are easily taken for the judged one: its own, as of one that was deleted or is in
// another Region, and one that begins with it.
var (
	namesakesOf   = []string{"my-stack", "my-stack-two"}
	namesakeSeeds = []uint64{1, 2} // of their IDs
)

// makeNamesakes has other stacks make the same resource, delete it and make it again. If a fault is given, the last of them
// has only begun that when the judged stack goes on: its Create meets the fault, or its Delete.
func (h *historyRun) makeNamesakes(t testing.TB, op operation) {
	if op.Fault != nil {
		h.beginNamesake(t, op)
		return
	}
	defer h.lookAroundAnew()
	for i := range namesakesOf {
		// Each step of theirs is judged by itself, since a later one may hide what an earlier one did.
		n, was := h.newNamesake(t, h.service, i), h.stateOf(h.id)
		for _, step := range []string{"Create", "Delete", "Create"} {
			if step == "Delete" {
				delete(h.others, n.PhysicalID(theResource))
				n.ended <- n.Destroy(nil)
				n.await()
			} else {
				h.createNamesake(n, op)
			}
			if h.isTouched(h.settled(), was, h.stateOf(h.id)) {
				h.touch(n.Stack, nameTaken, op, h.id, "The %s for another stack changes or removes %s, the stack's resource.", step, h.id)
			}
			if h.judgeOthersAfter(n.Stack, op); h.found != nil {
				return
			}
		}
	}
}

// createNamesake creates another stack, which must not get what is not its own. It may fail if the name is taken.
func (h *historyRun) createNamesake(n *namesake, op operation) {
	there := h.remaining()
	n.ended <- n.Deploy(h.namesakeTemplate(original), simulate.DeployOptions{})
	n.await()
	if n.Status() != lifecycle.StackCreateComplete {
		if h.id == "" && len(h.others) == 0 {
			h.record(unplayable, op, "A Create for another stack does not succeed.")
		}
		return
	}
	switch id := n.PhysicalID(theResource); {
	case slices.Contains(there, id), h.isOthers(id):
		h.touch(n.Stack, nameTaken, op, id, "The Create for another stack succeeds, but %s is not that stack's.", id)
	default: // as the resource of these properties is
		h.others[id] = othersThing{whose: anotherStacks, touched: nameTaken, version: original, want: h.wantedBeside(original, id)}
	}
}

// newNamesake makes one of the other stacks in a service.
func (h *historyRun) newNamesake(t testing.TB, in Service, i int) *namesake {
	o := simulate.Options{Name: namesakesOf[i], Timeout: h.c.Timeout, RealTime: h.c.RealTime, Seed: namesakeSeeds[i]}
	stack, err := simulate.New(context.WithoutCancel(t.Context()), in.Function, o)
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	return &namesake{Stack: stack, ended: make(chan error, 1)}
}

// namesakeTemplate is what another stack deploys.
func (h *historyRun) namesakeTemplate(version string) simulate.Template {
	return simulate.Template{theResource: {Type: h.c.ResourceType, Properties: h.c.properties(version)}}
}

// await waits until the deployment has ended. What never returns is for other checks.
func (n *namesake) await() {
	if <-n.ended == nil {
		_ = n.Settle()
	}
}

// beginNamesake has another stack's Create or Delete meet a fault, and goes on when it has.
func (h *historyRun) beginNamesake(t testing.TB, op operation) {
	if h.c.RealTime {
		h.record(unplayable, op, "In real time Lambda's next try comes at once.")
		return
	}
	n := h.newNamesake(t, h.service, len(namesakesOf)-1)
	n.met = op.Fault.String()
	if err := n.Inject(fault.Fault{Kind: op.Fault.Kind, Skip: op.Fault.Request - 1, Step: op.Fault.Step}); err != nil {
		panic(err) // parseHistory has checked the fault
	}
	// It goes on beside the judged stack until its request has met the fault.
	go func() { n.ended <- n.begin(h.namesakeTemplate(original), op.Fault.Request) }()
	hit := func(q simulate.Request) bool { return q.FaultHit }
	for !slices.ContainsFunc(n.Requests(), hit) && len(n.ended) == 0 {
		<-time.After(time.Second)
	}
	if h.pending = n; n.deletes() { // what it deletes is nobody's
		return
	}
	seen := slices.DeleteFunc(n.SeenIDs(), func(id string) bool { return !h.exists(id) })
	n.made = slices.DeleteFunc(append(h.remaining(), seen...), func(id string) bool { return id == h.id })
}

// begin creates the stack, and deletes it if the second of its requests is to meet the fault.
func (n *namesake) begin(t simulate.Template, requests int) error {
	err := n.Deploy(t, simulate.DeployOptions{})
	if requests < 2 || err != nil {
		return err
	}
	if err := n.Settle(); err != nil {
		return err
	}
	return n.Destroy(nil)
}

// deletes reports whether the stack is deleted.
func (n *namesake) deletes() bool { return len(n.Requests()) > 1 }

// goesOn returns what was done for the stack while the judged one went on: what came before the fault had ended by then.
func (n *namesake) goesOn() []simulate.Request {
	all := n.Requests()
	hit := slices.IndexFunc(all, func(q simulate.Request) bool { return q.FaultHit })
	if hit < 0 {
		return all
	}
	all[hit] = all[hit].SinceFault()
	return all[hit:]
}

// takes reports whether the Create of the stack succeeds with a thing that was not there when the judged stack went on: it has
// the ID, or its Find has returned it.
func (n *namesake) takes(id string, done []simulate.Request) bool {
	isFound := func(c simulate.Call) bool { return did(c) == "Find" && c.Returned == id }
	switch {
	case n.Status() != lifecycle.StackCreateComplete, slices.Contains(n.made, id):
		return false
	}
	return n.PhysicalID(theResource) == id || slices.ContainsFunc(scene{requests: done}.calls(), isFound)
}

// awaitNamesake waits until a stack that had only begun is done, and judges that the resource is not its thing.
func (h *historyRun) awaitNamesake(op operation) {
	n := h.pending
	if n == nil {
		return
	}
	id := h.stack.PhysicalID(theResource)
	was := h.stateOf(id)
	h.pending = nil
	n.await()
	h.lookAroundAnew()
	done := n.goesOn()
	isMade := h.stack.Status() == lifecycle.StackCreateComplete
	isChanged := h.isTouched(h.deployedBy(op), was, h.stateOf(id))
	switch {
	case isMade && slices.Contains(n.made, id): // whatever theirs has done to it since
		h.touch(h.stack, nameTaken, op, id, "The Create succeeds, but %s is another stack's, whose own Create met %s: only a mark proves that a thing is this resource's. "+
			"Mark a thing in the call that makes it.", id, n.met)
	case isMade && isChanged:
		h.touchIn(n.Stack, done, nameTaken, op, id, "What is done for another stack, whose %s met %s, changes or removes %s, the stack's resource.", done[0].Type, n.met, id)
	case n.deletes(): // what it has left is still being removed, and the ID that it had may be the resource's by now
	case isMade && n.takes(id, done):
		h.touchIn(n.Stack, done, nameTaken, op, id, "The Create for another stack, which met %s, succeeds, but %s is not that stack's.", n.met, id)
	default: // all that their stack has made is theirs, also what it has lost
		for _, theirs := range slices.Concat(n.made, n.SeenIDs(), h.remaining()) {
			if theirs != id {
				was := h.stateOf(theirs)
				h.others[theirs] = othersThing{whose: anotherStacks, touched: nameTaken, version: original, want: func() any { return was }}
			}
		}
	}
}

// occupy has somebody make a thing, as Service.Occupy does: under the ID that the next operation's Create gives, if it calls
// that, else under one that begins with the resource's.
func (h *historyRun) occupy(t testing.TB, op operation) {
	name, isNext := h.id+"-2", h.createsNext()
	if isNext {
		name = h.nextID(t, h.rest[0].What)
	}
	switch {
	case name == "":
		return // nobody can have it
	case h.service.Occupy == nil:
		h.record(unplayable, op, "The Service has no Occupy: nothing can be put beside the resource.")
		return
	}

	// What it should stay is seen in a service in which nothing is done to it: its status may change by itself.
	apart := h.c.New(t)
	h.service.Occupy(name)
	apart.Occupy(name)
	defer h.lookAroundAnew()
	switch {
	case h.exists(name):
		h.others[name] = othersThing{whose: somebodyElses, touched: nameTaken, want: func() any { return apart.State(name) }}
	case isNext:
		h.record(wrongContract, op, "The Service's Occupy makes nothing that State shows: State returns nil for %s.", name)
	default:
		h.record(unplayable, op, "The Service's Occupy makes nothing that State shows: State returns nil for %s. If the service's IDs have one form, nothing can be under such an ID.", name)
	}
}

// createsNext reports whether the next operation calls Create.
func (h *historyRun) createsNext() bool {
	switch {
	case len(h.rest) == 0, !h.rest[0].deploys():
		return false
	case h.Version == "": // there is none yet
		return true
	}
	return !sameIdentity(h.rest[0].What, h.Version)
}

// nextID returns the ID that the Create of a version gives, if it is a name that two stacks cannot both have. A thing that is
// named for its stack, or by the service, is nobody else's.
func (h *historyRun) nextID(t testing.TB, version string) string {
	apart := h.c.New(t)
	first, second := h.newNamesake(t, apart, 0), h.newNamesake(t, apart, 1)
	for _, n := range []*namesake{first, second} {
		n.ended <- n.Deploy(h.namesakeTemplate(version), simulate.DeployOptions{})
		n.await()
	}
	id := first.PhysicalID(theResource)
	areTwo := second.Status() == lifecycle.StackCreateComplete && second.PhysicalID(theResource) != id
	switch {
	case areTwo, id != h.learned.ids[version]:
		return ""
	}
	return id
}

// isHeld reports whether a stranger has a thing that the stack's own Create would make.
func (h *historyRun) isHeld() bool {
	return h.History.has(namesakes, occupied)
}

// deliverOtherDeletes delivers Deletes of things that are gone: once more those of the IDs that the resource has had, and
// those of another resource whose ID is the beginning of the resource's, such as that of a bucket.
func (h *historyRun) deliverOtherDeletes(t testing.TB, op operation) {
	if h.id == "" {
		h.record(unplayable, op, "The stack has no resource.")
		return
	}
	deletes := map[string]string{}
	for _, id := range h.ownIDs {
		deletes[id] = theResource
	}
	for i, c := range h.id {
		if strings.ContainsRune("/:|.,", c) {
			deletes[h.id[:i]], deletes[h.id[:i+1]] = besideIDs[0], besideIDs[0]
		}
	}
	// None of them may touch the resource.
	was := h.stateOf(h.id)
	for _, id := range slices.Sorted(maps.Keys(deletes)) {
		switch {
		case id == "", id == h.id:
			continue
		case h.exists(id): // its Delete may remove what is in it
			continue
		}
		_ = h.deliverDelete(t, deletes[id], id) // it may fail
		if h.isTouched(h.settled(), was, h.stateOf(h.id)) {
			h.record(otherDelete, op, "The Delete of %s changes or removes %s, the stack's resource.", id, h.id)
		}
	}
}

// deliverDelete delivers a Delete that is not one of the stack's.
func (h *historyRun) deliverDelete(t testing.TB, logicalID, id string) error {
	_, sent := h.stack.Sent(theResource)
	e := simulate.NewEvent("Delete", id, sent, nil)
	e.StackID, e.LogicalID = h.stack.Requests()[0].StackID(), logicalID
	if h.c.ResourceType != "" {
		e.ResourceType = h.c.ResourceType
	}
	if h.c.RealTime {
		e.Sent = time.Now().Add(-h.c.timeout() - 30*time.Second) // no Create can run for which the Delete would wait
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), h.c.timeout())
	defer cancel()
	_, err := followRecovered(ctx, h.service.Function, "Delete", e.Encode())
	return err
}
