package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
		return nil, fmt.Errorf("%s cannot be written as JSON: write another value", e.Str)
	case *json.MarshalerError:
		return nil, fmt.Errorf("the MarshalJSON or MarshalText method of %s failed", e.Type)
	}
	if err == errPanic {
		return nil, errors.New("a MarshalJSON or MarshalText method panicked")
	}
	return nil, errors.New("cannot be written as JSON")
}

// parse reads JSON that marshal wrote, keeping its numbers as they are
// written.
func parse(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("is nested too deep")
	}
	return v, nil
}
