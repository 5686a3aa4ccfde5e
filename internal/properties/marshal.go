package properties

import (
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
	case *json.UnsupportedValueError:
		return nil, unsupportedValue(e)
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

// unsupportedValue does not repeat the encoder's own text where that could hold a value.
func unsupportedValue(e *json.UnsupportedValueError) error {
	switch {
	case e.Str == "NaN", e.Str == "+Inf", e.Str == "-Inf":
		return fmt.Errorf("%s cannot be written as JSON: write another value", e.Str)
	case strings.HasPrefix(e.Str, "encountered a cycle"):
		return errors.New("a cycle cannot be written as JSON")
	}
	return errors.New("cannot be written as JSON")
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
				delete(out, key)
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
