package properties

import (
	"encoding/json"
	"reflect"
	"strings"
)

// defaults parses all defaults, and refuses those that do not fit their fields.
func (b *builder) defaults() {
	var tagged []*field
	for _, p := range b.order {
		for i := range p.fields {
			f := &p.fields[i]
			if !f.tag.hasDefault {
				continue
			}
			if f.plan.has(func(q *plan) bool { return q == p }) {
				b.fail(f.String(), "a property that can hold another %s cannot have a default: remove it", p.t)
				continue
			}
			doc, err := parseDocument(defaultText(f))
			if err != nil {
				b.fail(f.String(), "the default is not valid JSON: write %s as in a template, as in default=%s", f.plan.shape, example(f.plan))
				continue
			}
			f.defaultDoc = doc
			tagged = append(tagged, f)
		}
	}
	for _, f := range tagged { // only now: a default may hold others
		var d decoder
		d.path.enter(f.name)
		if f.defaultDoc.kind(0) == null {
			b.fail(f.String(), "the default is null, which CloudFormation never sends: remove it")
			continue
		}
		d.setDefault(f, reflect.New(f.plan.t).Elem())
		for _, kind := range []problems{d.found.bad, d.found.required, d.found.unknown} {
			for _, err := range kind.errors() {
				b.fail(f.String(), "the default does not fit: %w", err)
			}
		}
	}
}

// defaultText returns the default as JSON: lists and objects are written as
// such in the tag, everything else as in a template, without quotes.
func defaultText(f *field) []byte {
	text := f.tag.defaultValue
	switch f.plan.pointee().shape {
	case asList, asArray, asMapping, asObject:
		return []byte(text)
	case asAny, asOwnJSON:
		if (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) && json.Valid([]byte(text)) {
			return []byte(text)
		}
	}
	quoted, _ := json.Marshal(text) // a string: it cannot fail
	return quoted
}

func example(p *plan) string {
	p = p.pointee()
	if p.shape == asMapping || p.shape == asObject {
		return `{"Key":"value"}`
	}
	return `["a","b"]`
}

// setDefault sets v, which is zero, to the field's default.
func (d *decoder) setDefault(f *field, v reflect.Value) {
	if !d.reserve(len(f.defaultDoc.raw)) {
		return
	}
	doc := d.doc
	d.doc = f.defaultDoc
	d.value(0, f.plan, v)
	d.doc = doc
}

// setAbsent sets a property that is absent to its default, or to the defaults of its
// fields if it is a struct.
func (d *decoder) setAbsent(f *field, v reflect.Value) {
	if f.defaultDoc != nil {
		d.path.enter(f.name)
		d.setDefault(f, v)
		d.path.leave()
		return
	}
	if f.plan.shape != asObject {
		return
	}
	for i := range f.plan.fields {
		inner := &f.plan.fields[i]
		if fv, ok := inner.in(v); ok {
			d.setAbsent(inner, fv)
		}
	}
}

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
