package play

// The places in properties at which there is something to change, and what the kinds of change_kind.go offer for each.

import (
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

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
	maps.DeleteFunc(found, func(path string, _ []option) bool { return c.isFixed(path) })
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
	names := slices.Sorted(maps.Keys(at.mapping()))
	switch {
	case at.of == objects:
		names = at.possibleNames()
	case len(names) > 1:
		names = names[:1] // the names in a map are alike
	}
	for _, name := range names {
		at.member(name, at.mapping()[name]).visit(found)
	}
}

// possibleNames returns the names of the members that an object has, or could have. There is none of an object that is left out.
func (at place) possibleNames() []string {
	if at.mapping() == nil {
		return nil
	}
	names := slices.Concat(slices.Collect(maps.Keys(at.schema.Properties)), slices.Collect(maps.Keys(at.mapping())))
	slices.Sort(names)
	return slices.Compact(names)
}

// member returns the place of a member, with a value.
func (at place) member(name string, value any) place {
	of := at.schema.Properties[name]
	if at.of&mappings != 0 {
		of = mappedTo(at.schema)
	}
	return at.inside(inPath(at.path, name), of, value, at.of&mappings == 0)
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

// isFixed reports whether the author says that a property must not vary. A resource of the kind "neither" is never
// replaced.
func (c *Contract) isFixed(path string) bool {
	if c.Neither && c.handler.isCreateOnly(path) {
		return true
	}
	path = readable(path)
	named := index.ReplaceAllString(path, "")
	return slices.ContainsFunc(c.Fixed, func(f string) bool { return isWithin(path, f) || isWithin(named, f) })
}
