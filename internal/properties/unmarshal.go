package properties

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// errPanic stands for a panic in a type's own method. The panic's value is dropped,
// since it may hold the property's value.
var errPanic = errors.New("panic")

// guard calls a type's own method.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return f()
}

// unmarshalError returns the error for a failed UnmarshalText or UnmarshalJSON. It
// drops err's text, which may quote the value.
func unmarshalError(t reflect.Type, method string, err error) error {
	switch {
	case err == errPanic:
		return fmt.Errorf("%s's %s method panicked on what came", t, method)
	case t == timeType:
		return errors.New("a time was expected, but what came is not one: write it as 2006-01-02T15:04:05Z")
	}
	return fmt.Errorf("is not a valid %s: its %s method refused what came", t, method)
}

// unmarshalText reads a scalar, or a member's name, with its type's UnmarshalText.
func (d *decoder) unmarshalText(n int, t reflect.Type, v reflect.Value) bool {
	fresh := reflect.New(t)
	err := guard(func() error {
		return fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText(bytes.Clone(d.doc.bytes(n)))
	})
	if err != nil {
		return d.fail(unmarshalError(t, "UnmarshalText", err))
	}
	v.Set(fresh.Elem())
	return true
}

// unmarshalJSON reads a value with its type's UnmarshalJSON. If that refuses a number
// or boolean in quotes, as CloudFormation sends them, it tries again without quotes.
func (d *decoder) unmarshalJSON(n int, p *plan, v reflect.Value) bool {
	read := func(raw []byte) error {
		fresh := reflect.New(p.t)
		err := guard(func() error { return fresh.Interface().(json.Unmarshaler).UnmarshalJSON(bytes.Clone(raw)) })
		if err == nil {
			v.Set(fresh.Elem())
		}
		return err
	}
	err := read(d.doc.json(n))
	if err == nil {
		return true
	}
	if d.doc.kind(n) == text {
		inner := d.doc.bytes(n)
		if s := string(inner); (s == "true" || s == "false" || isNumber(inner)) && read(inner) == nil {
			return true
		}
	}
	return d.fail(unmarshalError(p.t, "UnmarshalJSON", err))
}

// setAny sets an interface to the JSON value as it came.
func (d *decoder) setAny(n int, v reflect.Value) bool {
	var a any
	if err := json.Unmarshal(d.doc.json(n), &a); err != nil {
		return d.fail(errors.New("a number in it does not fit float64"))
	}
	if a != nil {
		v.Set(reflect.ValueOf(a))
	}
	return true
}
