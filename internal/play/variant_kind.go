package play

// The kinds of values that a property can be changed to: one table. Nothing here plays.

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// A kind is what one property can be changed to, which no other kind shows.
type kind struct {
	name string
	of   form // the types that it is for

	// values makes the values for a place: one, or several that a parameter tells apart.
	values func(at place) []option

	told  bool // a service has to tell the value from the one that it is played from, or to refuse it
	less  bool // it has nothing that was not there before, and must succeed
	vast  bool // it is out of all proportion: a service may refuse it in any way
	large bool // it has so many entries that the time of the function may be too short for a fault
	keeps bool // it can say that a thing outlives its stack

	ofMember bool // its parameter is the member of an entry that differs
}

// A form is a set of types, by what can be changed about their values.
type form uint

const (
	booleans form = 1 << iota
	integers
	fractions // numbers that may have one
	texts
	durations // which are texts, as moments are
	moments
	lists
	mappings // of any names
	objects  // of the names in their type
	listed   // the values that the schema lists, and no others
	whole    // all properties of a resource

	numbers  = integers | fractions
	anything = whole - 1
)

// The kinds that are known elsewhere.
const (
	leftOut = "left-out"
	zero    = "zero"
	drawn   = "draw" // by the Contract's Draw, from a seed; it is of no table
)

// kinds are all kinds, in the order in which they are played: the first of each property come first.
var kinds = []kind{
	// what the author knows
	{name: inPlace, of: anything, values: theAuthors(inPlace), keeps: true},
	{name: replacing, of: anything, values: theAuthors(replacing), keeps: true},
	{name: "removed", of: anything, values: withoutInPlaces, keeps: true},
	{name: "value", of: anything, values: listedValues, keeps: true},

	// none, and another one
	{name: leftOut, of: anything | whole, values: leaveOut, keeps: true},
	{name: zero, of: numbers | whole, values: nothing},
	{name: "turned", of: booleans, values: turned, keeps: true},
	{name: "more", of: numbers, values: more},
	{name: "other", of: texts, values: anotherText, told: true},
	{name: "empty", of: texts | lists | mappings, values: empty},
	{name: "zero-given", of: numbers, values: zeroGiven, told: true}, // for "a zero for none, always", where there is a default

	// what a service makes the same of: letters, blanks, and characters that mean something elsewhere
	{name: "case", of: texts, values: anotherCase},
	{name: "cases", of: mappings, values: twoCases, told: true}, // for "names of a case, always"
	{name: "spaces", of: texts, values: spaces},
	{name: "endings", of: texts | mappings, values: endings, told: true},
	{name: "line", of: texts, values: anotherLine, told: true},

	// precision: two values that differ by the least, and by the most, that a type can express
	{name: "least", of: numbers | texts, values: least, told: true, vast: true},
	{name: "most", of: numbers | durations | moments, values: most, told: true, vast: true},
	{name: "long", of: texts, values: long, told: true},
	{name: "huge", of: texts, values: huge, told: true, vast: true}, // for "a long text cut"

	// entries
	{name: "exchanged", of: lists | mappings | objects | whole, values: exchanged, keeps: true},
	{name: "without-first", of: lists | mappings, values: withoutFirst, less: true},
	{name: "doubled", of: lists, values: doubled, less: true},
	{name: "11", of: lists | mappings, values: grownTo(11), told: true},
	{name: "alike", of: lists, values: alike, told: true, ofMember: true},
	{name: "alike-alone", of: lists, values: alikeAlone, told: true, ofMember: true}, // for "a door of a name, always"
	{name: manyEntries, of: lists | mappings, values: grownTo(11, 101), told: true, large: true},
	{name: "1001", of: lists | mappings, values: grownTo(101, 1001), told: true, large: true},
}

// manyEntries is the kind of so many entries as services have on a page.
const manyEntries = "101"

// kindNamed returns the kind of a name, or one of which nothing is known.
func kindNamed(name string) kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{name: name}
	}
	return kinds[i]
}

// An option is one change that a place can have.
type option struct {
	kind  string
	param string // which of the kind's, if it has several
	from  *any   // the value that it is played from; nil for the one that is there
	to    any    // nil leaves the property out
}

// change returns the change that an option is, at a path.
func (o option) change(path string) change { return change{Path: path, Kind: o.kind, Param: o.param} }

// one returns the option of one value.
func one(to any) []option { return []option{{to: to}} }

// fromOne returns the option of a value that is played from another one.
func fromOne(from, to any) []option { return []option{{from: &from, to: to}} }

// called gives options a parameter.
func called(param string, options []option) []option {
	for i := range options {
		options[i].param = param
	}
	return options
}

// A place is a property, or a part of one, with the value that is there.
type place struct {
	*Contract
	authors  map[string]map[string]any // the Contract's own properties, by version
	path     string
	of       form
	schema   *schema.Property
	value    any  // nil if it is left out
	optional bool // it is a member of an object, or a property
}

// text, list, mapping and number return a value of that type.
func (at place) text() string            { text, _ := at.value.(string); return text }
func (at place) list() []any             { list, _ := at.value.([]any); return list }
func (at place) mapping() map[string]any { mapping, _ := at.value.(map[string]any); return mapping }
func (at place) number() int64           { n, _ := strconv.ParseInt(at.text(), 10, 64); return n }

// options returns the changes of a place that the schema allows.
func (at place) options() (all []option) {
	for _, k := range kinds {
		if k.of&at.of == 0 {
			continue
		}
		for _, o := range k.values(at) {
			if o.from != nil && reflect.DeepEqual(*o.from, at.value) {
				o.from = nil // it is there
			}
			o.kind = k.name
			if at.allows(o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// allows reports whether an option is a change to what the schema allows. What the author gives is allowed.
func (at place) allows(o option) bool {
	from := &at.value
	if o.from != nil {
		from = o.from
	}
	switch {
	case reflect.DeepEqual(*from, o.to):
		return false
	case o.kind == inPlace, o.kind == replacing:
		return true
	}
	return at.allowsText(*from) && at.allowsText(o.to)
}

// allowsText reports whether the schema allows a value, if it is a text.
func (at place) allowsText(value any) bool {
	text, is := value.(string)
	return !is || value == at.value || allows(at.schema, text)
}

// theAuthors returns what gives a property the value that it has in another version.
func theAuthors(version string) func(at place) []option {
	return func(at place) []option {
		if value, there := at.authors[version][at.path]; there {
			return one(value)
		}
		return nil
	}
}

// withoutInPlaces leaves a property out that had the value of InPlace: the value that is there may be the default.
func withoutInPlaces(at place) []option {
	was, there := at.authors[inPlace][at.path]
	switch {
	case !there, at.value == nil, reflect.DeepEqual(was, at.value):
		return nil
	}
	return fromOne(was, nil)
}

func listedValues(at place) (all []option) {
	for i, value := range append(slices.Clone(at.schema.Enum), at.schema.Examples...) {
		all = append(all, called(strconv.Itoa(i+1), one(fmt.Sprint(value)))...)
	}
	return all
}

func leaveOut(at place) []option {
	switch {
	case at.of == whole:
		return at.atOnce(func(property place) (value any, may bool) {
			return nil, !slices.Contains(at.handler.Required, property.path)
		})
	case at.optional:
		return one(nil)
	}
	return nil
}

// nothing makes a number zero, or all numbers, and all booleans false.
func nothing(at place) []option {
	if at.of != whole {
		return one("0")
	}
	return at.atOnce(func(property place) (value any, may bool) {
		if property.of == booleans {
			return "false", true
		}
		return "0", property.of&numbers != 0
	})
}

// atOnce gives all properties another value that may have it. What is tagged createOnly stays.
func (at place) atOnce(value func(property place) (any, bool)) []option {
	all := maps.Clone(at.mapping())
	for name, was := range at.mapping() {
		property := at.member(name, was)
		to, may := value(property)
		switch {
		case !may, at.isFixed(name), at.handler.isCreateOnly(name), !property.allowsText(to):
		case to == nil:
			delete(all, name)
		default:
			all[name] = to
		}
	}
	return one(all)
}

func turned(at place) []option { return one(strconv.FormatBool(at.text() != "true")) }
func more(at place) []option   { return one(strconv.FormatInt(at.number()+1, 10)) }

// zeroGiven makes a number zero that was left out, which is not the same if the default is another one.
func zeroGiven(at place) []option {
	switch standard := at.schema.Default; {
	case !at.optional, standard == nil, fmt.Sprint(standard) == "0":
		return nil
	}
	return fromOne(nil, "0")
}

func anotherText(at place) []option { return one(other(at.text())) }
func anotherCase(at place) []option { return one(otherCase(at.text())) }
func spaces(at place) []option      { return one(" " + at.text() + " ") }
func anotherLine(at place) []option { return one(at.text() + "\nx") }

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

// endings gives a text, or a name more, an ending whose characters mean something elsewhere.
func endings(at place) []option {
	if at.of&mappings != 0 {
		return at.named(func(name string) string { return withEndings(name, nil) })
	}
	text := withEndings(at.text(), at.schema)
	return fromOne(text+"x", text+"y")
}

// twoCases gives a map a name that differs from another one in the case alone.
func twoCases(at place) []option { return at.named(otherCase) }

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

// least returns values that differ by the least that their type can express, and by the least that people write.
func least(at place) []option {
	if t, is := asMoment(at.text()); is {
		elsewhere := t.Format("2006-01-02T15:04:05") + "+05:30"
		return slices.Concat(one(t.Add(time.Second).Format(time.RFC3339)), called("offset", one(elsewhere)))
	}
	if d, is := asDuration(at.text()); is {
		round := 10 * d
		return slices.Concat(fromOne(round.String(), (round+time.Millisecond).String()), called("second", fromOne(round.String(), (round+time.Second).String())))
	}
	n := max(at.number(), 1)
	switch {
	case at.of&integers != 0:
		round := 100 * n // of which an hour has no whole number of minutes
		if !allows(at.schema, strconv.FormatInt(round+1, 10)) {
			round = n + 1
		}
		return fromOne(strconv.FormatInt(round, 10), strconv.FormatInt(round+1, 10))
	case at.of&fractions != 0: // the least in which also numbers of 32 bits differ, and hundredths of which 0.29 has too few
		return slices.Concat(fromOne(strconv.FormatInt(n, 10), strconv.FormatFloat(float64(n)*(1+1.0/(1<<20)), 'f', -1, 64)), called("hundredth", fromOne("0.28", "0.29")))
	}
	if at.RealTime {
		return nil // tests of one server know their things by what names begin with
	}
	return fromOne("123456789012", "0123456789012") // such as an account's ID
}

// most returns values that differ by the most that their type can express, or more than 32 bits.
func most(at place) []option {
	if t, is := asMoment(at.text()); is {
		return one(t.Add(1 << 32 * time.Second).Format(time.RFC3339))
	}
	if d, is := asDuration(at.text()); is {
		return slices.Concat(one((d + 1<<32*time.Millisecond).String()), called("days", one((d+1000*24*time.Hour).String())))
	}
	next := at.number() + 1
	largest := strconv.FormatInt(next+1<<32, 10)
	if !allows(at.schema, largest) {
		largest = at.schema.Maximum.String()
	}
	return fromOne(strconv.FormatInt(next, 10), largest)
}

// long returns texts that differ at their end, as long as they may be.
func long(at place) []option {
	longest := cmp.Or(at.schema.MaxLength, 255) // as many names
	return longTexts(at.text(), longest-len([]rune(at.text())))
}

func huge(at place) []option {
	if at.schema.MaxLength > 0 {
		return nil
	}
	return longTexts(at.text(), 10_000)
}

// longTexts returns a text with so many characters more, and another one.
func longTexts(text string, n int) []option {
	if n < 1 {
		return nil
	}
	start := text + strings.Repeat("x", n-1)
	return fromOne(start+"x", start+"y")
}

// exchanged has two values that are there change places.
func exchanged(at place) []option {
	names := slices.Sorted(maps.Keys(at.mapping()))
	switch n := max(len(names), len(at.list())); {
	case at.of&(objects|whole) != 0:
		return at.exchangedProperties(names)
	case n == 0, n == 1 && at.of == mappings:
		return nil
	case at.of == mappings:
		return one(at.exchangedMembers(names[0], names[n-1]))
	case n == 1:
		two := at.entries(2)
		return fromOne(two, exchange(two))
	}
	return one(exchange(at.list()))
}

// exchangedProperties exchanges each property for the next of its type: of three, that is two pairs.
func (at place) exchangedProperties(names []string) (all []option) {
	for i, name := range names {
		next := slices.IndexFunc(names[i+1:], func(next string) bool { return at.mayExchange(name, next) })
		if next >= 0 {
			other := names[i+1+next]
			all = append(all, called(name+","+other, one(at.exchangedMembers(name, other)))...)
		}
	}
	return all
}

// exchange returns a list whose first and last entry have changed places.
func exchange(list []any) []any {
	list = slices.Clone(list)
	last := len(list) - 1
	list[0], list[last] = list[last], list[0]
	return list
}

func (at place) exchangedMembers(one, other string) map[string]any {
	m := maps.Clone(at.mapping())
	m[one], m[other] = m[other], m[one]
	return m
}

// mayExchange reports whether two members are of one type, and each may have the other's value. A secret stays where it
// is.
func (at place) mayExchange(one, other string) bool {
	of := func(name string) place { return at.member(name, at.mapping()[name]) }
	a, b := of(one), of(other)
	switch {
	case a.of != b.of, a.of&(numbers|texts) == 0, a.isKept(), b.isKept():
		return false
	}
	return a.allowsText(b.value) && b.allowsText(a.value)
}

// isKept reports whether a place must not get another place's value.
func (at place) isKept() bool {
	return at.isFixed(at.path) || isTagged(slices.Concat(at.handler.WriteOnly, at.handler.CreateOnly), at.path, strings.HasPrefix)
}

func withoutFirst(at place) []option {
	if list := at.list(); len(list) > 1 {
		return one(list[1:])
	}
	m := maps.Clone(at.mapping())
	if len(m) == 0 {
		return nil
	}
	delete(m, slices.Min(slices.Collect(maps.Keys(m))))
	return one(m)
}

func doubled(at place) []option {
	if len(at.list()) == 0 || at.schema.UniqueItems {
		return nil
	}
	return one(slices.Concat(at.list(), at.list()))
}

// grownTo returns what makes a list or a map of so many entries, from one of fewer.
func grownTo(sizes ...int) func(at place) []option {
	return func(at place) []option {
		n, has := sizes[len(sizes)-1], max(len(at.list()), len(at.mapping()))
		if has == 0 || n > cmp.Or(at.schema.MaxItems, n) {
			return nil
		}
		if len(sizes) == 1 {
			return one(at.grown(n))
		}
		return fromOne(at.grown(sizes[0]), at.grown(n))
	}
}

// alike adds to a list of objects one that differs from the first in one member, which is the parameter.
func alike(at place) (all []option) {
	for _, name := range at.memberNames() {
		all = append(all, called(name, one(append(slices.Clone(at.list()), at.unlikeFirst(name))))...)
	}
	return all
}

// alikeAlone puts it in place of the first: of a list by name, the last entry of a name may be what is left.
func alikeAlone(at place) (all []option) {
	for _, name := range at.memberNames() {
		changed := at.unlikeFirst(name)
		with := append(slices.Clone(at.list()), changed)
		alone := append([]any{changed}, at.list()[1:]...)
		all = append(all, called(name, fromOne(with, alone))...)
	}
	return all
}
