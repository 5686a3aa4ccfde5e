package template

import (
	"slices"
	"strconv"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// noEcho returns the values of parameters with NoEcho, the default as well as
// what was given, and the items of those that are lists.
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

// secrets returns where a resource's properties hold what was made of parameters
// with NoEcho: joined, split or put into another text.
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

// ofSecret says whether an expression depends on a parameter with NoEcho.
func (p *planner) ofSecret(e expr) bool {
	return p.dependsOn(e, func(parameter string) bool { return p.names.parameters[parameter].NoEcho })
}
