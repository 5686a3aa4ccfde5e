package play

// The operations of a history: what each is called, when it may come, what it requires and what it does.
// Their results are judged in explore_judge.go and explore_settled.go.

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An operation is a stack operation, or a circumstance.
type operation struct {
	What    string
	Variant string
	Fault   *plannedFault // nil if nothing goes wrong
	Beside  string        // what the stack's other resources get in it: see beside.go; "" if nothing
}

// The names of operations. A version deploys properties of the Contract.
const (
	original     = "v0" // Properties
	inPlace      = "v1" // InPlace
	replacing    = "v2" // Replacing
	refused      = "refused"
	notUpdatable = "not-updatable" // NotUpdatable
	takesOut     = "out"           // the template without the resource
	rollsBack    = "rollback"      // RollbackStack
	deletesStack = "delete"        // DeleteStack
	again        = "again"         // the settled template once more, for which CloudFormation sends an Update
	asItIs       = ""              // the settled template, with what the other resources get
)

// The operations of other people.
const (
	uses       = "use" // somebody puts something into the resource, as Service.Use does
	usesMuch   = "use-1001"
	removed    = "gone"  // somebody removes the resource
	twin       = "twin"  // another delivery of the resource's Create makes a second thing
	crowd      = "crowd" // many things are made
	largeCrowd = "crowd-1001"

	namesakes    = "namesakes"     // stacks with much the same name make the same resource
	occupied     = "occupied"      // somebody has things whose IDs are near the resource's
	otherDeletes = "other-deletes" // Deletes of things that are gone, and whose IDs are near the resource's
)

// ages are the words by which time passes, so much that a token, a stored record, or a date in the properties may have
// expired. A bubble begins in the year 2000: after the longest, a date of today is past.
var ages = map[string]time.Duration{hours: 2 * time.Hour, aMonth: 30 * 24 * time.Hour, "2y": 2 * 365 * 24 * time.Hour, "50y": 50 * 365 * 24 * time.Hour}

const (
	hours  = "2h"
	aMonth = "30d"
)

// The circumstances of a history, which stand before its operations.
const (
	warm      = "warm"       // one process handles all events, as long as it lives
	warmPair  = "warm-2"     // two processes handle the events in turn
	before    = "before"     // the program before this one has handled the first operation
	foreignID = "foreign-id" // the program before has made it, under an ID that this one would not give
	nativeID  = "native-id"  // as foreign-id, but this program could have given the ID
	longName  = "long-name"  // the stack's name is so long that StableIDs reach their limit of 63 characters
	slowly    = "slowly"     // each Step takes a while
	sameIDs   = "same-ids"   // a request that repeats an earlier one has its RequestId, as has been seen of CloudFormation
)

// The variants of a deployment.
const (
	noVariant        = ""
	siblingFails     = "sibling-fails" // the resource is done, another one fails, and the stack is rolled back
	cancelled        = "cancelled"     // another resource fails while the handler works, and the stack is rolled back
	rollbackDisabled = "kept"          // as in sibling-fails, but with DisableRollback

	unreadable    = "unreadable"     // the properties of each Delete have another shape
	oldUnreadable = "old-unreadable" // the old properties of each Update have another shape
	native        = "native"         // numbers and booleans are not written as texts
)

// rewrites are what variants make of each event of an operation that deploys some properties.
var rewrites = map[string]func(requestType string, event []byte, props any) []byte{
	unreadable: func(requestType string, event []byte, _ any) []byte {
		if requestType != "Delete" {
			return event
		}
		return simulate.Unreadable(event, "ResourceProperties")
	},
	oldUnreadable: func(_ string, event []byte, _ any) []byte { return simulate.Unreadable(event, "OldResourceProperties") },
	native: func(requestType string, event []byte, props any) []byte {
		if requestType == "Delete" {
			return event
		}
		return simulate.NativeValues(event, props)
	},
}

var (
	versions       = []string{original, inPlace, replacing, refused, notUpdatable}
	unsent         = slices.Concat([]string{removed, twin, namesakes, occupied, otherDeletes}, byValue(timesUsed), byValue(ages), byValue(crowds)) // are not CloudFormation's
	operationNames = slices.Concat(versions, []string{again, takesOut, rollsBack, deletesStack}, unsent)
	circumstances  = []string{warm, warmPair, before, foreignID, nativeID, longName, slowly, sameIDs}
	variants       = []string{siblingFails, cancelled, rollbackDisabled, unreadable, oldUnreadable, native}
)

// crowds say how many things of other people's come before the resource's in a list by name: more than a page of most
// lists. A fifth as many come after it.
var crowds = map[string]int{crowd: 101, largeCrowd: 1001}

// timesUsed say how often Service.Use is called: once, or so often that a thing's contents fill more than a page.
var timesUsed = map[string]int{uses: 1, usesMuch: 1001}

// byValue returns the words of a table, the smallest first.
func byValue[V cmp.Ordered](words map[string]V) []string {
	return slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Compare(words[a], words[b]) })
}

// String returns an operation as a line has it.
func (op operation) String() string {
	s := op.What
	if op.Variant != noVariant {
		s += "/" + op.Variant
	}
	if op.Beside != "" {
		s += "+" + op.Beside
	}
	if op.Fault != nil {
		s += "!" + op.Fault.String()
	}
	return s
}

// deploys reports whether an operation is a CreateStack or an UpdateStack.
func (op operation) deploys() bool {
	base, _, _ := cutChange(op.What)
	return slices.Contains(versions, base)
}

// hasTemplate reports whether an operation deploys a template, though it may have no version of the resource.
func (op operation) hasTemplate() bool {
	return op.deploys() || slices.Contains([]string{takesOut, asItIs}, op.What)
}

// takes reports whether an operation can be played in a variant.
func (op operation) takes(variant string) bool {
	switch op.What {
	case deletesStack:
		return variant == unreadable
	case again:
		return variant == oldUnreadable
	}
	return op.deploys()
}

// sendsNothing reports whether an operation is not one of CloudFormation's.
func (op operation) sendsNothing() bool { return slices.Contains(unsent, op.What) }

// isCircumstance reports whether an operation only says how all others are played.
func (op operation) isCircumstance() bool { return slices.Contains(circumstances, op.What) }

// nextOperations returns the operations that CloudFormation accepts after a history,
// except those that would change nothing.
func (p *playedHistory) nextOperations(can func(version, variant string) bool) (ops []operation) {
	deploy := func(version string, variants ...string) {
		for _, variant := range variants {
			if can(version, variant) {
				ops = append(ops, operation{What: version, Variant: variant})
			}
		}
	}

	// By the status at which the stack is at rest.
	switch p.Reached.Status {
	case lifecycle.StackNone:
		if p.Reached.Before {
			deploy(original, noVariant)
			break
		}
		deploy(original, noVariant, siblingFails, cancelled, rollbackDisabled)
		deploy(refused, noVariant)
	case lifecycle.StackDeleteComplete: // another stack, of the same name
		deploy(original, noVariant)
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete, lifecycle.StackUpdateRollbackComplete:
		for _, v := range []string{inPlace, replacing, original} {
			switch {
			case v == p.Reached.Version:
			case sameIdentity(v, p.Reached.Version):
				deploy(v, noVariant, siblingFails, cancelled, rollbackDisabled)
			default:
				deploy(v, noVariant, siblingFails, cancelled)
			}
		}
		deploy(refused, noVariant)
		ops = append(ops, operation{What: deletesStack})
	case lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed: // with DisableRollback
		ops = append(ops, operation{What: rollsBack})
		for _, v := range []string{original, inPlace, replacing} {
			if sameIdentity(v, p.lastDeployed()) {
				deploy(v, noVariant)
			}
		}
		ops = append(ops, operation{What: deletesStack})
	case lifecycle.StackRollbackComplete:
		ops = append(ops, operation{What: deletesStack})
	}
	return ops
}

// lastDeployed returns the version that was deployed last.
func (p *playedHistory) lastDeployed() string {
	for _, op := range slices.Backward(p.History) {
		if op.deploys() {
			return op.What
		}
	}
	return ""
}

// sameIdentity reports whether two versions are one physical resource. It ignores changes, since
// whether a change is one of the identity is not known.
func sameIdentity(v, w string) bool {
	v, _, _ = cutChange(v)
	w, _, _ = cutChange(w)
	return (v == replacing) == (w == replacing)
}

// needs returns what an operation requires of the Contract and the function.
func (op operation) needs() (n need) {
	// What the operation is.
	switch op.What {
	case inPlace:
		n = needInPlace
	case replacing:
		n = needReplacing
	case removed, occupied, otherDeletes:
		n = needState
	case before:
		n = needBefore
	case uses:
		n = needUse | needState
	case usesMuch:
		n = needUse | needState | needVirtualTime
	case slowly:
		n = needVirtualTime
	}

	// What passes in it, and what goes wrong.
	if op.isHeld() {
		n |= needVirtualTime
	}
	if ages[op.What] != 0 {
		n |= needVirtualTime
	}
	if op.Fault != nil && simulate.InChain(op.Fault.Kind) {
		n |= needContinue
	}
	return n
}

// playUnsent plays an operation that is not CloudFormation's, and reports whether it is one.
func (h *historyRun) playUnsent(t testing.TB, op operation) bool {
	switch {
	case ages[op.What] > 0 && !h.c.RealTime:
		<-time.After(ages[op.What])
		h.judgeStill(op)
	case crowds[op.What] > 0:
		h.gather(t, op)
	case op.What == removed:
		h.removeThing(t, op)
	case op.What == twin:
		h.makeTwin()
	case op.What == namesakes:
		h.makeNamesakes(t, op)
	case op.What == occupied:
		h.occupy(t, op)
	case op.What == otherDeletes:
		h.deliverOtherDeletes(t, op)
	case timesUsed[op.What] > 0:
		h.putInto(op)
	}
	return op.sendsNothing()
}

// putInto has users put something into the resource.
func (h *historyRun) putInto(op operation) {
	switch {
	case h.service.Use == nil, h.id == "":
		h.harm(unplayable, op, "The Service has no Use, or the stack has no resource.")
		return
	case h.used != "":
		h.harm(unplayable, op, "A history has one use: what State shows is compared with what it shows after a Create and one use.")
		return
	}
	for range timesUsed[op.What] {
		h.service.Use(h.id)
	}
	h.used, h.usedBy = h.id, op.What
	h.judgeState(op)
}

// rewrite has the events of the resource written as the operation's variant has them.
func (h *historyRun) rewrite(op operation) {
	// Nothing is written anew, unless the twin's Create is to be seen.
	change, props := rewrites[op.Variant], h.c.version(h.deployedBy(op))
	if change == nil && !h.History.has(twin) {
		h.stack.Rewrite(nil)
		return
	}
	if op.Variant == native && !simulate.HasNative(props) {
		h.harm(unplayable, op, "No property is a number or a boolean.")
	}
	h.stack.Rewrite(func(requestType, logicalID string, event []byte) []byte {
		if logicalID != theResource {
			return event
		}
		if requestType == "Create" {
			h.seeCreate(event)
		}
		if change == nil {
			return event
		}
		return change(requestType, event, props)
	})
}

// againAfter is how long after the last operation the settled template is deployed again: the time is another one then.
const againAfter = 30 * time.Second

// begin begins an operation of CloudFormation's.
func (h *historyRun) begin(op operation) error {
	switch status := h.stack.Status(); {
	case op.What == again && h.Version == "":
		return errors.New("the stack has no resource")
	case op.What == again:
		h.stack.Again(theResource)
		if !h.c.RealTime {
			<-time.After(againAfter)
		}
		return h.stack.Deploy(h.template(op), simulate.DeployOptions{})
	case op.hasTemplate():
		isHalfDone := slices.Contains([]lifecycle.StackStatus{lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed}, status)
		return h.stack.Deploy(h.template(op), simulate.DeployOptions{DisableRollback: isHalfDone || op.Variant == rollbackDisabled})
	case op.What == rollsBack:
		return h.stack.Rollback()
	default:
		return h.stack.Destroy(nil)
	}
}

// template returns what an operation deploys.
func (h *historyRun) template(op operation) simulate.Template {
	t := h.besideTemplate(op)
	if version := h.deployedBy(op); version != "" {
		t[theResource] = simulate.Resource{Type: h.c.ResourceType, Properties: h.c.version(version)}
	}
	if len(t) == 0 { // a stack is never empty
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic"}
	}
	if slices.Contains([]string{siblingFails, rollbackDisabled}, op.Variant) {
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{theResource}, Fails: "it fails in each history of this kind"}
	}
	return t
}

// deployedBy returns the version that an operation deploys, or "".
func (h *historyRun) deployedBy(op operation) string {
	switch op.What {
	case again, asItIs:
		return h.Version
	case takesOut:
		return ""
	}
	return op.What
}

// version returns the properties of a version, with its change if it has one, or nil.
func (c *Contract) version(word string) any {
	switch word {
	case original:
		return c.Properties
	case inPlace:
		return c.InPlace
	case replacing:
		return c.Replacing
	case refused:
		return c.Refused
	case notUpdatable:
		return c.NotUpdatable
	}
	if base, ch, ok := cutChange(word); ok {
		return c.once("made "+word, func() any { return c.changed(base, ch) })
	}
	return nil
}

// canDeploy reports whether a version can be deployed in a variant.
func (c *Contract) canDeploy(version, variant string) bool {
	if c.RealTime && variant == cancelled {
		return false // the order of events would depend on chance
	}
	return c.version(version) != nil
}
