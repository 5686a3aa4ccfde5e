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

// member returns the value of a member; it is Unknown if there is none.
func (v Value) member(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
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
			v.Members = append(v.Members, Member{Position: v.Position, Path: below.Path, Name: name, Value: below.of(members[name])})
		}
	}
	return v
}
