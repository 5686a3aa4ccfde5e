package template

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const typeStack = "AWS::CloudFormation::Stack"

// StandIn is given in place of a nested stack to have a stand-in without effect.
const StandIn = "stand-in"

// nested checks that something takes the place of a nested stack: what is within it is not played.
func (p *planner) nested(res *resource) {
	id := res.LogicalID
	switch stack := p.nests[id]; stack {
	case "":
		p.report.errorf(res.key, "the nested stack %s is not played here; deploy its template as a stack of its own and let that take its place with --nested %s=STACK, or let a stand-in without effect with --nested %s=%s", id, id, id, StandIn)
	case StandIn:
		p.report.warnf(res.key, "a stand-in without effect takes the place of the nested stack %s; its outputs are made up, unless --attribute %s.Outputs.NAME=VALUE gives them", id, id)
	default:
		p.report.warnf(res.key, "the stack %s takes the place of the nested stack %s: its outputs are used as they are now, and it is created, updated and deleted by itself", shorten(stack), id)
	}
}

// outputOf reports an output that the stack in place of a nested one does not have.
func (p *planner) outputOf(a attribute) {
	stack := p.nests[a.id]
	if stack == "" || stack == StandIn || p.names.resources[a.id].Type != typeStack {
		return
	}
	name, err := (&evaluation{decisions: p.decisions}).text(a.name, a.at, "the attribute's name")
	if _, known := p.attributes[a.id+"."+name]; err == nil && !known {
		p.report.errorf(a.at, "the stack %s has no output %s, which is asked of the nested stack %s", shorten(stack), shorten(strings.TrimPrefix(name, "Outputs.")), a.id)
	}
}

// attributesGiven are the values that are given for attributes of stand-ins: a JSON array is a list, anything else text.
func (p *planner) attributesGiven(given map[string]string) map[string]any {
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		id, attribute, dotted := strings.Cut(name, ".")
		res := p.names.resources[id]
		switch {
		case !dotted || attribute == "":
			p.report.errorf(&node{}, "--attribute %s names no attribute; write --attribute RESOURCE.ATTRIBUTE=VALUE", shorten(name))
			continue
		case res == nil:
			p.report.errorf(&node{}, "--attribute %s names a resource that the template does not have%s", shorten(name), didYouMean(id, maps.Keys(p.names.resources)))
			continue
		case isCustom(res.Type):
			p.report.errorf(&node{}, "--attribute %s is of a custom resource, whose handler gives its attributes; remove it", shorten(name))
			continue
		}
		var list []any
		if json.Unmarshal([]byte(value), &list) == nil {
			all[name] = list
		} else {
			all[name] = value
		}
	}
	return all
}
