package template

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// noEcho returns the values of parameters with NoEcho, defaults as well as given
// values, and the items of lists.
func (p *planner) noEcho() (values []string) {
	for _, parameter := range p.template.parameters {
		if !parameter.NoEcho {
			continue
		}
		switch v := p.parameters[parameter.Name].(type) {
		case string:
			values = append(values, v)
		case []any:
			for _, item := range v {
				s, _ := source.Text(item)
				values = append(values, s)
			}
		}
	}
	return values
}

// secrets returns the paths of values in a resource's properties that are made from parameters with
// NoEcho: joined, split or put into another text.
func (p *planner) secrets(e expr, at SecretPath) (paths []SecretPath) {
	switch e := p.pick(e).(type) {
	case nil:
		return nil
	case objectExpr:
		for i, name := range e.names {
			paths = append(paths, p.secrets(e.values[i], append(slices.Clone(at), name))...)
		}
	case listExpr:
		n := 0
		for _, item := range e.items {
			if p.pick(item) == nil { // it is left out of the list
				continue
			}
			paths = append(paths, p.secrets(item, append(slices.Clone(at), strconv.Itoa(n)))...)
			n++
		}
	default:
		if p.ofSecret(e) {
			paths = append(paths, at)
		}
	}
	return paths
}

// ofSecret reports whether an expression depends on a parameter with NoEcho.
func (p *planner) ofSecret(e expr) bool {
	return p.dependsOn(e, func(parameter string) bool { return p.names.parameters[parameter].NoEcho })
}

// SecretPath leads to a value within properties: names, and places in lists.
type SecretPath []string

// SecretValues returns the strings and numbers that paths lead to in properties.
func SecretValues(properties map[string]any, paths []SecretPath) (all []string) {
	for _, path := range paths {
		var v any = properties
		for _, step := range path {
			switch parent := v.(type) {
			case map[string]any:
				v = parent[step]
			case []any:
				i, err := strconv.Atoi(step)
				if v = nil; err == nil && 0 <= i && i < len(parent) {
					v = parent[i]
				}
			default:
				v = nil
			}
		}
		all = collectTexts(all, v)
	}
	return all
}

func collectTexts(all []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case json.Number:
		return append(all, v.String())
	case []any:
		for _, e := range v {
			all = collectTexts(all, e)
		}
	case map[string]any:
		for _, e := range v {
			all = collectTexts(all, e)
		}
	}
	return all
}
