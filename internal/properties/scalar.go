package properties

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// scalar reads a string, number or boolean; CloudFormation sends the last two as strings.
func (d *decoder) scalar(n int, p *plan, v reflect.Value) bool {
	var err error
	switch p.shape {
	case asText:
		v.SetString(d.doc.text(n))
	case asOwnText:
		return d.unmarshalText(n, p.t, v)
	default:
		switch b := d.doc.bytes(n); p.shape {
		case asBool:
			err = setBool(v, b)
		case asInt, asUint:
			err = setInteger(v, b)
		case asFloat:
			err = setFloat(v, b)
		case asNumber:
			err = setNumber(v, b)
		case asDuration:
			err = setDuration(v, b)
		case asBytes:
			err = setBytes(v, b)
		}
	}
	if err != nil {
		return d.fail(err)
	}
	return true
}

func typeError(s shape, b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("%s was expected, but an empty string came: leave the property out, with AWS::NoValue where it depends on a condition", s)
	}
	return fmt.Errorf("%s was expected, but what came is not one", s)
}

func setBool(v reflect.Value, b []byte) error {
	switch {
	case bytes.EqualFold(b, []byte("true")):
		v.SetBool(true)
	case bytes.EqualFold(b, []byte("false")):
		v.SetBool(false)
	default:
		return typeError(asBool, b)
	}
	return nil
}

// setInteger sets a value of any integer kind. How CloudFormation writes a
// number is not known, so 14.0 and 1e3 are integers too.
func setInteger(v reflect.Value, b []byte) error {
	if i, err := strconv.ParseInt(string(b), 10, 64); err == nil && v.CanInt() && !v.OverflowInt(i) {
		v.SetInt(i)
		return nil
	}
	dec, ok := parseDecimal(b)
	if !ok {
		return typeError(asInt, b)
	}
	digits, ok := dec.integer()
	if !ok {
		return errors.New("a whole number was expected, but a fraction came")
	}
	if v.CanInt() {
		if i, err := strconv.ParseInt(digits, 10, 64); err == nil && !v.OverflowInt(i) {
			v.SetInt(i)
			return nil
		}
		high := int64(1)<<(v.Type().Bits()-1) - 1
		return fmt.Errorf("the number does not fit: %d to %d are allowed", -high-1, high)
	}
	if u, err := strconv.ParseUint(digits, 10, 64); err == nil && !v.OverflowUint(u) {
		v.SetUint(u)
		return nil
	}
	return fmt.Errorf("the number does not fit: 0 to %d are allowed", ^uint64(0)>>(64-v.Type().Bits()))
}

func setFloat(v reflect.Value, b []byte) error {
	if _, ok := parseDecimal(b); !ok {
		return typeError(asFloat, b)
	}
	f, err := strconv.ParseFloat(string(b), v.Type().Bits())
	if err != nil {
		return fmt.Errorf("the number does not fit %s", v.Type().Kind())
	}
	if f == 0 {
		f = 0 // there is no minus zero
	}
	v.SetFloat(f)
	return nil
}

func setNumber(v reflect.Value, b []byte) error {
	if !isNumber(b) {
		return typeError(asNumber, b)
	}
	v.SetString(string(b))
	return nil
}

// isNumber reports whether b is a number as JSON writes it, and no more.
func isNumber(b []byte) bool {
	_, ok := parseDecimal(b)
	return ok && json.Valid(b)
}

// setDuration takes no bare number: it could be seconds, minutes or, as in
// Go's own JSON, nanoseconds.
func setDuration(v reflect.Value, b []byte) error {
	if _, ok := parseDecimal(b); ok {
		return errors.New("a duration with its unit was expected, but a bare number came: write 30s")
	}
	t, err := time.ParseDuration(string(b))
	if err != nil {
		return typeError(asDuration, b)
	}
	v.SetInt(int64(t))
	return nil
}

func setBytes(v reflect.Value, b []byte) error {
	out := make([]byte, base64.StdEncoding.DecodedLen(len(b)))
	n, err := base64.StdEncoding.Decode(out, b)
	if err != nil {
		return errors.New("base64 text was expected, but what came is not one")
	}
	v.SetBytes(out[:n])
	return nil
}
