package template

import (
	"maps"
	"regexp"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// mappings are the section: a mapping's name, top-level key, second-level key, value.
type mappings map[string]map[string]map[string]any

// mapKey is what the keys of a mapping are made of ("Mappings": alphanumeric characters, '-' and
// '.').
var mapKey = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// CloudFormation's quotas.
const (
	maxMappings   = 200
	maxAttributes = 200 // of one mapping
)

// readMappings reads the section; its values are literal: strings, or lists of strings or objects.
func readMappings(section *source.Node, r *source.Report) mappings {
	all := mappings{}
	fields := r.Fields(section)
	if len(fields) > maxMappings {
		r.Errorf(section, "a template has at most %d mappings, and this one has %d", maxMappings, len(fields))
	}
	for _, f := range fields {
		r.CheckName(f.Key, "a mapping")
		m := map[string]map[string]any{}
		if f.Value.Kind != source.Object {
			r.Errorf(f.Value, "a mapping must be an object of objects, not %s; write %s: {TopLevelKey: {SecondLevelKey: value}}", f.Value.Kind, f.Name())
		}
		for _, top := range f.Value.Fields {
			m[top.Name()] = readTopLevelKey(top, r)
		}
		if len(m) > maxAttributes {
			r.Errorf(f.Value, "a mapping has at most %d keys, and this one has %d", maxAttributes, len(m))
		}
		all[f.Name()] = m
	}
	return all
}

func readTopLevelKey(top source.Field, r *source.Report) map[string]any {
	values := map[string]any{}
	if top.Value.Kind != source.Object {
		r.Errorf(top.Value, "a mapping has two levels of keys, and below %s is %s; write %s: {SecondLevelKey: value}", source.Shorten(top.Name()), top.Value.Describe(), source.Shorten(top.Name()))
	}
	for _, second := range top.Value.Fields {
		for _, key := range []*source.Node{top.Key, second.Key} {
			if !mapKey.MatchString(key.Name) {
				r.Errorf(key, "keys of mappings are letters, digits, hyphens and periods, and %s has others; functions are not allowed in mappings", source.Shorten(key.Name))
			}
		}
		values[second.Name()] = readMappingValue(second.Value, r)
	}
	return values
}

func readMappingValue(n *source.Node, r *source.Report) any {
	if n.Kind == source.Object {
		r.Errorf(n, "the value of a mapping must be a literal or a list of literals, not %s", n.Describe())
		return nil
	}
	return readMappingLiteral(n, r)
}

func readMappingLiteral(n *source.Node, r *source.Report) any {
	switch {
	case n.IsCall():
		r.Errorf(n, "%s is not allowed in mappings", n.Describe())
		return nil
	case n.Kind == source.List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = readMappingLiteral(item, r)
		}
		return out
	case n.Kind == source.Object:
		out := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			out[f.Name()] = readMappingLiteral(f.Value, r)
		}
		return out
	}
	return n.Value
}

// find looks keys up level by level: it returns the index of the first that is missing, or -1.
func (m mappings) find(keys []string) (missing int) {
	top, ok := m[keys[0]]
	if !ok {
		return 0
	}
	if len(keys) < 2 {
		return -1
	}
	second, ok := top[keys[1]]
	if !ok {
		return 1
	}
	if len(keys) < 3 {
		return -1
	}
	if _, ok := second[keys[2]]; !ok {
		return 2
	}
	return -1
}

// whyMissing is a message about the missing key at an index, with a clause about where the key comes
// from.
func (m mappings) whyMissing(keys []string, missing int, from string) string {
	key := source.Shorten(keys[missing]) + from
	switch missing {
	case 0:
		return "there is no mapping " + key + source.DidYouMean(keys[0], maps.Keys(m))
	case 1:
		return "the mapping " + keys[0] + " has no key " + key + source.DidYouMean(keys[1], maps.Keys(m[keys[0]]))
	}
	return "the key " + keys[1] + " of the mapping " + keys[0] + " has no key " + key + source.DidYouMean(keys[2], maps.Keys(m[keys[0]][keys[1]]))
}

// plainKeys are the functions that a key of Fn::FindInMap may have without AWS::LanguageExtensions.
var plainKeys = []string{"Ref", "Fn::FindInMap"}

// findInMap is Fn::FindInMap: a value of a mapping.
type findInMap struct{}

func (findInMap) compile(c *compiler, f call) expr {
	items := f.items
	var fallback expr // the value for a missing entry, or nil
	if len(items) == 4 {
		value := items[3].Get("DefaultValue")
		if value == nil || len(items[3].Fields) != 1 {
			return c.invalid(items[3], "the fourth argument of Fn::FindInMap must be {DefaultValue: value}")
		}
		fallback, items = c.expr(value), items[:3]
	}
	// The keys, which are checked as far as they are written out.
	var keys []expr
	for _, item := range items {
		name, _, isCall := c.function(item)
		isPlain := !isCall || slices.Contains(plainKeys, name)
		if c.settled == nil && !isPlain {
			c.Checkf(item, "a key of Fn::FindInMap must be made with Ref or Fn::FindInMap, not %s; add Transform: %s", source.Shorten(name), languageExtensions)
		}
		keys = append(keys, c.textual(item, "a key of Fn::FindInMap"))
	}
	if fallback == nil {
		c.findWritten(keys, items)
	}
	// The entry, once the keys are known.
	mappings := c.mappings
	return applied{append(keys, fallback), func(ev *evaluation) (any, error) {
		var words [3]string
		for i, key := range keys {
			word, err := ev.text(key, f.at, "a key of Fn::FindInMap")
			if err != nil {
				return nil, err
			}
			words[i] = word
		}
		missing := mappings.find(words[:])
		if missing >= 0 && fallback != nil {
			return ev.eval(fallback)
		}
		if missing >= 0 {
			from, shown := c.originOf(keys[missing], ev)
			if !shown {
				return nil, ev.fail(f.at, "Fn::FindInMap finds no entry in the mapping %s for the value of key %d, which is hidden; add the entry, or allow only existing keys with AllowedValues", source.Shorten(words[0]), missing+1)
			}
			return nil, ev.fail(f.at, "%s", mappings.whyMissing(words[:], missing, from))
		}
		return ev.copy(mappings[words[0]][words[1]][words[2]], f.at)
	}}
}

// originOf is a clause about where a key comes from, or "", and whether the key may be shown.
func (c *compiler) originOf(key expr, ev *evaluation) (clause string, shown bool) {
	if ev.dependsOn(key, func(parameter string) bool { return c.parameters[parameter].NoEcho }) {
		return "", false
	}
	switch key := key.(type) {
	case parameterRef:
		if _, given := ev.stack.Parameters[key.name]; given {
			return ", the value given for the parameter " + key.name, true
		}
		return ", the default of the parameter " + key.name, true
	case pseudoRef:
		return ", which is " + key.name, true
	}
	return "", true
}

// findWritten looks up as far as the keys are written out.
func (c *compiler) findWritten(keys []expr, items []*source.Node) {
	var words []string
	for _, key := range keys {
		l, ok := key.(literal)
		if !ok {
			break
		}
		word, _ := source.Text(l.value)
		words = append(words, word)
	}
	if len(words) == 0 {
		return
	}
	if missing := c.mappings.find(words); missing >= 0 {
		c.Errorf(items[missing], "%s", c.mappings.whyMissing(words, missing, ""))
	}
}
