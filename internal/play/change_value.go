package play

// Makes the values of each kind. Nothing here plays.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// authors are the versions that an author gives besides Properties.
var authors = []string{inPlace, replacing}

// givenValues returns the values that the author gives, and those that the schema lists.
func givenValues(at place) (all []option) {
	for _, version := range authors {
		if value, there := at.authors[version][at.path]; there {
			all = append(all, called(version, one(value))...)
		}
	}
	for i, value := range slices.Concat(at.schema.Enum, at.schema.Examples) {
		all = append(all, called(strconv.Itoa(i+1), one(fmt.Sprint(value)))...)
	}
	return all
}

// leaveOut leaves a property out, also one that had the value of InPlace: the value that is there may be the default.
func leaveOut(at place) (all []option) {
	if at.of == whole {
		return at.atOnce(func(property place) (value any, may bool) {
			return nil, lacks(at.handler.Required, property.path)
		})
	}
	if was, there := at.authors[inPlace][at.path]; there && at.value != nil {
		all = called(inPlace, fromOne(was, nil))
	}
	if at.optional {
		all = slices.Concat(one(nil), all)
	}
	return all
}

// nothing makes a number zero, or all numbers, and all booleans false. Where the type tells zero from none, it is played
// from that.
func nothing(at place) []option {
	switch {
	case at.of == whole:
		return at.atOnce(func(property place) (value any, may bool) {
			if property.of == booleans {
				return "false", true
			}
			return "0", property.of&numbers != 0
		})
	case at.tellsNone():
		zero := fromOne(nil, "0")
		zero[0].told = true
		return zero
	}
	return one("0")
}

// tellsNone reports whether the handler sees whether a number is left out, or zero: it has a pointer, or another default.
func (at place) tellsNone() bool {
	if !at.optional {
		return false
	}
	standard := at.schema.Default
	return at.handler.isPointer(at.path) || lacks([]string{"<nil>", "0"}, fmt.Sprint(standard))
}

// atOnce gives all properties another value that may have it. What is tagged createOnly stays.
func (at place) atOnce(value func(property place) (any, bool)) []option {
	all := maps.Clone(at.mapping())
	for name, was := range at.mapping() {
		property := at.member(name, was)
		to, may := value(property)
		switch {
		case !may, at.isFixed(property.path), at.handler.isCreateOnly(property.path), !property.allowsText(to):
		case to == nil:
			delete(all, name)
		default:
			all[name] = to
		}
	}
	return one(all)
}

// anotherValue returns the other boolean, the next number, a text that is longer, or, where a pointer is nil, an object.
func anotherValue(at place) []option {
	switch {
	case at.of == objects:
		isLeftOut := at.value == nil && at.handler.isPointer(at.path)
		if isLeftOut && len(at.schema.Required) == 0 {
			return one(map[string]any{})
		}
		return nil
	case at.of == booleans:
		return one(strconv.FormatBool(at.text() != "true"))
	case at.of&numbers != 0:
		return one(strconv.FormatInt(at.number()+1, 10))
	}
	return one(other(at.text()))
}

func spaces(at place) []option { return one(" " + at.text() + " ") }

func empty(at place) []option {
	switch {
	case at.of&texts != 0:
		return one("")
	case at.of&lists != 0:
		return one([]any{})
	case len(at.mapping()) == 0:
		return nil
	}
	return one(map[string]any{})
}

// anotherCase returns a text that differs in the case alone, or gives a map one name more that does. A network is written with
// the address of a host in it.
func anotherCase(at place) []option {
	if at.of&mappings != 0 {
		return at.named(otherCase)
	}
	if host, is := hostOf(at.text()); is {
		return called("host", one(host))
	}
	return one(otherCase(at.text()))
}

// endings gives a text, or a name more, an ending whose characters mean something elsewhere, or a second line.
func endings(at place) []option {
	if at.of&mappings != 0 {
		return at.named(func(name string) string { return withEndings(name, nil) })
	}
	text := withEndings(at.text(), at.schema)
	return slices.Concat(fromOne(text+"x", text+"y"), called("line", fromOne(at.text()+"\nx", at.text()+"\ny")))
}

// named gives a map one name more, which is like the first.
func (at place) named(like func(name string) string) []option {
	names := slices.Sorted(maps.Keys(at.mapping()))
	if len(names) == 0 {
		return nil
	}
	more := maps.Clone(at.mapping())
	more[like(names[0])] = more[names[0]]
	return one(more)
}

// leastApart returns values that differ by the least that their type can express, and by the least that people write.
func leastApart(at place) []option {
	n := max(at.number(), 1)
	switch at.ordered() {
	case moments:
		t, _ := asMoment(at.text())
		elsewhere := t.Format("2006-01-02T15:04:05") + "+05:30"
		return slices.Concat(one(t.Add(time.Second).Format(time.RFC3339)), called("offset", one(elsewhere)))
	case durations:
		d, _ := asDuration(at.text())
		round := 10 * d
		return slices.Concat(fromOne(round.String(), (round+time.Millisecond).String()), called("second", fromOne(round.String(), (round+time.Second).String())))
	case integers:
		round := 100 * n // of which an hour has no whole number of minutes
		if !allows(at.schema, strconv.FormatInt(round+1, 10)) {
			round = n + 1
		}
		return fromOne(strconv.FormatInt(round, 10), strconv.FormatInt(round+1, 10))
	case fractions: // and hundredths of which 0.29 has too few
		return slices.Concat(fromOne(strconv.FormatInt(n, 10), at.handler.nextAfter(at.path, n)), called("hundredth", fromOne("0.28", "0.29")))
	}
	if at.RealTime {
		return nil // tests of one server know their things by what names begin with
	}
	return fromOne("123456789012", "0123456789012") // such as an account's ID
}

// mostApart returns values that differ by the most that their type can express, or more than 32 bits, integers that only an
// integer tells apart, and texts that differ at their end.
func mostApart(at place) []option {
	switch at.ordered() {
	case moments:
		t, _ := asMoment(at.text())
		return one(t.Add(1 << 32 * time.Second).Format(time.RFC3339))
	case durations:
		d, _ := asDuration(at.text())
		return slices.Concat(one((d + 1<<32*time.Millisecond).String()), called("days", one((d+1000*24*time.Hour).String())))
	case texts:
		longest := cmp.Or(at.schema.MaxLength, 255) // as many names
		all := longTexts(at.text(), longest-len([]rune(at.text())))
		if at.schema.MaxLength == 0 {
			all = slices.Concat(all, called("huge", longTexts(at.text(), 10_000)))
		}
		return all
	}
	next := at.number() + 1
	largest := strconv.FormatInt(next+1<<32, 10)
	if !allows(at.schema, largest) {
		largest = at.schema.Maximum.String()
	}
	all := fromOne(strconv.FormatInt(next, 10), largest)
	isInteger := at.handler.isTold() && at.ordered() == integers // a guess by the value may take a fraction for one
	if isInteger && allows(at.schema, strconv.FormatInt(rounded, 10)) {
		all = slices.Concat(all, called(exact, fromOne(strconv.FormatInt(rounded-1, 10), strconv.FormatInt(rounded, 10))))
	}
	return all
}

// exact is the parameter of the integers that only an integer tells apart.
const exact = "exact"

// rounded is the first integer of which a number of 64 bits that has fractions makes another one.
const rounded = 1<<53 + 1

// ordered returns which of the ordered types a place is of.
func (at place) ordered() form {
	for _, of := range []form{moments, durations, integers, fractions} {
		if at.of&of != 0 {
			return of
		}
	}
	return texts
}

// longTexts returns a text with so many characters more, and another one.
func longTexts(text string, n int) []option {
	if n < 1 {
		return nil
	}
	start := text + strings.Repeat("x", n-1)
	return fromOne(start+"x", start+"y")
}

func doubled(at place) []option {
	if len(at.list()) == 0 || at.schema.UniqueItems {
		return nil
	}
	return one(slices.Concat(at.list(), at.list()))
}

// manyEntries returns lists and maps of as many entries as services take at a time, and one more.
func manyEntries(at place) (all []option) {
	has, most := max(len(at.list()), len(at.mapping())), cmp.Or(at.schema.MaxItems, math.MaxInt)
	for _, round := range []int{10, 100, 1000} {
		n := round + 1
		if has == 0 || n > most {
			break
		}
		fewer, more := at.grown(round, n)
		all = append(all, called(strconv.Itoa(n), fromOne(fewer, more))...)
	}
	return all
}

// alike puts, in place of the first of a list's objects, one that differs in one member, which is the parameter. It is
// played from the list with both: of a list by name, the one or the other entry of a name may be what is left.
func alike(at place) (all []option) {
	for _, name := range at.memberNames() {
		changed := at.unlikeFirst(name)
		with := append(slices.Clone(at.list()), changed)
		alone := append([]any{changed}, at.list()[1:]...)
		all = append(all, called(written(name), fromOne(with, alone))...)
	}
	return all
}
