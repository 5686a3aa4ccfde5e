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
		for _, of := range []problems{d.found.bad, d.found.required, d.found.unknown} {
			for _, err := range of.errors() {
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
