package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Value is a value of a template as far as it is known, with its place.
type Value struct {
	source.Position
	Path string
	Form Form
	Text string // of a Scalar; it belongs in no message
	// Parameter is the name of the parameter whose value it is, or "".
	Parameter string
	Items     []Value  // of a List
	Members   []Member // of an Object, in the order of the file
}

// Member is one entry of an object.
type Member struct {
	source.Position // of its name
	Path            string
	Name            string
	Value           Value
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

// member returns the value of a member; it is Unknown if there is none.
func (v Value) member(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// of is the value that an expression at this place has come to.
func (v Value) of(computed any) Value {
	if s, ok := source.Text(computed); ok {
		if !strings.Contains(s, "{{resolve:") {
			v.Form, v.Text = Scalar, s
		}
		return v
	}
	if items, ok := source.Slice(computed); ok {
		v.Form = List
		for i, item := range items {
			below := Value{Position: v.Position, Path: v.Path + "/" + strconv.Itoa(i), Parameter: v.Parameter}
			v.Items = append(v.Items, below.of(item))
		}
		return v
	}
	if members, ok := computed.(map[string]any); ok {
		v.Form = Object
		for _, name := range slices.Sorted(maps.Keys(members)) {
			below := Value{Position: v.Position, Path: v.Path + "/" + source.Shorten(name)}
			v.Members = append(v.Members, Member{v.Position, below.Path, name, below.of(members[name])})
		}
	}
	return v
}

// valueOf is the value of an expression as far as it is known; n is where it is written. There is
// none if AWS::NoValue removes it.
func (p *planner) valueOf(e expr, n *source.Node) (_ Value, there bool) {
	e, n = p.chosen(e, n)
	v := Value{Position: p.report.Position(n), Path: n.Path()}
	switch e := e.(type) {
	// What is something else than it is written.
	case noValue:
		return v, false
	case parameterRef:
		v.Parameter = e.name
	// What has parts, each in its place.
	case listExpr:
		if n.Kind != source.List || len(n.Items) != len(e.items) {
			return v, true
		}
		v.Form = List
		for i, item := range e.items {
			if item, there := p.valueOf(item, n.Items[i]); there {
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
			if value, there := p.valueOf(e.values[i], n.Fields[i].Value); there {
				v.Members = append(v.Members, Member{p.report.Position(n.Fields[i].Key), n.Fields[i].Value.Path(), name, value})
			}
		}
		return v, true
	}
	// What a function comes to.
	computed, err := p.early().eval(e)
	if err != nil {
		return v, true // it refers to a resource, or deploying says what is wrong with it
	}
	if computed == any(noValue{}) {
		return v, false
	}
	return v.of(computed), true
}
