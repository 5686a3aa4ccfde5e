package play

// What other people do whose stacks, things or IDs are easily taken for the stack's: the words namesakes, occupied and
// other-deletes. What they have is judged after each operation, as all that is in others.

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const anotherStacks = "another stack's"

// nameTaken is harm to a thing that another stack, or something outside of any stack, has under a name that the resource
// wants, or one that is near to it.
var nameTaken = harm{"somebody else's thing taken", strangerTouched.Rule, strangerTouched.Consequence, ""}

// A namesake is another stack, with the resource of the judged one's Properties.
type namesake struct {
	*simulate.Stack

	died  fault.Fault // of the process of its Create
	ended chan error  // of its deployment
	made  []string    // the IDs of what there was when the judged stack went on
}

// namesakesOf are the names of stacks that are easily taken for the judged one: its own, as of one that was deleted or is in
// another Region, and one that begins with it.
var namesakesOf = []string{"my-stack", "my-stack-two"}

// makeNamesakes has other stacks make the same resource, delete it and make it again. If a fault is given, the last of them
// has only begun when the judged stack goes on.
func (h *historyRun) makeNamesakes(t testing.TB, op operation) {
	if op.Fault != nil {
		h.beginNamesake(t, op)
		return
	}
	for i, name := range namesakesOf {
		n := h.newNamesake(t, name, uint64(i+1))
		for range 2 {
			was, there := h.stateOf(h.id), h.remaining()
			status := n.deploy(h)
			id := n.PhysicalID(theResource)
			isMade := status == lifecycle.StackCreateComplete
			switch {
			case isMade && (slices.Contains(there, id) || h.isOthers(id)):
				h.touch(n.Stack, nameTaken, op, id, "The Create for another stack succeeds, but %s is not that stack's.", id)
			case isMade:
				h.others[id] = h.asItIsNow(anotherStacks, id)
			case h.id == "" && len(h.others) == 0:
				h.harm(unplayable, op, "A Create for another stack does not succeed.")
			}
			h.judgeNamesake(n, op, "The Create", was)
			if h.found != nil || !isMade {
				break
			}
			if n.Status() == lifecycle.StackCreateComplete && len(n.Requests()) == 1 { // the first time
				delete(h.others, id)
				_ = n.Destroy(nil) // as judged
				h.judgeNamesake(n, op, "The Delete", was)
			}
		}
	}
}

// newNamesake makes another stack in the same service.
func (h *historyRun) newNamesake(t testing.TB, name string, seed uint64) *namesake {
	o := simulate.Options{Name: name, Timeout: h.c.Timeout, RealTime: h.c.RealTime, Seed: seed}
	stack, err := simulate.New(context.WithoutCancel(t.Context()), h.service.Function, o)
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	return &namesake{Stack: stack, ended: make(chan error, 1)}
}

// deploy creates the other stack, and returns its status.
func (n *namesake) deploy(h *historyRun) lifecycle.StackStatus {
	t := simulate.Template{theResource: {Type: h.c.ResourceType, Properties: h.c.Properties}}
	n.ended <- n.Deploy(t, simulate.DeployOptions{})
	if <-n.ended == nil {
		_ = n.Settle() // what never returns is for other checks
	}
	return n.Status()
}

// judgeNamesake judges that what another stack did has left alone the judged one's resource, and what others have.
func (h *historyRun) judgeNamesake(n *namesake, op operation, what string, was any) {
	if h.id != "" && !sameState(h.stateOf(h.id), was) {
		h.touch(n.Stack, nameTaken, op, h.id, "%s for another stack changes or removes %s, which is the stack's resource.", what, h.id)
	}
	h.judgeOthersAfter(n.Stack, op)
}

// beginNamesake has another stack's Create meet a fault, and goes on when it has.
func (h *historyRun) beginNamesake(t testing.TB, op operation) {
	if h.c.RealTime {
		h.harm(unplayable, op, "In real time Lambda's next try comes at once.")
		return
	}
	last := len(namesakesOf) - 1
	n := h.newNamesake(t, namesakesOf[last], uint64(last+1))
	n.died = fault.Fault{Kind: op.Fault.Kind, Skip: op.Fault.Request - 1, Step: op.Fault.Step}
	if err := n.Inject(n.died); err != nil {
		panic(err) // parseHistory has checked the fault
	}
	resource := simulate.Resource{Type: h.c.ResourceType, Properties: h.c.Properties}
	go func() {
		n.ended <- n.Deploy(simulate.Template{theResource: resource}, simulate.DeployOptions{})
	}()
	hit := func(q simulate.Request) bool { return q.FaultHit }
	for !slices.ContainsFunc(n.Requests(), hit) && len(n.ended) == 0 {
		<-time.After(time.Second)
	}
	h.pending, n.made = n, h.remaining()
}

// awaitNamesake waits until a stack that had only begun is done, and judges that the resource is not its thing.
func (h *historyRun) awaitNamesake(op operation) {
	n := h.pending
	if n == nil {
		return
	}
	h.pending = nil
	if <-n.ended == nil {
		_ = n.Settle() // what never returns is for other checks
	}
	theirs, id := n.PhysicalID(theResource), h.stack.PhysicalID(theResource)
	isMade := h.stack.Status() == lifecycle.StackCreateComplete
	switch {
	case isMade && (theirs == id || slices.Contains(n.made, id)):
		h.touch(h.stack, nameTaken, op, id, "The Create succeeds, but %s is another stack's, whose own Create met %s: a thing without a mark is not this resource's. "+
			"Mark a thing in the call that makes it.", id, n.died)
	case theirs != "":
		h.others[theirs] = h.asItIsNow(anotherStacks, theirs)
	}
}

// asItIsNow is what is another's, and stays as it is.
func (h *historyRun) asItIsNow(whose, id string) othersThing {
	was := h.stateOf(id)
	return othersThing{whose: whose, touched: nameTaken, want: func(any) any { return was }}
}

// occupy has somebody make things, as Service.Occupy does: under the ID that the next operation's Create would give, if
// another stack's Create gives the same, and under one that begins with the resource's.
func (h *historyRun) occupy(t testing.TB, op operation) {
	var names []string
	if next := h.nextID(t); next != "" && next != h.id {
		names = append(names, next)
	}
	if h.id != "" {
		names = append(names, h.id+"-2")
	}
	if len(names) > 0 && h.service.Occupy == nil {
		h.harm(unplayable, op, "The Service has no Occupy: nothing can be put beside the resource.")
		return
	}
	apart := h.c.New(t) // in which nothing is done to it: its status may change by itself
	for _, name := range names {
		h.service.Occupy(name)
		apart.Occupy(name)
		isOfForm := name != h.id+"-2"
		switch {
		case !isNothing(h.stateOf(name)):
			h.others[name] = othersThing{whose: somebodyElses, touched: nameTaken, want: func(any) any { return apart.State(name) }}
		case isOfForm:
			h.harm(wrongContract, op, "The Service's Occupy makes nothing that State shows: State returns nil for %s.", name)
		default:
			h.harm(unplayable, op, "The Service's Occupy makes nothing that State shows: State returns nil for %s. If the service's IDs have one form, nothing can be under such an ID.", name)
		}
	}
}

// nextID returns the ID that the Create of the next operation gives, if a stranger can have it: a thing that is named for its
// stack is nobody else's.
func (h *historyRun) nextID(t testing.TB) string {
	if len(h.rest) == 0 || !h.rest[0].deploys() {
		return ""
	}
	version := h.rest[0].What
	id := h.learned.ids[version]
	if id != "" && id == h.idElsewhere(t, version) {
		return id
	}
	return ""
}

// idElsewhere returns the ID that a Create of a version for another stack gives in an empty service, or "".
func (h *historyRun) idElsewhere(t testing.TB, version string) string {
	n := h.newNamesake(t, namesakesOf[1], 1)
	apart := h.c.New(t)
	stack, err := simulate.New(context.WithoutCancel(t.Context()), apart.Function, simulate.Options{Name: namesakesOf[1], Timeout: h.c.Timeout, RealTime: h.c.RealTime, Seed: 1})
	if err != nil {
		return ""
	}
	n.Stack = stack
	_ = n.Deploy(simulate.Template{theResource: {Type: h.c.ResourceType, Properties: h.c.version(version)}}, simulate.DeployOptions{})
	return n.PhysicalID(theResource)
}

// isHeld reports whether a stranger has a thing that the stack's own Create would make.
func (h *historyRun) isHeld() bool {
	return slices.ContainsFunc(h.History, func(op operation) bool { return op.What == namesakes || op.What == occupied })
}

// otherDelete is harm by the Delete of an ID that is not the resource's.
var otherDelete = harm{"a resource that the Delete of another ID touches", "a Delete removes what has its physical ID, and nothing else.", "deleted a resource with the Delete of another one, or with one that came late.",
	"Delete only what has exactly the physical ID, and not what bears the mark, or has an ID that begins with it: docs/rules-for-a-handler.md#delete"}

// deliverOtherDeletes delivers Deletes of things that are gone: once more those of the IDs that the resource has had, and
// those of another resource whose ID is the beginning of the resource's, such as that of a bucket.
func (h *historyRun) deliverOtherDeletes(t testing.TB, op operation) {
	if h.id == "" {
		h.harm(unplayable, op, "The stack has no resource.")
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
	was := h.stateOf(h.id)
	for id, logicalID := range deletes {
		if id == "" || id == h.id || !isNothing(h.stateOf(id)) {
			continue
		}
		_ = h.deliverDelete(t, logicalID, id) // it may fail
		if !sameState(h.stateOf(h.id), was) {
			h.harm(otherDelete, op, "The Delete of %s changes or removes %s, the stack's resource.", id, h.id)
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
