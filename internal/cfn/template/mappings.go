package template

import (
	"iter"
	"maps"
	"regexp"
)

// mapping is one entry of Mappings: top-level key, second-level key, value.
type mapping map[string]map[string]any

// mapKey is what the keys of a mapping are made of ("Mappings": alphanumeric characters, '-' and '.').
var mapKey = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// readMappings reads the section; its values are literal, strings or lists of strings.
func readMappings(section *node, r *report) map[string]*mapping {
	all := map[string]*mapping{}
	fields := fieldsOf(section, r)
	if len(fields) > maxMappings {
		r.errorf(section, "a template has at most %d mappings, and this one has %d", maxMappings, len(fields))
	}
	for _, f := range fields {
		checkName(f.key, "a mapping", r)
		m := mapping{}
		if f.value.kind != object {
			r.errorf(f.value, "a mapping is an object of objects, and here is %s; write %s: {TopLevelKey: {SecondLevelKey: value}}", f.value.kind, f.name())
		}
		for _, top := range f.value.fields {
			m[top.name()] = readMapEntry(top, r)
		}
		if len(m) > maxAttributes {
			r.errorf(f.value, "a mapping has at most %d keys, and this one has %d", maxAttributes, len(m))
		}
		all[f.name()] = &m
	}
	return all
}

func readMapEntry(top field, r *report) map[string]any {
	values := map[string]any{}
	if top.value.kind != object {
		r.errorf(top.value, "a mapping has two levels of keys, and below %s is %s; write %s: {SecondLevelKey: value}", shorten(top.name()), kindOf(top.value), shorten(top.name()))
	}
	for _, second := range top.value.fields {
		for _, key := range []*node{top.key, second.key} {
			if !mapKey.MatchString(key.name) {
				r.errorf(key, "keys of mappings are letters, digits, hyphens and periods, and %s has others; functions are not allowed in mappings", shorten(key.name))
			}
		}
		values[second.name()] = readMapValue(second.value, r)
	}
	return values
}

func readMapValue(n *node, r *report) any {
	switch n.kind {
	case list:
		out := make([]any, 0, len(n.items))
		for _, item := range n.items {
			if item.kind != scalar {
				r.errorf(item, "a list in a mapping holds single values, and here is %s", kindOf(item))
				continue
			}
			out = append(out, item.value)
		}
		return out
	case object:
		r.errorf(n, "the value of a mapping is a literal or a list of literals, and here is %s", kindOf(n))
		return nil
	}
	return n.value
}

// findInMap is Fn::FindInMap.
type findInMap struct {
	at       *node
	mappings map[string]*mapping
	keys     [3]expr
	fallback expr // what stands for a missing entry, or nil
}

func (c *compiler) findInMap(at, argument *node) expr {
	most := 3
	if c.settled != nil {
		most = 4
	} else if argument.kind == list && len(argument.items) == 4 {
		c.errorf(argument.items[3], "a default value for Fn::FindInMap belongs to AWS::LanguageExtensions; add Transform: %s", languageExtensions)
		return invalidExpr{}
	}
	items := c.arguments("Fn::FindInMap", argument, 3, most)
	if items == nil {
		return invalidExpr{}
	}
	f := findInMap{at: at, mappings: c.mappings}
	if len(items) == 4 {
		value := items[3].get("DefaultValue")
		if value == nil || len(items[3].fields) != 1 {
			c.errorf(items[3], "the fourth argument of Fn::FindInMap is {DefaultValue: value}")
			return invalidExpr{}
		}
		f.fallback, items = c.expr(value), items[:3]
	}
	for i, item := range items {
		f.keys[i] = c.textual(item, "a key of Fn::FindInMap")
	}
	if f.fallback == nil {
		f.checkLiterals(c.report, items)
	}
	return f
}

// checkLiterals looks up as far as the keys are written out.
func (f findInMap) checkLiterals(r *report, items []*node) {
	var keys []string
	for _, key := range f.keys {
		l, ok := key.(literal)
		if !ok {
			break
		}
		word, _ := text(l.value)
		keys = append(keys, word)
	}
	if len(keys) == 0 {
		return
	}
	if missing, hint := f.find(keys); missing >= 0 {
		r.errorf(items[missing], "%s", hint)
	}
}

// find checks keys level by level: the index of the first that is not there, or -1, and what to say of it.
func (f findInMap) find(keys []string) (missing int, hint string) {
	m := f.mappings[keys[0]]
	if m == nil {
		return 0, "there is no mapping " + shorten(keys[0]) + didYouMean(keys[0], maps.Keys(f.mappings))
	}
	if len(keys) < 2 {
		return -1, ""
	}
	top, ok := (*m)[keys[1]]
	if !ok {
		return 1, "the mapping " + keys[0] + " has no key " + shorten(keys[1]) + didYouMean(keys[1], maps.Keys(*m))
	}
	if len(keys) < 3 {
		return -1, ""
	}
	if _, ok := top[keys[2]]; !ok {
		return 2, "the key " + keys[1] + " of the mapping " + keys[0] + " has no key " + shorten(keys[2]) + didYouMean(keys[2], maps.Keys(top))
	}
	return -1, ""
}

func (f findInMap) eval(ev *evaluation) (any, error) {
	keys := make([]string, len(f.keys))
	for i, e := range f.keys {
		key, err := ev.text(e, f.at, "a key of Fn::FindInMap")
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	missing, hint := f.find(keys)
	if missing >= 0 && f.fallback != nil {
		return f.fallback.eval(ev)
	}
	if missing >= 0 {
		if _, written := f.keys[missing].(literal); !written {
			// The key may be a parameter's value: say where it comes from, not what it is.
			return nil, ev.fail(f.at, "Fn::FindInMap finds no entry in the mapping %s for the value of key %d; add the entry, or allow only keys that are there with AllowedValues", shorten(keys[0]), missing+1)
		}
		return nil, ev.fail(f.at, "%s", hint)
	}
	return ev.copy((*f.mappings[keys[0]])[keys[1]][keys[2]], f.at)
}

func (f findInMap) parts(map[string]bool) iter.Seq[expr] {
	return each(f.keys[0], f.keys[1], f.keys[2], f.fallback)
}
