package play

// Makes further properties: the Contract's own with one change each. Nothing here plays.
//
// The changes are listed, and not drawn by a library for property-based testing, such as pgregory.net/rapid. What is
// wrong with a handler depends on few kinds of values, so that a list meets them in dozens of plays where chance needs
// thousands. A change has a name, which is all that a line needs to play it again, and is the smallest of its kind, so
// that there is nothing to shrink. And whoever imports cfntest has no dependency more.

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A change turns the properties of a version into others: v0[Rules.0.Port=zero] is v0 with a zero at the path Rules.0.Port.
type change struct {
	Path, Kind string
	Param      string // of a kind that has several values, which one: v0[*=draw:3]
	From       bool   // the value from which the change is played, of a kind that has one of its own: v0[Rules=from:101]
}

const (
	allOfThem  = "*" // the path of all properties
	playedFrom = "from:"
)

// in returns the name of a version with the change.
func (ch change) in(base string) string {
	word := ch.Kind
	if ch.Param != "" {
		word += ":" + ch.Param
	}
	if ch.From {
		word = playedFrom + word
	}
	return base + "[" + ch.Path + "=" + word + "]"
}

// cutChange splits the name of a version into that and the change, if it has one.
func cutChange(word string) (base string, ch change, ok bool) {
	base, rest, ok := strings.Cut(word, "[")
	if !ok {
		return base, ch, false
	}
	ch.Path, rest, ok = strings.Cut(strings.TrimSuffix(rest, "]"), "=")
	rest, ch.From = strings.CutPrefix(rest, playedFrom)
	ch.Kind, ch.Param, _ = strings.Cut(rest, ":")
	return base, ch, ok
}

// isChanged reports whether the name of a version has a change.
func isChanged(word string) bool { return strings.Contains(word, "[") }

// subjects returns the paths of what differs: of an entry that is added, the member in which it is unlike the first, and of
// two members that change at once, both.
func (ch change) subjects() (paths []string) {
	switch names := strings.Split(ch.Param, ","); {
	case ch.kind().ofMember:
		return []string{ch.Path + ".0." + ch.Param}
	case len(names) == 2:
		for _, name := range names {
			paths = append(paths, strings.TrimPrefix(ch.Path+"."+name, allOfThem+"."))
		}
		return paths
	}
	return []string{ch.Path}
}

// kind returns what is known of a change's kind.
func (ch change) kind() kind { return kindNamed(ch.Kind) }

// kindOf returns what is known of the change that a version has.
func kindOf(version string) kind {
	_, ch, _ := cutChange(version)
	return ch.kind()
}

// changed returns the properties of a version with a change, or nil if they have no such change.
func (c *Contract) changed(base string, ch change) any {
	props := c.properties(base)
	switch {
	case ch.Kind == madeUp:
		return c.withMadeUp(base, ch.Path)
	case ch.Kind == drawn && !ch.From:
		return c.drawnAt(props, ch.Path, ch.Param)
	}
	value, ok := c.changedValue(base, ch)
	switch {
	case !ok:
		return nil
	case ch.Path == allOfThem:
		return value
	}
	return replaced(props, strings.Split(ch.Path, "."), value)
}

// changedValue returns the property's value after a change of a version, and whether there is such a change.
func (c *Contract) changedValue(base string, ch change) (value any, ok bool) {
	o, isOne := c.option(base, ch)
	if ch.From {
		if o.from == nil {
			return nil, false
		}
		return *o.from, true
	}
	return o.to, isOne
}

// option returns the option that a change of a version is of, and whether there is one.
func (c *Contract) option(base string, ch change) (option, bool) {
	ch.From = false
	all := c.options(base)[ch.Path]
	i := slices.IndexFunc(all, func(o option) bool { return ch == o.change(ch.Path) })
	if i < 0 {
		return option{}, false
	}
	return all[i], true
}

// optionOf returns the option that a version with a change is of, or the zero option.
func (c *Contract) optionOf(version string) option {
	base, ch, _ := cutChange(version)
	o, _ := c.option(base, ch)
	return o
}

// valueIn returns the value, in a version, of what a change of the version base is of.
func (c *Contract) valueIn(version, base string, ch change) any {
	if _, of, is := cutChange(version); is {
		value, _ := c.changedValue(base, of)
		return value
	}
	return at(c.properties(base), ch.Path)
}

// played returns the change to the value that a change is played from.
func (ch change) played() change {
	ch.From = true
	return ch
}

// from returns the version that a version with a change is played from.
func (c *Contract) from(word string) string {
	base, ch, _ := cutChange(word)
	if ch.From {
		return base
	}
	if from := ch.played().in(base); c.version(from) != nil {
		return from
	}
	return base
}

// differ reports whether a service has to tell two versions apart, or to refuse one: one has more than the other, and
// nothing else differs.
func (c *Contract) differ(from, to string) bool {
	_, ch, _ := cutChange(to)
	switch {
	case ch.From, !c.optionOf(to).told:
		return false
	}
	return from == c.from(to)
}

// repeats reports whether a list has an entry twice.
func repeats(value any) bool {
	list, _ := value.([]any)
	seen := map[string]bool{}
	for _, entry := range list {
		seen[string(simulate.JSON(entry))] = true
	}
	return len(seen) < len(list)
}

// properties returns a version's properties as they are sent, or nil. A caller that changes them makes a copy.
func (c *Contract) properties(word string) map[string]any {
	sent, _ := c.once("sent "+word, func() any {
		if props := c.version(word); props != nil {
			return simulate.Properties(props)
		}
		return nil
	}).(map[string]any)
	return sent
}

// once calls a function once for each key, and keeps the result: all histories need the same properties.
func (c *Contract) once(key string, f func() any) any {
	if c.made == nil {
		return f()
	}
	if value, known := c.made.Load(key); known {
		return value
	}
	value, _ := c.made.LoadOrStore(key, f())
	return value
}

// drawnAt returns properties that Draw draws, or props with one drawn value.
func (c *Contract) drawnAt(props map[string]any, path, seed string) any {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil || c.Draw == nil {
		return nil
	}
	all := simulate.Properties(c.Draw(rand.New(rand.NewPCG(n, 0))))
	if path == allOfThem {
		return all
	}
	return replaced(props, []string{path}, all[path])
}

// changes returns the changes of a version: first each property's first one, then each one's second, and so on, so that
// a part of them covers all properties.
func (c *Contract) changes(base string) (all []change) {
	byPath := c.options(base)
	paths := slices.Sorted(maps.Keys(byPath))
	for i, more := 0, true; more; i++ {
		more = false
		for _, path := range paths {
			if i < len(byPath[path]) {
				more = true
				all = append(all, byPath[path][i].change(path))
			}
		}
	}
	return all
}

// options returns, by path, the other values that each property of a version can have.
func (c *Contract) options(base string) map[string][]option {
	found, _ := c.once("options of "+base, func() any {
		props := c.properties(base)
		if props == nil {
			return map[string][]option{}
		}
		found := c.changesIn(props)
		found[allOfThem] = c.wholeOf(props).options()
		return found
	}).(map[string][]option)
	return found
}

// changesIn returns, by path, the changes of each property, and of what is in it.
func (c *Contract) changesIn(props map[string]any) map[string][]option {
	found, all := map[string][]option{}, c.wholeOf(props)
	for name := range all.schema.Properties {
		all.member(name, props[name]).visit(found)
	}
	maps.DeleteFunc(found, func(path string, _ []option) bool { return !writable.MatchString(path) || c.isFixed(path) })
	return found
}

// wholeOf returns the place of all properties.
func (c *Contract) wholeOf(props map[string]any) place {
	of := &schema.Property{Properties: c.handler.Properties}
	if of.Properties == nil {
		of = guessed(props)
	}
	authors := map[string]map[string]any{inPlace: c.properties(inPlace), replacing: c.properties(replacing)}
	return place{Contract: c, authors: authors, path: allOfThem, of: whole, schema: of, value: props}
}

// visit adds the changes of a place, and of the first that is in it.
func (at place) visit(found map[string][]option) {
	if options := at.options(); len(options) > 0 {
		found[at.path] = options
	}
	for range at.list()[:min(1, len(at.list()))] {
		at.element().visit(found)
	}
	for i, name := range slices.Sorted(maps.Keys(at.mapping())) {
		if i == 0 || at.of == objects { // the names in a map are alike
			at.member(name, at.mapping()[name]).visit(found)
		}
	}
}

// member returns the place of a member, with a value.
func (at place) member(name string, value any) place {
	path, of := at.path+"."+name, at.schema.Properties[name]
	if at.of == whole {
		path = name
	}
	if at.of&mappings != 0 {
		of = mappedTo(at.schema)
	}
	return at.inside(path, of, value, at.of&mappings == 0)
}

// element returns the place of a list's first entry.
func (at place) element() place {
	return at.inside(at.path+".0", at.schema.Items, at.list()[0], false)
}

// inside returns a place in another one. Where any type is allowed, it is that of the value.
func (at place) inside(path string, of *schema.Property, value any, optional bool) place {
	of = at.handler.resolve(of)
	if of.Type == "" && len(of.Enum) == 0 {
		of = guessed(value)
	}
	at.path, at.of, at.schema, at.value, at.optional = path, formOf(of, value), of, value, optional
	return at
}

// writable matches the paths, and the names of members, that a line can have.
var writable = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// isFixed reports whether the author says that a property must not vary. A resource of the kind "neither" is never
// replaced.
func (c *Contract) isFixed(path string) bool {
	if c.Neither && c.handler.isCreateOnly(path) {
		return true
	}
	named := index.ReplaceAllString(path, "")
	return slices.ContainsFunc(c.Fixed, func(f string) bool { return isWithin(path, f) || isWithin(named, f) })
}

// isWithin reports whether a path is another one, or leads to a part of what is there.
func isWithin(path, other string) bool { return strings.HasPrefix(path+".", other+".") }

// oneIdentity reports whether two versions are equal in what is tagged createOnly.
func (c *Contract) oneIdentity(v, w string) bool {
	return !c.handler.differInIdentity(c.properties(v), c.properties(w))
}

// hasProperty reports whether there is a property at a path, as far as its first name.
func (c *Contract) hasProperty(path string) bool {
	top, _, _ := strings.Cut(path, ".")
	_, known := c.handler.Properties[top]
	_, there := c.properties(original)[top]
	return known || there
}

// index matches the places of elements in a path.
var index = regexp.MustCompile(`\.[0-9]+\b`)

// at returns the value at a path, or nil.
func at(in any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch value := in.(type) {
		case map[string]any:
			in = value[name]
		case []any:
			i, _ := strconv.Atoi(name)
			if in = nil; i < len(value) {
				in = value[i]
			}
		default:
			return nil
		}
	}
	return in
}

// replaced returns a value with another one at a path; nil is left out there.
func replaced(in any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if list, ok := in.([]any); ok {
		list = slices.Clone(list)
		if i, _ := strconv.Atoi(path[0]); i < len(list) {
			list[i] = replaced(list[i], path[1:], value)
		}
		return list
	}
	object, _ := in.(map[string]any)
	object = maps.Clone(object)
	if object[path[0]] = replaced(object[path[0]], path[1:], value); object[path[0]] == nil {
		delete(object, path[0])
	}
	return object
}

// A varied is a version with a change, and the version that it is played from.
type varied struct {
	from, to string
	turn     int // its number among all, which decides in which of the ways it is played
}

// change returns the change.
func (v varied) change() change {
	_, ch, _ := cutChange(v.to)
	return ch
}

// varied returns a version with a change, and the version that it is played from.
func (s *suite) varied(base string, ch change) varied {
	return varied{from: s.from(ch.in(base)), to: ch.in(base)}
}

// variedVersions returns all changes to play, those of Properties first. InPlace adds those of the properties that
// Properties do not have.
func (s *suite) variedVersions() (all []varied) {
	draws := 3
	if s.All {
		draws = 50
	}
	for seed := range draws {
		if s.Draw != nil {
			ch := change{Path: allOfThem, Kind: drawn, Param: strconv.Itoa(seed + 1)}
			all = append(all, varied{from: original, to: ch.in(original)})
		}
	}

	// One property after the other.
	has := s.properties(original)
	for _, ch := range s.changes(original) {
		all = append(all, s.varied(original, ch))
	}
	for _, ch := range s.changes(inPlace) {
		top, _, _ := strings.Cut(ch.Path, ".")
		switch {
		case ch.Path == allOfThem:
		case holdsNothing(has[top]):
			all = append(all, s.varied(inPlace, ch))
		}
	}
	return all
}

// holdsNothing reports whether a value is left out, or holds nothing.
func holdsNothing(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.Len() == 0
}
