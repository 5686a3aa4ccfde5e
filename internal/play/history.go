package play

// A history as a line that Replay reads: its operations, which are the words of word.go, and what is asked of them. Nothing
// here and in plan.go plays.

import (
	"errors"
	"fmt"
	"regexp"
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

// parseHistory parses the result of String. Its error says what is wrong, and where.
func parseHistory(line string) (h history, err error) {
	column := 1 // as people count, for the errors
	for text := range strings.SplitSeq(line, " ") {
		if text != "" {
			op, offset, err := parseOperation(text)
			if err != nil {
				return nil, fmt.Errorf("the history %q, at character %d: %w", line, column+offset, err)
			}
			if op.isCircumstance() && h.hasOperation() {
				return nil, fmt.Errorf("the history %q, at character %d: put %s before all operations", line, column, op)
			}
			h = append(h, op)
		}
		column += len(text) + 1
	}
	if !h.hasOperation() {
		return nil, fmt.Errorf("the history %q has no operation: use a line that Explore printed, such as %q", line, "v0 v1/sibling-fails")
	}
	return h, nil
}

// parseOperation also returns the offset of an error in text.
func parseOperation(text string) (op operation, offset int, err error) {
	head, planned, isFaulty := strings.Cut(text, "!")
	own, besides, hasBeside := cutBeside(head)
	what, variant, hasVariant := strings.Cut(own, "/")
	op = operation{What: what, Variant: variant, Beside: besides}
	if w := op.word(); w.isCircumstance() && w.name == text {
		return op, 0, nil
	}

	offset, err = op.checkParts(own, hasBeside, hasVariant)
	if err != nil || !isFaulty {
		return op, offset, err
	}

	// A fault needs something that is sent to the resource.
	switch w := op.word(); {
	case own == asItIs:
		return op, len(head), errors.New("an operation that is about the other resources alone takes no fault")
	case w.plays != nil && !w.takesFault:
		return op, len(head), fmt.Errorf("%s takes no fault: nothing is sent to the handler", what)
	}
	m, at, err := parsePlannedFault(planned)
	op.Fault = &m
	return op, len(head) + 1 + at, err
}

// checkParts returns what is wrong with what stands before the fault of an operation, and its offset. own is that part of it
// which is about the resource.
func (op operation) checkParts(own string, hasBeside, hasVariant bool) (offset int, err error) {
	if hasBeside {
		if offset, err = op.checkBeside(len(own)); err != nil {
			return offset, err
		}
		if own == asItIs { // which is no word by itself
			return 0, nil
		}
	}
	if offset, err = op.checkWord(); err != nil {
		return offset, err
	}
	if hasVariant {
		return op.checkVariant()
	}
	return 0, nil
}

// checkWord returns what is wrong with the word of an operation, and its offset.
func (op operation) checkWord() (offset int, err error) {
	base, ch, _ := cutChange(op.What)
	hasChange := isChanged(op.What)
	isKnown := op.word().isOperation()
	if hasChange {
		isKnown = op.word().isVersion()
	}
	switch {
	case !isKnown:
		return 0, fmt.Errorf("there is no operation %q: use one of %s", op.What, strings.Join(listedWords(), ", "))
	case hasChange && ch.in(base) != op.What:
		return len(base), fmt.Errorf("%q is no change of a property: write one such as [Name=empty]", strings.TrimPrefix(op.What, base))
	}
	return 0, nil
}

// checkVariant returns what is wrong with the variant of an operation, and its offset.
func (op operation) checkVariant() (offset int, err error) {
	v := variantNamed(op.Variant)
	switch {
	case v.name == noVariant:
		return len(op.What) + 1, fmt.Errorf("there is no variant %q: use one of %s", op.Variant, strings.Join(variantNames(), ", "))
	case !op.takes(v):
		return len(op.What), fmt.Errorf("%s takes no variant %s", op.What, op.Variant)
	}
	return 0, nil
}

// A numeral is a number as a line has it: one to a million, written in one way.
var numeral = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)

// number returns the number that a text is, or 0.
func number(text string) (n int) {
	if numeral.MatchString(text) {
		n, _ = strconv.Atoi(text)
	}
	return n
}

func parsePlannedFault(text string) (m plannedFault, offset int, err error) {
	head, request, addressed := strings.Cut(text, "@")
	kind, step, stepped := strings.Cut(head, ":")
	m.Kind = fault.Kind(kind)
	switch {
	case lacks(requestFaults, m.Kind):
		return m, 0, fmt.Errorf("there is no fault %q: use one of %s", kind, listKinds(requestFaults))
	case stepped != simulate.AtStep(m.Kind):
		return m, len(kind), fmt.Errorf("the kinds %s need a Step, such as :2, and no others take one", listKinds(slices.DeleteFunc(slices.Clone(requestFaults), func(k fault.Kind) bool { return !simulate.AtStep(k) })))
	case !addressed:
		return m, len(text), fmt.Errorf("the fault does not say which of the operation's requests it meets: add @1 for the first")
	}

	// Which Step, and which request.
	if stepped {
		if m.Step = number(step); m.Step == 0 {
			return m, len(kind) + 1, fmt.Errorf("%q is not the number of a Step, from 1", step)
		}
	}
	if m.Request = number(request); m.Request == 0 {
		return m, len(head) + 1, fmt.Errorf("%q is not the number of a request, from 1", request)
	}
	return m, 0, nil
}

// lacks reports whether a list does not have something.
func lacks[T comparable](list []T, one T) bool { return !slices.Contains(list, one) }

// listKinds lists kinds of faults.
func listKinds(kinds []fault.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
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
