package play

// A history, of operations that are the words of word.go, and what is asked of them. Nothing here and in plan.go plays.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A history is a sequence of operations on one stack, each with at most one fault. Its
// String is the line that Replay plays:
//
//	v0 v2/sibling-fails!die-at-step:3@2 delete
//
// Spaces separate operations. An operation is its name; then, after a slash, its
// variant, if any; then, after plus signs, what the stack's other resources get in the same
// operation, if anything; and then, after an exclamation mark, its fault, if any. A fault is
// its kind; after a colon its Step, for kinds that have one; and after an at sign the
// number of the operation's request that it happens to, from 1. Circumstances come first.
// The name of a version may have a change in brackets: see change.go.
type history []operation

// A plannedFault is a fault and its place in an operation.
type plannedFault struct {
	Kind    fault.Kind
	Step    int // of kinds that have one, from 1; else 0
	Request int // of the operation's, from 1
}

// String returns the line that Replay plays.
func (h history) String() string {
	all := make([]string, len(h))
	for i, op := range h {
		all[i] = op.String()
	}
	return strings.Join(all, " ")
}

// String returns a fault as a line has it.
func (f plannedFault) String() string {
	s := string(f.Kind)
	if f.Step > 0 {
		s += ":" + strconv.Itoa(f.Step)
	}
	return s + "@" + strconv.Itoa(f.Request)
}

// has reports whether a history has one of some words, such as circumstances.
func (h history) has(words ...string) bool {
	return slices.ContainsFunc(h, func(op operation) bool { return slices.Contains(words, op.What) })
}

// hasOperation reports whether a history has more than circumstances, which come first.
func (h history) hasOperation() bool {
	return slices.ContainsFunc(h, func(op operation) bool { return op.isPlayed() })
}

// hasVariant reports whether an operation of the history is played in a variant.
func (h history) hasVariant(variant string) bool {
	return slices.ContainsFunc(h, func(op operation) bool { return op.Variant == variant })
}

// bare returns the history without what becomes of other resources, and without the numbers of Steps.
func (h history) bare() history {
	h = slices.Clone(h)
	for i, op := range h {
		h[i].Variant = noVariant
		if op.Fault != nil {
			h[i].Fault = &plannedFault{Kind: op.Fault.Kind, Request: op.Fault.Request}
		}
	}
	return h
}

// isUnlikeToday reports whether some events of the history are not as CloudFormation sends them today, or are of a thing that no
// Create of this program has made.
func (h history) isUnlikeToday() bool {
	return h.has(foreignID) || slices.ContainsFunc(h, operation.isRewritten)
}

// isChanged reports whether a history has a version with a change.
func (h history) isChanged() bool {
	return slices.ContainsFunc(h, func(op operation) bool { return isChanged(op.What) })
}

// use returns the operation in which somebody puts something into the resource, or "".
func (h history) use() string {
	i := slices.IndexFunc(h, func(op operation) bool { return op.word().like == uses })
	if i < 0 {
		return ""
	}
	return h[i].What
}

// hasLike reports whether a history has one of the words that have a sign in common.
func (h history) hasLike(sign string) bool {
	return slices.ContainsFunc(h, func(op operation) bool { return op.word().like == sign })
}

// processes returns how many processes take turns, or 0 if each event has its own.
func (h history) processes() int { return h.stackOptions().Warm }

// stackOptions returns the options that circumstances set.
func (h history) stackOptions() (o simulate.Options) {
	for _, op := range h {
		if set := op.word().options; set != nil {
			set(&o)
		}
	}
	return o
}

// faulty returns the first operation with a fault and its index, or -1.
func (h history) faulty() (op operation, at int) {
	for i, op := range h {
		if op.Fault != nil {
			return op, i
		}
	}
	return operation{}, -1
}

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

// word returns what is known of an operation's word, whatever change it has.
func (op operation) word() *word {
	name, _, _ := cutChange(op.What)
	return wordNamed(name)
}

// deploys reports whether an operation is a CreateStack or an UpdateStack.
func (op operation) deploys() bool {
	return op.word().isVersion()
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

// isPlayed reports whether an operation is more than a circumstance.
func (op operation) isPlayed() bool { return op.word().asks != nil || op.sendsNothing() }

// isCircumstance reports whether an operation only says how all others are played.
func (op operation) isCircumstance() bool { return op.word().isCircumstance() }

// needs returns what an operation requires of the Contract and the function: its word, and what goes wrong in it.
func (op operation) needs() need {
	n := op.word().needs
	if op.isHeld() {
		n |= needVirtualTime
	}
	if simulate.InChain(op.faultKind()) {
		n |= needContinue
	}
	return n
}

// sameIdentity reports whether two versions are one physical resource. It ignores changes, since
// whether a change is one of the identity is not known.
func sameIdentity(v, w string) bool {
	v, _, _ = cutChange(v)
	w, _, _ = cutChange(w)
	return (v == replacing) == (w == replacing)
}

// isHeld reports whether an operation has a request that takes long, as others of the same time do not.
func (op operation) isHeld() bool { return op.faultKind() == fault.HeldAtStep }

// faultKind returns the kind of the fault that an operation meets, or "".
func (op operation) faultKind() fault.Kind {
	if op.Fault == nil {
		return ""
	}
	return op.Fault.Kind
}

// isAtOnce reports whether several resources are handled at once in an operation: some get something in it, or one is held.
func (op operation) isAtOnce() bool {
	switch {
	case op.isHeld():
		return true
	case op.What == asItIs:
		return false
	}
	return op.Beside != ""
}

// cold returns a history with a new process for each event.
func (h history) cold() history {
	return slices.DeleteFunc(slices.Clone(h), func(op operation) bool { return slices.Contains([]string{warm, warmPair}, op.What) })
}

// alone returns a history without the other resources.
func (h history) alone() (alone history) {
	for _, op := range h {
		if op.Beside = ""; op.What != asItIs {
			alone = append(alone, op)
		}
	}
	return alone
}

// hasBeside reports whether other resources come in a history.
func (h history) hasBeside() bool {
	return slices.ContainsFunc(h, func(op operation) bool { return op.Beside != "" })
}

// withoutSurroundings returns a history without the words without which it is one of another check.
func (h history) withoutSurroundings() history {
	return slices.DeleteFunc(slices.Clone(h), func(op operation) bool { return op.word().surrounds })
}

// with returns a history with one word in place of another.
func (h history) with(word, other string) history {
	h = slices.Clone(h)
	for i, op := range h {
		if op.What == word {
			h[i].What = other
		}
	}
	return h
}

// larger returns the history with larger crowds.
func (h history) larger() history { return h.with(crowd, largeCrowd) }

// partsOfThrottling returns the histories with one part each of what happens where a service is busy for a moment: a call
// fails, and the request is tried again. What does harm there is another check's. There are none if no service is busy.
func (h history) partsOfThrottling() (parts []history) {
	op, at := h.faulty()
	if op.faultKind() != fault.ThrottleAtStep {
		return nil
	}
	for _, kind := range []fault.Kind{fault.FailAtStep, fault.DieAtStep} {
		part := slices.Clone(h)
		part[at].Fault = &plannedFault{Kind: kind, Step: op.Fault.Step, Request: op.Fault.Request}
		parts = append(parts, part)
	}
	return parts
}
