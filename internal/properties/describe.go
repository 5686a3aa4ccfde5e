package properties

import (
	"encoding/json"
	"reflect"
)

// A Type describes how a Go type is read. A pointer is described as its element type,
// since a template shows no difference.
type Type struct{ plan *plan }

// Type returns what the properties are read as: an Object, or a Mapping.
func (s *Schema) Type() Type { return Type{s.plan.pointee()} }

// Type returns what the attributes are written from: an Object, a Mapping, or Anything.
func (s *DataSchema) Type() Type { return Type{s.plan.pointee()} }

// A Form is a kind of value in JSON.
type Form uint8

// The forms, each with the Go types that are read from it.
const (
	Anything Form = iota // interfaces, and types that read or write JSON themselves
	Boolean
	Integer
	Float
	Text     // strings, and types that read or write text themselves
	Duration // time.Duration
	Bytes    // []byte, in base64
	List
	Array
	Mapping
	Object
)

// Form returns the form of the type's values.
func (t Type) Form() Form {
	p := t.plan
	writes := func(how reflect.Type) bool {
		return p.dataOnly && p.t.Kind() != reflect.Interface && reflect.PointerTo(p.t).Implements(how)
	}
	switch {
	case p.t == timeType:
		return Text
	case writes(jsonWriter):
		return Anything
	case writes(textWriter):
		return Text
	case p.dataOnly && p.shape == asDuration: // as encoding/json does
		return Integer
	}
	return shapes[p.shape].form
}

// HasSecret reports whether something in it is tagged secret.
func (t Type) HasSecret() bool { return t.plan.secrets }

// Go returns the Go type.
func (t Type) Go() reflect.Type { return t.plan.t }

// Elem returns the type of the elements of a List, an Array or a Mapping.
func (t Type) Elem() Type { return Type{t.plan.elem.pointee()} }

// Key returns the form of the names in a Mapping: Integer, or Text. unsigned
// says that no name has a minus.
func (t Type) Key() (form Form, unsigned bool) {
	switch t.plan.key {
	case asInt:
		return Integer, false
	case asUint:
		return Integer, true
	}
	return Text, false
}

// A Field is a member of an Object.
type Field struct {
	Name                         string // of the property
	Go                           reflect.StructField
	Type                         Type
	CreateOnly, Required, Secret bool
	Default                      json.RawMessage // as in an event, with strings for scalars; nil if there is none
}

// Fields returns the members of an Object, in the order of the struct.
func (t Type) Fields() []Field {
	fields := make([]Field, len(t.plan.fields))
	for i := range fields {
		f := &t.plan.fields[i]
		fields[i] = Field{Name: f.name, Go: f.sf, Type: Type{f.plan.pointee()}, CreateOnly: f.tag.createOnly, Required: f.tag.required, Secret: f.tag.secret}
		if f.defaultDoc != nil {
			fields[i].Default = f.defaultDoc.raw
		}
	}
	return fields
}
