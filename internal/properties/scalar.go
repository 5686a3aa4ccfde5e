package properties

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// scalar reads a string, number or boolean; CloudFormation sends the last two as strings.
func (d *decoder) scalar(n int, p *plan, v reflect.Value) bool {
	var err error
	switch b := d.doc.bytes(n); p.shape {
	case asText:
		v.SetString(string(b))
	case asOwnText:
		return d.unmarshalText(n, p.t, v)
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
	i, err := strconv.ParseInt(string(b), 10, 64)
	isInt := err == nil && v.CanInt()
	if isInt && !v.OverflowInt(i) {
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
		// Who writes the template does not see the Go type: the error says what it holds.
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

// A decimal is a decimal number: digits, without zeros at either end, times ten to the
// power of exp. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// maxExponent bounds an exponent, so that sums of it and a length cannot overflow.
const maxExponent = 1 << 30

// parseDecimal reads a decimal number: sign, digits with a point among them,
// exponent. Leading zeros, as in 010, are allowed and mean nothing.
func parseDecimal(b []byte) (decimal, bool) {
	var d decimal
	negative, mantissa := cutSign(string(b))
	d.negative = negative
	// Cut the number at its exponent and its point.
	exponent := "0"
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		mantissa, exponent = mantissa[:i], mantissa[i+1:]
	}
	below, power := cutSign(exponent)
	if !isDigits(power) {
		return d, false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !isDigits(whole + fraction) {
		return d, false
	}
	d.digits = strings.TrimLeft(whole+fraction, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	// Take the point and the zeros at the end into the exponent: 1.50 and 15e-1 become the same.
	e, err := strconv.Atoi(power)
	if err != nil || e > maxExponent {
		e = maxExponent
	}
	if below {
		e = -e
	}
	d.exp = e - len(fraction)
	trimmed := strings.TrimRight(d.digits, "0")
	d.exp += len(d.digits) - len(trimmed)
	d.digits = trimmed
	return d, true
}

func cutSign(s string) (negative bool, rest string) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[0] == '-', s[1:]
	}
	return false, s
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// integer returns the number without point and exponent, as strconv reads it, or false if it has a
// fraction. A number far too large for any integer type is cut to one that is still too large.
func (d decimal) integer() (string, bool) {
	if d.exp < 0 {
		return "", false
	}
	s := d.digits + strings.Repeat("0", min(d.exp, 30))
	if s == "" {
		return "0", true
	}
	if d.negative {
		s = "-" + s
	}
	return s, true
}

// String writes equal numbers equally: "1.0", "1" and "10e-1" are "1"; "1e3" and "1000" are "1e3".
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	s := d.digits
	if d.negative {
		s = "-" + s
	}
	if d.exp != 0 {
		s += "e" + strconv.Itoa(d.exp)
	}
	return s
}

// DurationText writes a duration as a person does: 1h30m, where String has 1h30m0s. It
// is the one text of a duration that a registered type takes, since it comes back.
func DurationText(d time.Duration) string {
	text := strings.Replace(d.String(), "µ", "u", 1)
	if before, ok := strings.CutSuffix(text, "m0s"); ok {
		text = before + "m"
	}
	return strings.Replace(text, "h0m", "h", 1)
}
