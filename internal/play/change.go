package play

// Makes further properties: the Contract's own with one change each. Nothing here plays.
//
// The changes are listed, and not drawn by a library for property-based testing, such as pgregory.net/rapid. What is
// wrong with a handler depends on few kinds of values, so that a list meets them in dozens of plays where chance needs
// thousands. A change has a name, which is all that a line needs to play it again, and is the smallest of its kind, so
// that there is nothing to shrink. And whoever imports cfntest has no dependency more.

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
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
	return replaced(props, namesIn(ch.Path), value)
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
	_, ch, is := cutChange(to)
	switch {
	case !is, ch.From, !c.optionOf(to).told:
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

// properties returns the properties of a version, or of a type of the Contract's Others, as they are sent, or nil. A caller that
// changes them makes a copy.
func (c *Contract) properties(word string) map[string]any {
	sent, _ := c.once("sent "+word, func() any {
		props := c.version(word)
		if engine.IsCustomResource(word) {
			props = c.Others[word]
		}
		if props == nil {
			return nil
		}
		return simulate.Properties(props)
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
	return replaced(props, namesIn(path), at(all, path))
}

// oneIdentity reports whether two versions are equal in what is tagged createOnly.
func (c *Contract) oneIdentity(v, w string) bool {
	return !c.handler.differInIdentity(c.properties(v), c.properties(w))
}

// untaggedReplacing returns the properties of Replacing, if the handler's type tags none of those that differ in it, or nil.
func (c *Contract) untaggedReplacing() any {
	if c.Replacing != nil && c.handler.isTold() && c.oneIdentity(original, replacing) {
		return c.properties(replacing)
	}
	return nil
}

// hasProperty reports whether there is a property at a path, as far as its first name.
func (c *Contract) hasProperty(path string) bool {
	top, _, _ := strings.Cut(path, ".")
	_, known := c.handler.Properties[top]
	_, there := c.properties(original)[top]
	return known || there
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

// base returns the version that is changed, or, without a change, the one that it is played from.
func (v varied) base() string {
	if base, _, is := cutChange(v.to); is {
		return base
	}
	return v.from
}

// varied returns a version with a change, and the version that it is played from.
func (s *suite) varied(base string, ch change) varied {
	return varied{from: s.from(ch.in(base)), to: ch.in(base)}
}

// variedVersions returns all changes to play, those of Properties first. InPlace adds those of what Properties do not have.
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
		switch {
		case ch.Path == allOfThem:
		case holdsNothing(at(has, ch.Path)):
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
