package template

import (
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
func readMappings(section *source.Node, r *source.Report) map[string]mapping {
	all := map[string]mapping{}
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
		all[f.Name()] = m
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
