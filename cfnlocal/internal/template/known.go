package template

import (
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Custom is a custom resource of a plan as far as it is known before anything is deployed.
type Custom struct {
	Position        // of its logical ID
	Path            string
	LogicalID, Type string
	// Function is the logical ID of the function behind its ServiceToken, or the ARN of one that is
	// none of this template; "" if that is a topic of several, hidden, or not known yet.
	Function   string
	Properties Value // an object
}

// Attribute is a reference of a plan to an attribute of a custom resource.
type Attribute struct {
	Position
	Path            string
	LogicalID, Name string
}

// known is a value as far as it is known; n is where it is written. There is none if it is removed.
func (p *planner) known(e expr, n *source.Node) (_ Value, there bool) {
	v := Value{Position: p.report.Position(n), Path: n.Path()}
	switch e := e.(type) {
	// What is something else than it is written.
	case noValue:
		return v, false
	case parameterRef:
		v.Parameter = e.name
	case ifElse:
		branch, at := e.no, 2
		if p.conditions[e.condition] {
			branch, at = e.yes, 1
		}
		if len(n.Fields) == 1 && len(n.Fields[0].Value.Items) == 3 {
			n = n.Fields[0].Value.Items[at]
		}
		return p.known(branch, n)
	// What has parts, each in its place.
	case listExpr:
		if n.Kind != source.List || len(n.Items) != len(e.items) {
			return v, true
		}
		v.Form = List
		for i, item := range e.items {
			if item, there := p.known(item, n.Items[i]); there {
				v.Items = append(v.Items, item)
			}
		}
		return v, true
	case objectExpr:
		if n.Kind != source.Object || len(n.Fields) != len(e.names) {
			return v, true
		}
		v.Form = Object
		for i, name := range e.names {
			if value, there := p.known(e.values[i], n.Fields[i].Value); there {
				v.Members = append(v.Members, Member{
					Position: p.report.Position(n.Fields[i].Key),
					Path:     n.Fields[i].Value.Path(),
					Name:     name,
					Value:    value,
				})
			}
		}
		return v, true
	}
	// What a function comes to.
	computed, err := e.eval(&evaluation{decisions: p.decisions})
	if err != nil {
		return v, true // it refers to a resource, or deploying says what is wrong with it
	}
	if computed == any(noValue{}) {
		return v, false
	}
	return v.of(computed), true
}

func (p *planner) customResources(active []*resource, subscriptions []Subscription) (all []Custom) {
	for _, res := range active {
		if !engine.IsCustomResource(res.Type) {
			continue
		}
		p.checkToken(res)
		c := Custom{Position: p.report.Position(res.key), Path: res.at.Path(), LogicalID: res.LogicalID, Type: res.Type}
		if ids := p.providers(res.properties.get("ServiceToken"), subscriptions); len(ids) == 1 {
			c.Function = ids[0]
		}
		c.Properties = Value{Position: c.Position, Path: c.Path, Form: Object}
		if n := res.at.Get("Properties"); n != nil {
			c.Properties, _ = p.known(res.properties, n)
		}
		if token := c.Properties.member("ServiceToken"); c.Function == "" && !p.ofSecret(res.properties.get("ServiceToken")) {
			c.Function = token.Text
		}
		all = append(all, c)
	}
	return all
}

// attributesOf are the references to attributes of custom resources, each once, in the order of the
// file.
func (p *planner) attributesOf(active []*resource) (all []Attribute) {
	note := func(e expr) {
		a, ok := e.(attribute)
		if !ok || !engine.IsCustomResource(p.names.resources[a.id].Type) {
			return
		}
		if name, err := (&evaluation{decisions: p.decisions}).text(a.name, a.at, "the attribute's name"); err == nil {
			all = append(all, Attribute{p.report.Position(a.at), a.at.Path(), a.id, name})
		}
	}
	for _, res := range active {
		walk(res.properties, p.conditions, note)
		walk(res.metadata, p.conditions, note)
	}
	for _, o := range p.template.outputs {
		if p.includes(o.condition) {
			walk(o.value, p.conditions, note)
		}
	}
	slices.SortStableFunc(all, func(a, b Attribute) int { return a.Position.Compare(b.Position) })
	return slices.Compact(all)
}
