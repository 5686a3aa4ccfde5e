package play

// Whether State tells two values of a property apart, as it has to. Nothing here plays.

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A toldApart is a change of a version, and the states that Creates have led to: a service has to tell the value from the
// one that it is played from.
type toldApart struct {
	c    *Contract
	want map[string]any // by version, the state; nothing is added while it is compared

	base, from, to string
	ch             change
	option         option
}

// told returns what a version with a change has to be told from.
func (l learned) told(c *Contract, version string) toldApart {
	p := toldApart{c: c, want: l.want, from: c.from(version), to: version, option: c.optionOf(version)}
	p.base, p.ch, _ = cutChange(version)
	return p
}

// lost says how State is the same with two values, or "". Also the value from which the change is played is another one
// than that of the author, unless it is left out: the author's may be the default.
func (p toldApart) lost() string {
	if same := p.same(p.from, p.to); same != "" {
		return same
	}
	if p.ch.Kind == entries {
		return p.grown()
	}
	switch {
	case p.from == p.base, p.valueIn(p.base) == nil, p.valueIn(p.from) == nil:
		return ""
	}
	return p.same(p.base, p.from)
}

// same says that State is the same with two versions, though it shows the property, or "".
func (p toldApart) same(one, other string) string {
	switch {
	case p.mayBeSame(one), differ(p.want[one], p.want[other]):
		return ""
	}
	shown := p.shownBeside()
	switch {
	case shown == "", p.isDefault(one, shown):
		return ""
	}
	// Of two versions whose states differ, one is unlike the two that are compared.
	unlike := p.base
	if differ(p.want[shown], p.want[one]) {
		unlike = shown
	}
	return fmt.Sprintf("State is the same with %s and with %s, but differs with %s", one, other, unlike)
}

// valueIn returns the value, in a version, of what the change is of.
func (p toldApart) valueIn(version string) any { return p.c.valueIn(version, p.base, p.ch) }

// mayBeSame reports whether State may be the same: it shows neither a secret nor what a set has already, it may show texts
// that are joined, and a fake that keeps JSON has numbers with fractions for all numbers.
func (p toldApart) mayBeSame(version string) bool {
	switch {
	case p.c.handler.isSecret(p.ch.subjects()[0]), repeats(p.option.to):
		return true
	case p.ch.Param == exact:
		return slices.Contains(valuesIn(p.want[version]), any(float64(rounded)))
	case p.option.parts[0] == "":
		return false
	}
	return slices.ContainsFunc(textsIn(p.want[version]), func(text string) bool {
		_, after, has := strings.Cut(text, p.option.parts[0])
		return has && strings.Contains(after, p.option.parts[1])
	})
}

// isDefault reports whether State may show what is left out as zero, since that is the default: it shows nothing, or
// nothing but zero, at the place where it shows another value.
func (p toldApart) isDefault(leftOut, shown string) bool {
	if p.valueIn(leftOut) != nil {
		return false
	}
	is := p.want[leftOut]
	all := slices.Concat(compareStates(is, p.want[p.base]), compareStates(is, p.want[shown]))
	return slices.ContainsFunc(all, func(d difference) bool { return slices.Contains(zeros, d.is) })
}

// zeros are how State shows zero, or nothing.
var zeros = []string{"0", `""`, `"0"`, "false", "not there"}

// shownBeside returns a version with another change that State shows, of what the version changes, or "". Of two members
// that change at once, State has to show each.
func (p toldApart) shownBeside() (shown string) {
	if p.readsNumbers() {
		return ""
	}
	for _, subject := range p.ch.subjects() {
		if shown = p.shownAt(subject); shown == "" {
			return ""
		}
	}
	return shown
}

// shownAt returns a version with another change of what is at a path that State shows, or "".
func (p toldApart) shownAt(path string) (shown string) {
	for _, word := range slices.Sorted(maps.Keys(p.want)) {
		base, other, is := cutChange(word)
		isAfterUse := strings.Contains(word, " ")
		switch {
		case base != p.base, !is, isAfterUse, sameState(p.want[word], p.want[base]):
		case p.c.shows(other, path):
			shown = word
		}
	}
	return shown
}

// isBeside reports whether State, if it shows another change, shows a part of what this one changes.
func (p toldApart) isBeside(other change) bool {
	return slices.ContainsFunc(p.ch.subjects(), func(path string) bool { return p.c.shows(other, path) })
}

// shows reports whether State shows what is at a path if it shows a change: one of the same property, or of the list of
// which an entry has it, since State shows all of an entry. Of a member of which no type is told, it may be a secret, and
// State does not show it.
func (c *Contract) shows(other change, path string) bool {
	if c.handler.isTold() {
		rest, in := strings.CutPrefix(path, other.Path)
		return in && ofEntry.MatchString(rest)
	}
	return other.Path == path
}

// ofEntry matches the end of a path after a list: nothing, or an entry and what is in it.
var ofEntry = regexp.MustCompile(`^$|^\.[0-9]+\b`)

// readsNumbers reports whether a service may read a text as a number, of which it makes the same with a zero before it.
// One that does not has State show that text, and another one that is no number, as they are.
func (p toldApart) readsNumbers() bool {
	switch {
	case !hasZeroBefore(p.option.to):
		return false
	case !p.showsText(p.from):
		return true
	}
	// A text that is no number, shown as it is, says that texts are kept as they are.
	for word := range p.want {
		base, other, is := cutChange(word)
		isOthers := base != p.base || other.Path != p.ch.Path
		switch {
		case is && isOthers, isNumber(p.valueIn(word)):
		case p.showsText(word):
			return false
		}
	}
	return true
}

// showsText reports whether State shows the text that a version has as it is.
func (p toldApart) showsText(version string) bool {
	text, is := p.valueIn(version).(string)
	return is && slices.Contains(textsIn(p.want[version]), text)
}

// hasZeroBefore reports whether a value is the text of a number with a zero before it; isNumber, with or without one.
func hasZeroBefore(value any) bool {
	text, _ := value.(string)
	if digits, has := strings.CutPrefix(text, "0"); has {
		return isNumber(digits)
	}
	return false
}

func isNumber(value any) bool {
	_, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	return err == nil
}

// A sized thing is a list or a map of so many entries, and how many values State then has.
type sized struct{ entries, values int }

// isOtherSize reports whether a change is to another number of entries.
func (p toldApart) isOtherSize(other change) bool {
	ch := change{Path: p.ch.Path, Kind: entries, Param: other.Param, From: other.From}
	return p.ch.Kind == entries && other == ch
}

// grown says how State has not as many values more for each entry, or "": the entries are all alike.
func (p toldApart) grown() string {
	// The sizes whose states are known.
	var all []sized
	for _, other := range p.c.changes(p.base) {
		if !p.isOtherSize(other) {
			continue
		}
		for _, word := range []string{other.played().in(p.base), other.in(p.base)} {
			if p.want[word] == nil || repeats(p.valueIn(word)) {
				continue
			}
			all = append(all, p.sized(word))
		}
	}

	// Only the change's own sizes are its fault.
	odd, few, many := unlikeOthers(all), p.sized(p.from), p.sized(p.to)
	switch {
	case slices.Contains(odd, few), slices.Contains(odd, many):
		return fmt.Sprintf("State shows %d values for %d entries of %s, and %d for %d entries. That does not fit what it shows for other numbers of entries", few.values, few.entries, p.ch.Path, many.values, many.entries)
	}
	return ""
}

// sized returns how many entries a version has at the place of the change, and State values.
func (p toldApart) sized(version string) sized {
	return sized{reflect.ValueOf(p.valueIn(version)).Len(), len(valuesIn(p.want[version]))}
}

// unlikeOthers returns those of several that are not as large as the others say. What grows by a whole number for each
// entry, from a few to many, grows by that for all.
func unlikeOthers(all []sized) (odd []sized) {
	for i, few := range all {
		for _, many := range all[i+1:] {
			each := few.grownTo(many)
			for _, s := range all {
				if each > 0 && s.values-few.values != each*(s.entries-few.entries) {
					odd = append(odd, s)
				}
			}
			if len(odd) > 0 {
				return odd
			}
		}
	}
	return nil
}

// grownTo returns how many values there are more for each of many entries more, or 0 if that is no whole number.
func (s sized) grownTo(many sized) (each int) {
	entries, values := many.entries-s.entries, many.values-s.values
	if entries < 10 || values%entries != 0 {
		return 0
	}
	return values / entries
}

// valuesIn returns the values in a state that hold no others; textsIn returns those that are texts.
func valuesIn(state any) (all []any) {
	// A State may nest as deep as its author likes.
	var collect func(part any)
	collect = func(part any) {
		switch part := part.(type) {
		case nil:
		case map[string]any:
			for _, member := range part {
				collect(member)
			}
		case []any:
			for _, entry := range part {
				collect(entry)
			}
		default:
			all = append(all, part)
		}
	}
	collect(withoutPlaces(state, nil))
	return all
}

func textsIn(state any) (texts []string) {
	for _, value := range valuesIn(state) {
		if v := reflect.ValueOf(value); v.Kind() == reflect.String {
			texts = append(texts, v.String())
		}
	}
	return texts
}
