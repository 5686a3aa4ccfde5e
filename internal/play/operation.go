package play

// The operations of a history: what each is called, when it may come, what it requires and what it does.
// Their results are judged in explore_judge.go and explore_settled.go.

import (
	"errors"
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
	return op.word().isVersion()
}

// word returns what is known of an operation's word, whatever change it has.
func (op operation) word() *word {
	name, _, _ := cutChange(op.What)
	return wordNamed(name)
}

// hasTemplate reports whether an operation deploys a template, though it may have no version of the resource.
func (op operation) hasTemplate() bool {
	return op.deploys() || slices.Contains([]string{takesOut, asItIs}, op.What)
}

// takes reports whether an operation can be played in a variant.
func (op operation) takes(v variant) bool { return op.deploys() || op.What == v.also }

// sendsNothing reports whether an operation is not one of CloudFormation's.
func (op operation) sendsNothing() bool { return op.word().plays != nil }

// isRewritten reports whether the events of an operation are not as CloudFormation sends them today.
func (op operation) isRewritten() bool { return variantNamed(op.Variant).rewrites != nil }

// isCircumstance reports whether an operation only says how all others are played.
func (op operation) isCircumstance() bool { return op.word().isCircumstance() }

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

// needs returns what an operation requires of the Contract and the function: its word, and what goes wrong in it.
func (op operation) needs() need {
	n := op.word().needs
	if op.isHeld() {
		n |= needVirtualTime
	}
	if op.Fault != nil && simulate.InChain(op.Fault.Kind) {
		n |= needContinue
	}
	return n
}

// letPass has time pass.
func (h *historyRun) letPass(_ testing.TB, op operation) {
	if h.c.RealTime {
		return
	}
	<-time.After(op.word().lasts)
	h.judgeStill(op)
}

// putInto has users put something into the resource.
func (h *historyRun) putInto(_ testing.TB, op operation) {
	switch {
	case h.service.Use == nil, h.id == "":
		h.harm(unplayable, op, "The Service has no Use, or the stack has no resource.")
		return
	case h.used != "":
		h.harm(unplayable, op, "A history has one use: what State shows is compared with what it shows after a Create and one use.")
		return
	}
	for range op.word().times {
		h.service.Use(h.id)
	}
	h.used, h.usedBy = h.id, op.What
	h.judgeState(op)
}

// rewrite has the events of the resource written as the operation's variant has them.
func (h *historyRun) rewrite(op operation) {
	// Nothing is written anew, unless the twin's Create is to be seen.
	change, props := variantNamed(op.Variant).rewrites, h.c.version(h.deployedBy(op))
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

// deploy begins an operation with a template. A stack that is half done is not rolled back.
func (h *historyRun) deploy(op operation) error {
	halfDone := []lifecycle.StackStatus{lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed}
	isKept := slices.Contains(halfDone, h.stack.Status()) || variantNamed(op.Variant).disableRollback
	return h.stack.Deploy(h.template(op), simulate.DeployOptions{DisableRollback: isKept})
}

// deployAgain deploys the settled template once more, for which CloudFormation sends an Update.
func (h *historyRun) deployAgain(op operation) error {
	if h.Version == "" {
		return errors.New("the stack has no resource")
	}
	h.stack.Again(theResource)
	if !h.c.RealTime {
		<-time.After(againAfter)
	}
	return h.stack.Deploy(h.template(op), simulate.DeployOptions{})
}

func (h *historyRun) rollBack(operation) error { return h.stack.Rollback() }

func (h *historyRun) destroy(operation) error { return h.stack.Destroy(nil) }

// template returns what an operation deploys.
func (h *historyRun) template(op operation) simulate.Template {
	t := h.besideTemplate(op)
	if version := h.deployedBy(op); version != "" {
		t[theResource] = simulate.Resource{Type: h.c.ResourceType, Properties: h.c.version(version)}
	}
	if len(t) == 0 { // a stack is never empty
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic"}
	}
	if variantNamed(op.Variant).siblingFails {
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
func (c *Contract) version(name string) any {
	if w := wordNamed(name); w.isVersion() {
		return w.properties(c)
	}
	if base, ch, ok := cutChange(name); ok {
		return c.once("made "+name, func() any { return c.changed(base, ch) })
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
