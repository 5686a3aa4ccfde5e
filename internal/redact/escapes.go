package redact

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdefABCDEF"

// backslash undoes the escapes of JSON's strings and of Go's.
func backslash(out, rest []byte, _ int, _ bool) (_ []byte, size int) {
	if len(rest) < 2 || rest[0] != '\\' {
		return out, 0
	}
	const letters, stand = `"\/'abfnrtv`, "\"\\/'\a\b\f\n\r\t\v"
	if i := strings.IndexByte(letters, rest[1]); i >= 0 {
		return append(out, stand[i]), 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[1]]
	r, ok := hexadecimal(rest, 2, digits)
	if !ok {
		return out, 0
	}
	size = 2 + digits
	if rest[1] == 'x' {
		return append(out, byte(r)), size
	}
	if low, ok := hexadecimal(rest, size+2, 4); utf16.IsSurrogate(r) && ok && bytes.HasPrefix(rest[size:], []byte(`\u`)) {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), size + 6
		}
	}
	return utf8.AppendRune(out, r), size
}

// percent undoes the escapes of URLs. The + of a query is left: see [fold].
func percent(out, rest []byte, _ int, _ bool) (_ []byte, size int) {
	if b, ok := hexadecimal(rest, 1, 2); ok && rest[0] == '%' {
		return append(out, byte(b)), 3
	}
	return out, 0
}

// hexadecimal reads n hexadecimal digits at a place in b.
func hexadecimal(b []byte, at, n int) (rune, bool) {
	if n == 0 || len(b) < at+n {
		return 0, false
	}
	var r rune
	for _, c := range b[at : at+n] {
		d := digit(c)
		if d >= 16 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// digit returns what a letter is worth as a digit, or 16 or more.
func digit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'z':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'Z':
		return int(b-'A') + 10
	}
	return 255
}
