package properties

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// errPanic stands for a panic in a type's own method. What it panicked with
// may hold the value, so it is not kept.
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

// unmarshalError words what a type's own reader said. Its text is not repeated: most
// such texts quote the value.
func unmarshalError(t reflect.Type, method string, err error) error {
	switch {
	case err == errPanic:
		return fmt.Errorf("%s's %s method panicked on what came", t, method)
	case t == timeType:
		return errors.New("a time was expected, but what came is not one: write it as 2006-01-02T15:04:05Z")
	}
	return fmt.Errorf("is not a valid %s: its %s method refused what came", t, method)
}

// ownText reads a scalar, or a member's name, by its type's UnmarshalText.
func (d *decoder) ownText(n int, t reflect.Type, v reflect.Value) bool {
	fresh := reflect.New(t)
	err := guard(func() error {
		return fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText(bytes.Clone(d.doc.bytes(n)))
	})
	if err != nil {
		return d.bad(unmarshalError(t, "UnmarshalText", err))
	}
	v.Set(fresh.Elem())
	return true
}

// ownJSON reads a value by its type's UnmarshalJSON: as it came, and if that
// is refused and is a number or boolean in quotes, as CloudFormation sends
// them, without the quotes.
func (d *decoder) ownJSON(n int, p *plan, v reflect.Value) bool {
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
	return d.bad(unmarshalError(p.t, "UnmarshalJSON", err))
}

// anything reads JSON as it came.
func (d *decoder) anything(n int, v reflect.Value) bool {
	var a any
	if err := json.Unmarshal(d.doc.json(n), &a); err != nil {
		return d.bad(errors.New("a number in it does not fit float64"))
	}
	if a != nil {
		v.Set(reflect.ValueOf(a))
	}
	return true
}
