package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Difference is a property that differs from the template: its path, as a JSON pointer, and both
// values as JSON, "" for a missing value.
type Difference struct {
	Path             string
	Expected, Actual string
}

// Type returns the API's word for the difference.
func (d *Difference) Type() string {
	switch {
	case d.Actual == "":
		return "REMOVE"
	case d.Expected == "":
		return "ADD"
	}
	return "NOT_EQUAL"
}

// Differences compares a resource with the properties that a template gives it. It compares only
// these, except those that are writeOnly or readOnly, at any depth [D]. The order of a list whose
// insertionOrder is false does not count.
func (s *Schema) Differences(template, resource map[string]any) []Difference {
	c := &comparison{schema: s}
	for _, name := range slices.Concat(paths(s.WriteOnly), paths(s.ReadOnly)) {
		c.apart = append(c.apart, strings.Split(name, "/"))
	}
	want, _ := c.open(template, nil)
	is, _ := c.open(resource, nil)
	c.object(want.(map[string]any), is.(map[string]any), &Property{Properties: s.Properties}, "", 0)
	return c.found
}

// Placed returns the part of a path in a template that leads to the same place in a Difference. It ends
// at a list whose order does not count, since that is compared in another order. A path consists of
// names and indexes.
func (s *Schema) Placed(path []string) []string {
	p := &Property{Properties: s.Properties}
	for i, step := range path {
		p = s.Resolve(p)
		if p.InsertionOrder != nil && !*p.InsertionOrder {
			return path[:i]
		}
		if known, _ := exactly(p, step); known != nil {
			p = known
		} else {
			p = p.Items
		}
	}
	return path
}

// A comparison collects differences.
type comparison struct {
	schema *Schema
	apart  [][]string // paths to values that are not compared; * is each element, and each name
	found  []Difference
}

// open returns the value at a path of names without the parts that are not compared, and whether
// anything is left of it.
func (c *comparison) open(v any, names []string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			here := slices.Concat(names, []string{escaped.Replace(name)})
			if slices.ContainsFunc(c.apart, func(path []string) bool { return leadsTo(path, here) }) {
				continue
			}
			if value, some := c.open(member, here); some {
				out[name] = value
			}
		}
		return out, len(out) > 0 || len(v) == 0
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i], _ = c.open(element, slices.Concat(names, []string{"*"}))
		}
		return out, true
	}
	return v, true
}

// leadsTo reports whether the path of a schema leads to names. Some schemas leave out the * for a
// list's elements.
func leadsTo(path, names []string) bool {
	reached := []int{0} // how many steps of the path the names so far may match
	for _, name := range names {
		var next []int
		for _, steps := range reached {
			if name == "*" && !slices.Contains(next, steps) {
				next = append(next, steps)
			}
			if steps < len(path) && (path[steps] == name || path[steps] == "*") {
				next = append(next, steps+1)
			}
		}
		reached = next
	}
	return slices.Contains(reached, len(path))
}

// escaped replaces characters in a name as JSON pointers do.
var escaped = strings.NewReplacer("~", "~0", "/", "~1")

func (c *comparison) differ(path string, expected, actual any) {
	if len(c.found) < mostFound {
		c.found = append(c.found, Difference{path, compact(expected), compact(actual)})
	}
}

// An absence is a missing value.
type absence struct{}

func compact(v any) string {
	if v == (absence{}) {
		return ""
	}
	text, _ := encode(v, "") // a value that was read as JSON can be written
	return strings.TrimSpace(string(text))
}

func (c *comparison) object(expected, actual map[string]any, p *Property, path string, depth int) {
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		at := path + "/" + escaped.Replace(name)
		is, there := actual[name]
		if !there || is == nil {
			c.differ(at, expected[name], absence{})
			continue
		}
		known, _ := exactly(p, name)
		c.value(expected[name], is, known, at, depth+1)
	}
}

func (c *comparison) value(expected, actual any, p *Property, path string, depth int) {
	p = c.schema.Resolve(p)
	switch want := expected.(type) {
	case map[string]any:
		if is, ok := actual.(map[string]any); ok && depth < deepest {
			c.object(want, is, p, path, depth)
			return
		}
	case []any:
		if is, ok := actual.([]any); ok && depth < deepest {
			c.list(want, is, p, path, depth)
			return
		}
	default:
		if same(expected, actual) {
			return
		}
	}
	c.differ(path, expected, actual)
}

func (c *comparison) list(want, is []any, p *Property, path string, depth int) {
	if p.InsertionOrder != nil && !*p.InsertionOrder {
		want, is = sorted(want), sorted(is)
	}
	for i := range max(len(want), len(is)) {
		at := path + "/" + strconv.Itoa(i)
		switch {
		case i >= len(is):
			c.differ(at, want[i], absence{})
		case i >= len(want):
			c.differ(at, absence{}, is[i])
		default:
			c.value(want[i], is[i], p.Items, at, depth+1)
		}
	}
}

func sorted(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(compact(a), compact(b)) })
}

// same reports whether two single values are equal. 1.0 equals 1, and no number equals a string.
func same(a, b any) bool {
	x, isNumber := numberOf(compact(a)) // a string is in quotes, and so not a number
	y, areNumbers := numberOf(compact(b))
	if isNumber && areNumbers {
		return x.Cmp(y) == 0
	}
	return compact(a) == compact(b)
}
