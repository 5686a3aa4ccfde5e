package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Custom is a custom resource of a plan as far as it is known before anything is deployed.
type Custom struct {
	Position        // of its logical ID
	Path            string
	LogicalID, Type string
	// Function is the logical ID of the function behind its ServiceToken, or "" if that is none of this template.
	Function   string
	Properties Value // an object
}

// Attribute is a reference of a plan to an attribute of a custom resource.
type Attribute struct {
	Position
	Path            string
	LogicalID, Name string
}

// Value is a value of a template as far as it is known, with its place.
type Value struct {
	Position
	Path string
	Form Form
	Text string // of a Scalar: in a message it is nobody's business
	// Parameter is the name of the parameter whose value it is, or "".
	Parameter string
	Items     []Value  // of a List
	Members   []Member // of an Object, in the order of the file
}

// Member is one entry of an object.
type Member struct {
	Position // of its name
	Path     string
	Name     string
	Value    Value
}

// Form is what a value is.
type Form int

// The forms.
const (
	Unknown Form = iota // until resources exist, or until CloudFormation resolves a dynamic reference
	Scalar
	List
	Object
)

// Get is the value under a name of an object, and whether it has one.
func (v *Value) Get(name string) (*Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value, true
		}
	}
	return nil, false
}

// known is a value as far as it is known; n is where it is written. There is none if it is removed.
func (p *planner) known(e expr, n *node) (_ Value, there bool) {
	v := Value{Position: p.report.position(n), Path: n.path()}
	switch e := e.(type) {
	case noValue:
		return v, false
	case parameterRef:
		v.Parameter = e.name
	case ifElse:
		branch, at := e.no, 2
		if p.conditions[e.condition] {
			branch, at = e.yes, 1
		}
		if len(n.fields) == 1 && len(n.fields[0].value.items) == 3 {
			n = n.fields[0].value.items[at]
		}
		return p.known(branch, n)
	case listExpr:
		if n.kind != list || len(n.items) != len(e.items) {
			return v, true
		}
		v.Form = List
		for i, item := range e.items {
			if item, there := p.known(item, n.items[i]); there {
				v.Items = append(v.Items, item)
			}
		}
		return v, true
	case objectExpr:
		if n.kind != object || len(n.fields) != len(e.names) {
			return v, true
		}
		v.Form = Object
		for i, name := range e.names {
			if value, there := p.known(e.values[i], n.fields[i].value); there {
				v.Members = append(v.Members, Member{p.report.position(n.fields[i].key), n.fields[i].value.path(), name, value})
			}
		}
		return v, true
	}
	computed, err := e.eval(&evaluation{decisions: p.decisions})
	if err != nil {
		return v, true // it refers to a resource, or deploying says what is wrong with it
	}
	return v.of(computed)
}

// of is the value that a function came to, all of which stands at its place.
func (v Value) of(computed any) (_ Value, there bool) {
	if computed == any(noValue{}) {
		return v, false
	}
	if s, ok := text(computed); ok {
		if !strings.Contains(s, "{{resolve:") {
			v.Form, v.Text = Scalar, s
		}
		return v, true
	}
	if items, ok := asList(computed); ok {
		v.Form = List
		for i, item := range items {
			below := Value{Position: v.Position, Path: v.Path + "/" + strconv.Itoa(i), Parameter: v.Parameter}
			if item, there := below.of(item); there {
				v.Items = append(v.Items, item)
			}
		}
		return v, true
	}
	if members, ok := computed.(map[string]any); ok {
		v.Form = Object
		for _, name := range slices.Sorted(maps.Keys(members)) {
			below := Value{Position: v.Position, Path: v.Path + "/" + shorten(name)}
			if member, there := below.of(members[name]); there {
				v.Members = append(v.Members, Member{v.Position, below.Path, name, member})
			}
		}
	}
	return v, true
}

// customResources are the custom resources of the plan.
func (p *planner) customResources(active []*resource, subscriptions []Subscription) (all []Custom) {
	for _, res := range active {
		if !engine.IsCustomResource(res.Type) {
			continue
		}
		p.checkToken(res)
		c := Custom{Position: p.report.position(res.key), Path: res.at.path(), LogicalID: res.LogicalID, Type: res.Type}
		c.Function = p.functionBehind(res.properties.get("ServiceToken"), subscriptions)
		c.Properties = Value{Position: c.Position, Path: c.Path, Form: Object}
		if n := res.at.get("Properties"); n != nil {
			c.Properties, _ = p.known(res.properties, n)
		}
		all = append(all, c)
	}
	return all
}

// functionBehind is the function of this template that a ServiceToken leads to, also through a topic that it alone listens
// to.
func (p *planner) functionBehind(token expr, subscriptions []Subscription) string {
	topic, ok := p.pick(token).(resourceRef)
	if !ok || p.names.resources[topic.id].Type != "AWS::SNS::Topic" {
		return p.functionOf(token)
	}
	function := ""
	for _, s := range subscriptions {
		if s.TopicID == topic.id {
			if function != "" {
				return ""
			}
			function = s.FunctionID
		}
	}
	return function
}

// attributesOf are the references to attributes of custom resources, each once, in the order of the file.
func (p *planner) attributesOf(active []*resource) (all []Attribute) {
	note := func(e expr) {
		a, ok := e.(attribute)
		if !ok || !engine.IsCustomResource(p.names.resources[a.id].Type) {
			return
		}
		if name, err := (&evaluation{decisions: p.decisions}).text(a.name, a.at, "the attribute's name"); err == nil {
			all = append(all, Attribute{p.report.position(a.at), a.at.path(), a.id, name})
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
	slices.SortStableFunc(all, func(a, b Attribute) int { return byPosition(a.Position, b.Position) })
	return slices.Compact(all)
}
