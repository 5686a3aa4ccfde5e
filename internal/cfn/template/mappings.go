package template

import (
	"iter"
	"maps"
	"regexp"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// mapping is one entry of Mappings: top-level key, second-level key, value.
type mapping map[string]map[string]any

// mapKey is what the keys of a mapping are made of ("Mappings": alphanumeric characters, '-' and '.').
var mapKey = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// CloudFormation's quotas.
const (
	maxMappings   = 200
	maxAttributes = 200 // of one mapping
)

// readMappings reads the section; its values are literal, strings or lists of strings.
func readMappings(section *source.Node, r *source.Report) map[string]*mapping {
	all := map[string]*mapping{}
	fields := r.Fields(section)
	if len(fields) > maxMappings {
		r.Errorf(section, "a template has at most %d mappings, and this one has %d", maxMappings, len(fields))
	}
	for _, f := range fields {
		r.CheckName(f.Key, "a mapping")
		m := mapping{}
		if f.Value.Kind != source.Object {
			r.Errorf(f.Value, "a mapping is an object of objects, and here is %s; write %s: {TopLevelKey: {SecondLevelKey: value}}", f.Value.Kind, f.Name())
		}
		for _, top := range f.Value.Fields {
			m[top.Name()] = readMapEntry(top, r)
		}
		if len(m) > maxAttributes {
			r.Errorf(f.Value, "a mapping has at most %d keys, and this one has %d", maxAttributes, len(m))
		}
		all[f.Name()] = &m
	}
	return all
}

func readMapEntry(top source.Field, r *source.Report) map[string]any {
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
		values[second.Name()] = readMapValue(second.Value, r)
	}
	return values
}

func readMapValue(n *source.Node, r *source.Report) any {
	switch n.Kind {
	case source.List:
		out := make([]any, 0, len(n.Items))
		for _, item := range n.Items {
			if item.Kind != source.Scalar {
				r.Errorf(item, "a list in a mapping holds single values, and here is %s", item.Describe())
				continue
			}
			out = append(out, item.Value)
		}
		return out
	case source.Object:
		r.Errorf(n, "the value of a mapping is a literal or a list of literals, and here is %s", n.Describe())
		return nil
	}
	return n.Value
}

// findInMap is Fn::FindInMap.
type findInMap struct {
	at       *source.Node
	mappings map[string]*mapping
	keys     [3]expr
	fallback expr // what stands for a missing entry, or nil
}

func (c *compiler) findInMap(at, argument *source.Node) expr {
	most := 3
	if c.settled != nil {
		most = 4
	} else if argument.Kind == source.List && len(argument.Items) == 4 {
		c.Errorf(argument.Items[3], "a default value for Fn::FindInMap belongs to AWS::LanguageExtensions; add Transform: %s", languageExtensions)
		return invalidExpr{}
	}
	items := c.arguments("Fn::FindInMap", argument, 3, most)
	if items == nil {
		return invalidExpr{}
	}
	f := findInMap{at: at, mappings: c.mappings}
	if len(items) == 4 {
		value := items[3].Get("DefaultValue")
		if value == nil || len(items[3].Fields) != 1 {
			c.Errorf(items[3], "the fourth argument of Fn::FindInMap is {DefaultValue: value}")
			return invalidExpr{}
		}
		f.fallback, items = c.expr(value), items[:3]
	}
	for i, item := range items {
		f.keys[i] = c.textual(item, "a key of Fn::FindInMap")
	}
	if f.fallback == nil {
		f.checkLiterals(c.Report, items)
	}
	return f
}

// checkLiterals looks up as far as the keys are written out.
func (f findInMap) checkLiterals(r *source.Report, items []*source.Node) {
	var keys []string
	for _, key := range f.keys {
		l, ok := key.(literal)
		if !ok {
			break
		}
		word, _ := source.Text(l.value)
		keys = append(keys, word)
	}
	if len(keys) == 0 {
		return
	}
	if missing, hint := f.find(keys); missing >= 0 {
		r.Errorf(items[missing], "%s", hint)
	}
}

// find checks keys level by level: the index of the first that is not there, or -1, and what to say of it.
func (f findInMap) find(keys []string) (missing int, hint string) {
	m := f.mappings[keys[0]]
	if m == nil {
		return 0, "there is no mapping " + source.Shorten(keys[0]) + source.DidYouMean(keys[0], maps.Keys(f.mappings))
	}
	if len(keys) < 2 {
		return -1, ""
	}
	top, ok := (*m)[keys[1]]
	if !ok {
		return 1, "the mapping " + keys[0] + " has no key " + source.Shorten(keys[1]) + source.DidYouMean(keys[1], maps.Keys(*m))
	}
	if len(keys) < 3 {
		return -1, ""
	}
	if _, ok := top[keys[2]]; !ok {
		return 2, "the key " + keys[1] + " of the mapping " + keys[0] + " has no key " + source.Shorten(keys[2]) + source.DidYouMean(keys[2], maps.Keys(top))
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
			return nil, ev.fail(f.at, "Fn::FindInMap finds no entry in the mapping %s for the value of key %d; add the entry, or allow only keys that are there with AllowedValues", source.Shorten(keys[0]), missing+1)
		}
		return nil, ev.fail(f.at, "%s", hint)
	}
	return ev.copy((*f.mappings[keys[0]])[keys[1]][keys[2]], f.at)
}

func (f findInMap) parts(map[string]bool) iter.Seq[expr] {
	return each(f.keys[0], f.keys[1], f.keys[2], f.fallback)
}
