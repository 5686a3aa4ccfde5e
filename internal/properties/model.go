// Package properties reads a custom resource's ResourceProperties into Go
// values, and turns Data into what Fn::GetAtt reads.
//
// CloudFormation sends every boolean and number of a template as a string, inside lists and objects
// too. [Schema.Decode] undoes this by the type that the value is wanted as: "14" is a number for an
// int and text for a string. Native JSON types work as well. Tags and field names follow
// encoding/json; what a property means to CloudFormation stands in a second tag:
//
//	Topic string `cfn:"createOnly"`      // part of the resource's identity
//	Token string `cfn:"required,secret"` // refused if absent; never printed
//	Login string `cfn:"reference"`       // {{resolve:…}} in it is no mistake
//	Days  int    `cfn:"default=14"`      // default= takes the rest of the tag
//
// No error of this package holds the value of a property, nor the text of an error that a type's
// own UnmarshalText or UnmarshalJSON returned, since these commonly quote it.
package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// A Model is a resource as the registry has it: its properties by name, each as JSON of its type.
type Model map[string]json.RawMessage

// Model returns the properties in v, a P or *P, without those that are tagged
// secret and those without a value: null, and empty text that no pointer leads to.
func (s *Schema) Model(v any) (Model, error) { return writer{}.model(s.plan, v) }

// Whole is [Schema.Model] with the secrets: what a template says.
func (s *Schema) Whole(v any) (Model, error) { return writer{secrets: true}.model(s.plan, v) }

// Model returns the attributes in v, as [Schema.Model] does.
func (s *DataSchema) Model(v any) (Model, error) { return writer{}.model(s.plan, v) }

// Names returns the names of the properties: none for a map.
func (s *Schema) Names() []string { return s.plan.names() }

// Names returns the names of the attributes: none for a map.
func (s *DataSchema) Names() []string { return s.plan.names() }

func (p *plan) names() (names []string) {
	p = p.pointee()
	for _, i := range p.sorted {
		names = append(names, p.fields[i].name)
	}
	return names
}

// A writer writes values as a resource has them.
type writer struct{ secrets bool }

func (w writer) model(p *plan, v any) (Model, error) {
	written, err := w.write(p, p.valueOf(v), 0)
	if err != nil {
		return nil, err
	}
	raw, err := marshal(written)
	if err != nil {
		return nil, err
	}
	m := Model{}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("%s is not written as an object", p.t)
	}
	return m, nil
}

// write returns a value as encoding/json is to write it, or nil if it has none.
func (w writer) write(p *plan, v reflect.Value, depth int) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("%s holds itself", p.t)
	}
	// What has a form of its own, or parts.
	switch p.shape {
	case asPointer:
		if v.IsNil() {
			return nil, nil
		}
		return w.part(p.elem, v.Elem(), depth+1) // a pointer to empty text says that it is there
	case asText, asNumber:
		if v.String() == "" {
			return nil, nil
		}
	case asDuration:
		return DurationText(time.Duration(v.Int())), nil
	case asList, asArray:
		return w.list(p, v, depth)
	case asMapping:
		return w.mapping(p, v, depth)
	case asObject:
		return w.object(p, v, depth)
	}
	// What is left is written as encoding/json does, unless that says nothing.
	k := v.Kind()
	canBeNil := k == reflect.Slice || k == reflect.Map || k == reflect.Interface
	isNil := canBeNil && v.IsNil()
	if isNil || !v.CanInterface() {
		return nil, nil
	}
	raw, err := marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	if text := string(raw); text == "null" || text == `""` {
		return nil, nil
	}
	return json.RawMessage(raw), nil
}

// part is write, but for empty text, which is a value here.
func (w writer) part(p *plan, v reflect.Value, depth int) (any, error) {
	value, err := w.write(p, v, depth)
	if value == nil && err == nil && p.shape == asText {
		value = ""
	}
	return value, err
}

func (w writer) list(p *plan, v reflect.Value, depth int) (any, error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil, nil
	}
	out := []any{}
	for i := range v.Len() {
		element, err := w.part(p.elem, v.Index(i), depth+1) // an element keeps its place
		if err != nil {
			return nil, err
		}
		if element != nil {
			out = append(out, element)
		}
	}
	return out, nil
}

func (w writer) mapping(p *plan, v reflect.Value, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	out := map[string]any{}
	for key, elem := range entries(v) {
		name, err := keyText(key)
		if err != nil {
			return nil, err
		}
		value, err := w.part(p.elem, elem, depth+1) // the name says something, as in tags
		if err != nil {
			return nil, err
		}
		if value != nil {
			out[name] = value
		}
	}
	return out, nil
}

func (w writer) object(p *plan, v reflect.Value, depth int) (any, error) {
	out := map[string]any{}
	for _, i := range p.sorted {
		f := &p.fields[i]
		fv, ok := f.in(v)
		isHidden := f.tag.secret && !w.secrets
		if !ok || isHidden {
			continue
		}
		value, err := w.write(f.plan, fv, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if value != nil {
			out[f.name] = value
		}
	}
	if len(out) == 0 && depth > 0 && v.IsZero() {
		return nil, nil
	}
	return out, nil
}
