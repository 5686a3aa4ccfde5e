package properties

import (
	"strconv"
	"strings"
)

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
