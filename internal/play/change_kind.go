package play

// The kinds of values that a property can be changed to: one table. Nothing here plays.

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// A kind is what one property can be changed to, which no other kind shows.
type kind struct {
	name string
	of   form // the types that it is for

	// values makes the values for a place: one, or several that a parameter tells apart.
	values func(at place) []option

	told  form // of which types a service has to tell the value from the one that it is played from, or to refuse it
	keeps form // of which it can say that a thing outlives its stack
	less  bool // it has nothing that was not there before, and must succeed
	vast  bool // it is out of all proportion: a service may refuse it in any way
	large bool // it has so many entries that the time of the function may be too short for a fault

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
	valueGiven = "value"
	leftOut    = "left-out"
	zero       = "zero"
	another    = "other"
	emptied    = "empty"
	least      = "least"
	joined     = "joined"
	entries    = "entries"
	drawn      = "draw" // by the Contract's Draw, from a seed; it is of no table
)

// kinds are all kinds, in the order in which they are played: the first of each property come first. A test has, for each,
// the wrong handler that no other one finds, or the reason for it.
var kinds = []kind{
	// what the author, or the schema, knows
	{name: valueGiven, of: anything, values: givenValues, keeps: anything},

	// none, and another one
	{name: leftOut, of: anything | whole, values: leaveOut, keeps: anything | whole},
	{name: zero, of: numbers | whole, values: nothing},
	{name: another, of: booleans | numbers | texts | objects, values: anotherValue, told: texts, keeps: booleans},
	{name: emptied, of: texts | lists | mappings, values: empty},

	// what a service makes the same of: letters, hosts of a network, blanks, and characters that mean something elsewhere
	{name: "case", of: texts | mappings, values: anotherCase, told: mappings},
	{name: "spaces", of: texts, values: spaces},
	{name: "endings", of: texts | mappings, values: endings, told: anything},

	// precision: two values that differ by the least, and by the most, that a type can express
	{name: least, of: numbers | texts, values: leastApart, told: anything, vast: true},
	{name: "most", of: numbers | texts, values: mostApart, told: anything, vast: true},

	// what is of several parts: where they stand, and where one ends
	{name: "exchanged", of: lists | mappings | objects | whole, values: exchanged, keeps: anything | whole},
	{name: joined, of: lists | objects | whole, values: joinedAlike, told: anything | whole},

	// entries
	{name: "doubled", of: lists, values: doubled, less: true},
	{name: "alike", of: lists, values: alike, told: anything, ofMember: true},
	{name: entries, of: lists | mappings, values: manyEntries, told: anything, large: true},
}

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

	told  bool      // a service has to tell the two apart, or to refuse one
	keeps bool      // it can say that a thing outlives its stack
	parts [2]string // the texts that are the same in both when they are joined, if they are
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
func (at place) text() string { text, _ := at.value.(string); return text }

func (at place) list() []any { list, _ := at.value.([]any); return list }

func (at place) mapping() map[string]any { mapping, _ := at.value.(map[string]any); return mapping }

func (at place) number() int64 { n, _ := strconv.ParseInt(at.text(), 10, 64); return n }

// options returns the changes of a place that the schema allows.
func (at place) options() (all []option) {
	for _, k := range kinds {
		if k.of&at.of == 0 {
			continue
		}
		for _, o := range k.values(at) {
			o.kind, o.keeps = k.name, k.keeps&at.of != 0
			if o.from != nil && reflect.DeepEqual(*o.from, at.value) {
				o.from = nil // it is there
			}
			// What is left out may be the same as any value, which is then the default.
			if at.before(o) != nil {
				o.told = k.told&at.of != 0
			}
			if slices.ContainsFunc(all, o.isSame) {
				continue
			}
			if at.allows(o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// isSame reports whether another option leads from the same value to the same one.
func (o option) isSame(other option) bool {
	return reflect.DeepEqual(o.to, other.to) && reflect.DeepEqual(o.from, other.from)
}

// before returns the value that an option is played from.
func (at place) before(o option) any {
	if o.from != nil {
		return *o.from
	}
	return at.value
}

// allows reports whether an option is a change to what the schema allows. What the author gives is allowed.
func (at place) allows(o option) bool {
	from := at.before(o)
	switch {
	case reflect.DeepEqual(from, o.to):
		return false
	case o.isAuthors():
		return true
	}
	return at.allowsText(from) && at.allowsText(o.to)
}

// isAuthors reports whether the author gives an option.
func (o option) isAuthors() bool {
	return o.kind == valueGiven && slices.Contains(authors, o.param)
}

// allowsText reports whether the schema allows a value, if it is a text.
func (at place) allowsText(value any) bool {
	if text, is := value.(string); is && text != at.value {
		return allows(at.schema, text)
	}
	return true
}
