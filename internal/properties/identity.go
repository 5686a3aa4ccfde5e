package properties

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// An identityField is a createOnly property: the fields that lead to it.
type identityField struct {
	path  string
	chain []*field
}

func (f *identityField) plan() *plan { return f.chain[len(f.chain)-1].plan }

// overlaps reports whether a path leads to the property, to a part of it, or to
// something that contains it.
func (f *identityField) overlaps(p path) bool {
	for i := range min(len(p), len(f.chain)) {
		if p[i].name != f.chain[i].name {
			return false
		}
	}
	return true
}

// in returns the property's value, or false if a pointer on the way is nil.
func (f *identityField) in(v reflect.Value) (reflect.Value, bool) {
	for i, step := range f.chain {
		for i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		var ok bool
		if v, ok = step.in(v); !ok {
			return v, false
		}
	}
	return v, true
}

// Identity returns the createOnly properties of v, a P or *P as Decode set it, as text that is the
// same for the same properties however they were written: a JSON object of their values by path. A
// property that has its type's zero value, or is an empty list or map, is left out, and so is a
// zero field of a struct: a new createOnly property with a zero default does not change the
// identity of what exists. Without createOnly properties the text is "".
//
// The text is fixed for ever: physical IDs are made of it. Numbers are written as encoding/json
// does, durations as nanoseconds, []byte in base64, types that read themselves by their MarshalJSON
// or MarshalText, and the members of objects in the order of their names. In what is kept as JSON
// (any, json.RawMessage, the result of MarshalJSON) numbers and booleans are strings.
func (s *Schema) Identity(v any) string {
	if len(s.identity) == 0 {
		return ""
	}
	text := append(make([]byte, 0, 64), '{')
	if rv := s.plan.valueOf(v); rv.IsValid() {
		for i := range s.identity {
			f := &s.identity[i]
			fv, ok := f.in(rv)
			if !ok || isEmpty(f.plan(), fv) {
				continue
			}
			named := appendName(text, f.path)
			value, err := canonical(named, f.plan(), fv)
			if err != nil {
				value = slices.Concat(named, []byte("null")) // Decode has said so: see identityErrors
			}
			text = value
		}
	}
	return string(append(text, '}'))
}

// identityErrors returns an error for every createOnly property that cannot be
// marshaled, which makes the identity unreadable.
func (s *Schema) identityErrors(v reflect.Value) (errs []*Error) {
	for i := range s.identity {
		f := &s.identity[i]
		if fv, ok := f.in(v); ok && !isEmpty(f.plan(), fv) {
			if _, err := canonical(nil, f.plan(), fv); err != nil {
				errs = append(errs, &Error{f.path, fmt.Errorf("cannot be written as part of the identity: %w", err)})
			}
		}
	}
	return errs
}

// valueOf returns v as a value of the plan's type. v may also be a pointer to that. For
// anything else, and for nil, it returns the zero reflect.Value.
func (p *plan) valueOf(v any) reflect.Value {
	rv := reflect.ValueOf(v)
	for rv.IsValid() && rv.Type() != p.t {
		if rv.Kind() != reflect.Pointer && rv.Kind() != reflect.Interface {
			return reflect.Value{}
		}
		rv = rv.Elem()
	}
	return rv
}

// identityOf returns the createOnly properties of a type, sorted by path, and their errors.
func identityOf(root *plan) (fields []identityField, errs []error) {
	c := identityCheck{}
	c.walk(root, typePath{})
	slices.SortFunc(c.fields, func(a, b identityField) int { return strings.Compare(a.path, b.path) })
	// Sorted by path, two of the same are neighbours.
	for i := range c.fields[:max(0, len(c.fields)-1)] {
		if a, b := &c.fields[i], &c.fields[i+1]; a.path == b.path {
			c.errs = append(c.errs, fmt.Errorf("%s and %s: two createOnly properties cannot both be %q: rename one", a.chain[len(a.chain)-1], b.chain[len(b.chain)-1], a.path))
		}
	}
	return c.fields, c.errs
}

type identityCheck struct {
	fields []identityField
	errs   []error
}

// A typePath is a place in nested types.
type typePath struct {
	path       string
	chain      []*field
	open       []*plan // structs that the place is in
	list       bool    // below a list or map
	secret     bool    // below a property tagged so
	createOnly bool
}

func (c *identityCheck) walk(p *plan, at typePath) {
	switch {
	case p == nil, !p.createOnly, slices.Contains(at.open, p): // a type may contain itself
		return
	case p.shape != asObject:
		at.list = at.list || p.shape != asPointer
		c.walk(p.elem, at)
		return
	}
	at.open = append(slices.Clip(at.open), p)
	for i := range p.fields {
		f := &p.fields[i]
		below := at
		below.path, below.chain = strings.TrimPrefix(at.path+"."+f.name, "."), append(slices.Clip(at.chain), f)
		below.secret = at.secret || f.tag.secret
		below.createOnly = at.createOnly || f.tag.createOnly
		if f.tag.createOnly {
			if reason := createOnlyProblem(p, f, below); reason != "" {
				c.errs = append(c.errs, fmt.Errorf("%s: %s", f, reason))
			} else if !at.createOnly { // else it is a part of one that is there already
				c.fields = append(c.fields, identityField{below.path, below.chain})
			}
		}
		c.walk(f.plan, below)
	}
}

func createOnlyProblem(owner *plan, f *field, at typePath) string {
	switch {
	case at.list:
		return "createOnly below a list or map says nothing of the resource as a whole: tag the list or map"
	case at.secret || f.plan.secrets:
		return "a property cannot be both createOnly and secret, since a physical ID would let the secret be guessed: remove one of the two"
	case f.tag.reference || f.plan.hasField(func(t tag) bool { return t.reference }):
		return "a property cannot be both createOnly and reference, since its value would change, and become a secret, if CloudFormation resolved the reference: remove one of the two"
	case slices.ContainsFunc(owner.fields, func(f field) bool { return f.plan.has(func(q *plan) bool { return q == owner }) }):
		return "createOnly in a type that contains itself has no one path: tag a property outside of it"
	case f.plan.has(cannotMarshal):
		return "a createOnly property is written as well as read: give the type that reads itself in it a MarshalText or MarshalJSON method"
	}
	return ""
}

// cannotMarshal reports whether a type unmarshals itself but does not marshal itself,
// so that its contents are hidden.
func cannotMarshal(p *plan) bool {
	if p.shape == asMapping && p.key == asOwnText {
		key := p.t.Key()
		return key.Kind() != reflect.String && !key.Implements(textWriter)
	}
	ptr := reflect.PointerTo(p.t)
	readsItself := p.shape == asOwnJSON || p.shape == asOwnText
	writesItself := ptr.Implements(textWriter) || ptr.Implements(jsonWriter)
	return readsItself && p.t.Kind() == reflect.Struct && !writesItself
}

// appendName appends the name of a member to the text of an object that is still open.
func appendName(object []byte, name string) []byte {
	if !bytes.HasSuffix(object, []byte{'{'}) {
		object = append(object, ',')
	}
	return append(appendText(object, name), ':')
}
