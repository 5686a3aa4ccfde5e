package play

// How what is there comes from what should be there: a sign by which cause.go tells what helps.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A relation is between a value and the one that should be in its place.
type relation struct {
	sign string // doubled, merged, altered, reordered, left-in, kept, or "" if none is known
	path string // the place
}

// comparedValues are what a judge has found to differ.
type comparedValues struct{ got, want any }

// relationOf returns the relation of what was compared last, if the harm is that it differs. What an earlier version has is
// left over, whatever it looks like, unless it differs only in how often something is there.
func (h *historyRun) relationOf(what harm) relation {
	if !slices.Contains([]harm{wrongState, staleData, dataDiffers, remembered}, what) {
		return relation{}
	}
	all := compareStates(h.compared.got, h.compared.want)
	kept, areKept := "", true // all that differs is as another version says
	for _, d := range all {
		sign, at := relate(bare(d.got), bare(d.wanted)), d.at
		if d.isReordered() {
			sign, at = "reordered", d.in.at
		}
		isLeft := h.isLeftOver(d)
		isAlone := len(all) == 1
		switch {
		case sign == "doubled" && isLeft:
			sign = "merged" // nothing was added: two lists were taken for one
		case sign == "merged":
		case sign == "left-in" && !d.wanted.IsValid():
		case sign == "left-in" && isAlone:
		case isLeft: // nothing may have been set
			kept = cmp.Or(kept, at)
			continue
		case sign == "":
			areKept = false
			continue
		}
		if sign == "left-in" && !d.wanted.IsValid() {
			at = d.within // what has too much
		}
		return relation{sign, placeOf(at)}
	}
	if areKept && len(all) > 0 {
		return relation{"kept", placeOf(kept)}
	}
	return relation{}
}

// placeOf names a place in a state.
func placeOf(at string) string { return cmp.Or(strings.TrimPrefix(at, "."), "the thing") }

// isReordered reports whether the list in which the difference is has the same entries in another order.
func (d difference) isReordered() bool {
	if d.in == nil {
		return false
	}
	got, wanted := entriesOf(d.in.got), entriesOf(d.in.wanted)
	return !slices.Equal(got, wanted) && len(without(got, wanted)) == 0 // they are equally many
}

// isLeftOver reports whether another version of the history has what is at a place.
func (h *historyRun) isLeftOver(d difference) bool {
	for _, op := range h.History {
		want := h.learned.want[op.What]
		if want == nil || op.What == h.Version {
			continue
		}
		isThere := slices.ContainsFunc(compareStates(want, h.compared.want), func(other difference) bool { return other.at == d.at && other.is == d.is })
		if isThere {
			return true
		}
	}
	return false
}

// relate returns the sign of the relation of a value to the one that should be there.
func relate(got, want reflect.Value) string {
	switch {
	case got.IsValid() && !want.IsValid():
		return "left-in"
	case !got.IsValid(), got.Kind() != want.Kind():
		return ""
	}
	switch got.Kind() {
	case reflect.String:
		return relateTexts(got.String(), want.String())
	case reflect.Slice:
		return relateLists(entriesOf(got), entriesOf(want))
	}
	return ""
}

// relateTexts is relate for texts.
func relateTexts(got, want string) string {
	letters := func(text string) string { return string(slices.Sorted(slices.Values([]rune(text)))) }
	isSaid := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch {
	case got == "", want == "":
		return ""
	case strings.EqualFold(got, want), strings.TrimSpace(got) == strings.TrimSpace(want), strings.HasPrefix(want, got):
		return "altered"
	case strings.Count(got, want) > 1 && !strings.ContainsFunc(strings.ReplaceAll(got, want, ""), isSaid):
		return "doubled" // with a comma between, at most
	case letters(got) == letters(want):
		return "reordered"
	}
	return ""
}

// relateLists is relate for the entries of lists, each as a text.
func relateLists(got, want []string) string {
	more, fewer := without(got, want), without(want, got)
	areAllOf := func(some, of []string) bool {
		return !slices.ContainsFunc(some, func(entry string) bool { return lacks(of, entry) })
	}
	switch {
	case len(more) == 0 && len(fewer) == 0, len(more) > 0 && len(fewer) > 0:
		return ""
	case len(more) == 0 && areAllOf(fewer, got):
		return "merged"
	case len(more) == 0:
		return ""
	case areAllOf(more, want):
		return "doubled"
	}
	return "left-in"
}

// without returns the entries of a list that are left when those of another are taken away, one for one.
func without(all, taken []string) (left []string) {
	left = slices.Clone(all)
	for _, entry := range taken {
		if i := slices.Index(left, entry); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}

// entriesOf returns the entries of a list as texts.
func entriesOf(list reflect.Value) (all []string) {
	for i := range list.Len() {
		all = append(all, fmt.Sprint(textOf(list.Index(i))))
	}
	return all
}
