package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// marshal is json.Marshal with errors that say what to do and hold no value:
// the text of a user's own MarshalJSON or MarshalText error is not repeated.
func marshal(v any) (raw []byte, err error) {
	err = guard(func() (err error) {
		raw, err = json.Marshal(v)
		return err
	})
	if err == nil {
		return raw, nil
	}
	// No method of an error of the user's own is called on the way.
	switch e := err.(type) {
	case *json.UnsupportedTypeError:
		return nil, fmt.Errorf("a value of type %s cannot be written as JSON: write another type, or leave the field out with json:\"-\"", e.Type)
	case *json.UnsupportedValueError: // whose own text could hold a value
		switch {
		case e.Str == "NaN", e.Str == "+Inf", e.Str == "-Inf":
			return nil, fmt.Errorf("%s cannot be written as JSON: write another value", e.Str)
		case strings.HasPrefix(e.Str, "encountered a cycle"):
			return nil, errors.New("a cycle cannot be written as JSON")
		}
	case *json.MarshalerError:
		t := e.Type
		if t.Kind() == reflect.Pointer { // since Go 1.27, for a method of a value too
			t = t.Elem()
		}
		return nil, fmt.Errorf("the MarshalJSON or MarshalText method of %s failed", t)
	}
	if err == errPanic {
		return nil, errors.New("a MarshalJSON or MarshalText method panicked")
	}
	return nil, errors.New("cannot be written as JSON")
}

// parse parses JSON that marshal wrote, as [Stringify] would return it: numbers keep their text.
func parse(raw []byte) (any, error) {
	doc, err := parseDocument(raw)
	if err != nil {
		return nil, errors.New("is nested too deep")
	}
	return doc.strings(0), nil
}

// strings returns a value with strings for booleans and numbers, and without
// nulls. Of several members with one name the last counts.
func (d *document) strings(n int) any {
	switch d.kind(n) {
	case null:
		return nil
	case list:
		out := []any{}
		for _, value := range d.elements(n) {
			if d.kind(value) != null {
				out = append(out, d.strings(value))
			}
		}
		return out
	case object:
		out := map[string]any{}
		for name, value := range d.members(n) {
			if key := d.text(name); d.kind(value) != null {
				out[key] = d.strings(value)
			} else {
				delete(out, key) // what an earlier member of that name said
			}
		}
		return out
	}
	return d.text(n)
}

// Stringify returns a template's value, as encoding/json reads it into any, as CloudFormation sends
// it: booleans and numbers are strings, in lists and objects too; null members and elements are
// left out, since a template cannot hold them. v is not changed.
func Stringify(v any) any {
	raw, err := marshal(v)
	if err != nil {
		return nil
	}
	sent, _ := parse(raw) // nil if it is nested too deep
	return sent
}

// Echo returns seen, a resource as it is, with what came of its properties in place of
// what means the same, at any depth: who sent 60m gets no 1h back, and who sent "" gets
// that. What is secret stays out.
func (s *Schema) Echo(came json.RawMessage, seen Model) Model {
	// What came is read and written again, which tells another writing from another meaning.
	v := reflect.New(s.plan.t)
	s.Decode(came, v.Interface())
	read, err := s.Model(v.Interface())
	if err != nil {
		return seen
	}
	e := echo(s.plan, tree(came), tree(read), tree(seen))
	out := Model{}
	if raw, err := marshal(e); err != nil || json.Unmarshal(raw, &out) != nil {
		return seen
	}
	return out
}

// tree returns what is made of JSON as values, with its numbers as they are written, or nil.
func tree(of any) (v any) {
	raw, _ := json.Marshal(of)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // what is no JSON is nothing
	return v
}

// echo returns seen, or what came where read, which is what came as it is read, means
// the same as seen.
func echo(p *plan, came, read, seen any) any {
	p = p.pointee()
	switch seen := seen.(type) {
	case map[string]any:
		came, ok := came.(map[string]any)
		if !ok {
			return seen
		}
		read, _ := read.(map[string]any)
		for name, value := range came {
			below, open := p.below(name)
			if e := echo(below, value, read[name], seen[name]); e != nil && open {
				seen[name] = e
			}
		}
		return seen
	case []any:
		came, _ := came.([]any)
		read, _ := read.([]any)
		if len(came) != len(seen) || len(read) != len(seen) {
			return seen // no element's place says which one it was
		}
		var element *plan
		if p != nil {
			element = p.elem
		}
		for i := range seen {
			seen[i] = echo(element, came[i], read[i], seen[i])
		}
		return seen
	}

	// A scalar that is seen as it was asked for is shown in the template's own form.
	meansTheSame := read != nil && reflect.DeepEqual(read, seen)
	allSayNothing := saysNothing(read) && saysNothing(seen) && saysNothing(came)
	if meansTheSame || allSayNothing {
		return came
	}
	return seen
}

// saysNothing reports whether a value is null, or empty.
func saysNothing(v any) bool {
	if v == nil || v == "" {
		return true
	}
	rv := reflect.ValueOf(v)
	return (rv.Kind() == reflect.Map || rv.Kind() == reflect.Slice) && rv.Len() == 0
}

// below returns the plan of a member, nil if nothing is known of it, and whether it may
// be answered: it is a property, and none that is secret.
func (p *plan) below(name string) (_ *plan, open bool) {
	switch {
	case p == nil:
	case p.shape == asMapping:
		return p.elem, true
	case p.shape == asObject:
		i, ok := p.byName[name]
		if !ok {
			return nil, false
		}
		return p.fields[i].plan, !p.fields[i].tag.secret
	}
	return nil, true
}
