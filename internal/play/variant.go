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
type change struct{ Path, Kind string }

// The changes that do not depend on the property's type.
const (
	leftOut   = "left-out"
	drawn     = "draw-" // and the seed
	allOfThem = "*"     // the path of all properties
)

// in returns the name of a version with the change.
func (ch change) in(base string) string { return base + "[" + ch.Path + "=" + ch.Kind + "]" }

// cutChange splits the name of a version into that and the change, if it has one.
func cutChange(word string) (base string, ch change, ok bool) {
	base, rest, ok := strings.Cut(word, "[")
	if ok {
		ch.Path, ch.Kind, ok = strings.Cut(strings.TrimSuffix(rest, "]"), "=")
	}
	return base, ch, ok
}

// isChanged reports whether the name of a version has a change.
func isChanged(word string) bool { return strings.Contains(word, "[") }

// changed returns the properties of a version with a change, or nil if they have no change of that name.
func (c *Contract) changed(base string, ch change) any {
	props := c.properties(base)
	if props == nil {
		return nil
	}
	if seed, ok := strings.CutPrefix(ch.Kind, drawn); ok {
		return c.drawnAt(props, ch.Path, seed)
	}
	if ch.Path == allOfThem {
		return c.changedAtOnce(props, ch.Kind)
	}
	if value, ok := c.changedValue(props, ch); ok {
		return replaced(props, strings.Split(ch.Path, "."), value)
	}
	return nil
}

// changedValue returns the property's value after a change, and whether there is such a change.
func (c *Contract) changedValue(props map[string]any, ch change) (value any, ok bool) {
	top, _, _ := strings.Cut(ch.Path, ".")
	for _, o := range c.options(props, top)[ch.Path] {
		if o.kind == ch.Kind {
			return o.value(), true
		}
	}
	return nil, false
}

// repeats reports whether a list has an entry twice.
func repeats(value any) bool {
	list, _ := value.([]any)
	for i, entry := range list {
		if slices.ContainsFunc(list[:i], func(former any) bool { return reflect.DeepEqual(former, entry) }) {
			return true
		}
	}
	return false
}

// atOnce are the kinds of changes that all properties but the createOnly ones can have at once.
var atOnce = []string{leftOut, "zero"}

// changedAtOnce returns properties with the change wherever it is allowed: a required property is not left out, and the
// zero of a boolean is false.
func (c *Contract) changedAtOnce(props map[string]any, kind string) any {
	var changed any = props
	for path, all := range c.options(props, "") {
		for _, o := range all {
			is := o.kind == kind || kind == "zero" && o.kind == "turned" && o.value() == "false"
			if is && !c.handler.isCreateOnly(path) && !slices.Contains(c.handler.Required, path) && !strings.Contains(path, ".") {
				changed = replaced(changed, []string{path}, o.value())
			}
		}
	}
	if !slices.Contains(atOnce, kind) || reflect.DeepEqual(changed, props) {
		return nil
	}
	return changed
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
	value, known := c.made.Load(key)
	if !known {
		value, _ = c.made.LoadOrStore(key, f())
	}
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
	byPath := c.options(c.properties(base), "")
	paths := slices.Sorted(maps.Keys(byPath))
	for i, more := 0, true; more; i++ {
		more = false
		for _, path := range paths {
			if i < len(byPath[path]) {
				more = true
				all = append(all, change{path, byPath[path][i].kind})
			}
		}
	}
	return all
}

// An option is another value that a property can have; nil leaves it out.
type option struct {
	kind  string
	value func() any
}

// options returns, by path, the other values that each property can have by its type: only those in one property,
// unless only is "".
func (c *Contract) options(props map[string]any, only string) map[string][]option {
	w := &walk{found: map[string][]option{}, handler: c.handler}
	known := c.handler.Properties
	if known == nil {
		known = guessed(props).Properties
	}
	others := []map[string]any{c.properties(inPlace), c.properties(replacing)}
	for name, p := range known {
		if only != "" && name != only {
			continue
		}
		value, there := props[name]
		for i, other := range others { // the author's own values come first
			if to, ok := other[name]; ok && !reflect.DeepEqual(to, value) {
				w.add(name, option{versions[i+1], func() any { return to }})
			}
		}
		if to, ok := others[0][name]; ok && there && !reflect.DeepEqual(to, value) {
			w.add(name, option{"removed", func() any { return nil }}) // from InPlace: the value here may be the default
		}
		if there {
			w.add(name, option{leftOut, func() any { return nil }})
		}
		w.visit(name, p, value)
	}
	maps.DeleteFunc(w.found, func(path string, _ []option) bool { return !writable.MatchString(path) || c.isFixed(path) })
	return w.found
}

// writable matches the paths, and the names of members, that a line can have.
var writable = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// isFixed reports whether the author says that a property must not vary. A resource of the kind "neither" is never
// replaced.
func (c *Contract) isFixed(path string) bool {
	named := index.ReplaceAllString(path, "")
	return c.Neither && c.handler.isCreateOnly(path) || slices.ContainsFunc(c.Fixed, func(f string) bool {
		return strings.HasPrefix(path+".", f+".") || strings.HasPrefix(named+".", f+".")
	})
}

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

// secretsOf returns the secrets in a version, by their paths.
func (c *Contract) secretsOf(word string) map[string]string {
	found, secrets := map[string]any{}, map[string]string{}
	for _, pointer := range c.handler.WriteOnly {
		maps.Copy(found, valuesAt(c.properties(word), pointer))
	}
	for path, value := range found {
		collectTexts(value, path, secrets)
	}
	return secrets
}

// collectTexts collects the texts in a value, by their paths.
func collectTexts(in any, at string, found map[string]string) {
	switch in := in.(type) {
	case string:
		found[at] = in
	case []any:
		for i, element := range in {
			collectTexts(element, at+"."+strconv.Itoa(i), found)
		}
	case map[string]any:
		for name, member := range in {
			collectTexts(member, at+"."+name, found)
		}
	}
}

// A varied is a version with a change, and the version that it is compared to.
type varied struct {
	from, to string
	turn     int // its number among all, which decides in which of the ways it is played
}

// varied returns a version with a change, and the version that it is played from.
func (s *suite) varied(base string, ch change) varied {
	if from := ch.from(base); s.version(from) != nil {
		return varied{from: from, to: ch.in(base)}
	}
	return varied{from: base, to: ch.in(base)}
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
			all = append(all, varied{from: original, to: change{allOfThem, drawn + strconv.Itoa(seed+1)}.in(original)})
		}
	}
	for _, kind := range atOnce {
		if ch := (change{allOfThem, kind}); s.changed(original, ch) != nil {
			all = append(all, varied{from: original, to: ch.in(original)})
		}
	}
	has := s.properties(original)
	for _, ch := range s.changes(original) {
		all = append(all, s.varied(original, ch))
	}
	for _, ch := range s.changes(inPlace) {
		top, _, _ := strings.Cut(ch.Path, ".")
		if v := reflect.ValueOf(has[top]); !v.IsValid() || v.Len() == 0 {
			all = append(all, s.varied(inPlace, ch))
		}
	}
	return all
}

// guessed returns the type that a value seems to have.
func guessed(value any) *schema.Property {
	p := &schema.Property{Type: "string"}
	switch value := value.(type) {
	case map[string]any:
		p.Type, p.Properties = "object", map[string]*schema.Property{}
		for name, member := range value {
			p.Properties[name] = guessed(member)
		}
	case []any:
		p.Type = "array"
		if len(value) > 0 {
			p.Items = guessed(value[0])
		}
	case string:
		if _, err := strconv.ParseInt(value, 10, 64); err == nil {
			p.Type = "integer"
		} else if value == "true" || value == "false" {
			p.Type = "boolean"
		}
	}
	return p
}
