package template

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const typeStack = "AWS::CloudFormation::Stack"

// StandIn is given in place of a nested stack's template to have a stand-in without effect.
const StandIn = "stand-in"

// nested checks that a nested stack is to be a stand-in: what is within it is not played.
func (p *planner) nested(res *resource, given map[string]string) {
	if given[res.LogicalID] != StandIn {
		p.report.errorf(res.key, "the nested stack %s is not played here; deploy its template by itself, and let a stand-in without effect take its place with --nested %s=%s", res.LogicalID, res.LogicalID, StandIn)
		return
	}
	p.report.warnf(res.key, "a stand-in without effect takes the place of the nested stack %s; its outputs are made up, unless --attribute %s.Outputs.NAME=VALUE gives them", res.LogicalID, res.LogicalID)
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
