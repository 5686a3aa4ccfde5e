package play

// Reads the line of a history, and says at which byte it is wrong.

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
