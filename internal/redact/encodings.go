package redact

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding is one way to write bytes. A text is encoded in units, which stand for
// a byte or a few each.
type encoding struct {
	begins [256]bool // with which bytes a unit can begin, after what is none
	unit   unit
	least  int // how many of these bytes a run begins with that can hold a secret; 0 is 1

	// inPlace: units stand in a text that is otherwise plain, which a view keeps. Of
	// other encodings it keeps the runs of units alone.
	inPlace bool
	// beyondASCII: another encoding reads the same, but for what is not ASCII.
	beyondASCII bool
}

// A unit appends to out what the unit that rest begins with stands for, and returns
// the unit's length. The length is 0 if there is none. at is the place of rest in
// the text, and inside whether another unit ends there.
type unit func(out, rest []byte, at int, inside bool) (_ []byte, size int)

// encodings undo what package forms lists: what fmt, encoding/json, net/url, encoding/hex,
// encoding/base64 and encoding/base32 write. Where a run does not say how it is to be read, each way
// has a row. The quotes of SQL and CSV are patterns: a view without them would be one more of each
// text in which two quotes stand side by side.
var encodings = []encoding{
	{begins: set(`\`), unit: backslash, inPlace: true},
	{begins: set("%"), unit: percent, inPlace: true},
	{begins: set(hexDigits), least: 2 * minSecret, unit: hexPair(0)},
	{begins: set(hexDigits), least: 2 * minSecret, unit: hexPair(1)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(0)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(1)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(2)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(3)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(0)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(1)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(2)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(3)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(4)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(5)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(6)},
	{begins: set(base32Letters), least: minSecret*8/5 + 1, unit: base32Group(7)},
	{begins: set("01"), unit: number(2, asByte)},
	{begins: set("01"), unit: number(2, asRune), beyondASCII: true},
	{begins: set("01234567"), unit: number(8, asByte)},
	{begins: set("01234567"), unit: number(8, asRune), beyondASCII: true},
	{begins: set("0123456789"), unit: number(10, asByte)},
	{begins: set("0123456789"), unit: number(10, asRune), beyondASCII: true},
	{begins: set(hexDigits + "U"), unit: number(16, asByte)},
	{begins: set(hexDigits + "U"), unit: number(16, asRune), beyondASCII: true},
	{begins: set("["), unit: character(' ', asRune)},
	{begins: set("["), unit: character(' ', asByte), beyondASCII: true},
	{begins: set("["), unit: character('+', asRune)},
	{begins: set("["), unit: character('+', asByte), beyondASCII: true},
	{begins: set("'"), unit: quotedCharacter},
}

func set(letters string) (in [256]bool) {
	for i := range len(letters) {
		in[letters[i]] = true
	}
	return in
}

// skip returns how many bytes of rest begin no run that can hold a secret.
func (e *encoding) skip(rest []byte) int {
	least := max(e.least, 1)
	if len(rest) < least {
		return len(rest)
	}
	for n := least; n > 0; n-- {
		if !e.begins[rest[n-1]] {
			return n
		}
	}
	return 0
}

// A meaning appends what a number in a list stands for, if it can mean that.
type meaning func(out []byte, number int) (_ []byte, ok bool)

func asByte(out []byte, number int) (_ []byte, ok bool) {
	if number > 0xff {
		return out, false
	}
	return append(out, byte(number)), true
}

func asRune(out []byte, number int) (_ []byte, ok bool) {
	if number > utf8.MaxRune {
		return out, false
	}
	return utf8.AppendRune(out, rune(number)), true
}

// mostDigits is how many a character has at most in base 2, and a little more than in others.
const mostDigits = 21

// number reads the numbers in lists such as [104 117], []byte{0x68, 0x75}, 68 75 or
// [U+0068 U+0075], each with what separates it from the next.
func number(base int, means meaning) unit {
	mark := map[int]byte{2: 'b', 8: 'o', 16: 'x'}[base]
	return func(out, rest []byte, _ int, _ bool) (_ []byte, size int) {
		if hasMark(rest, base, mark) {
			size = 2
		}
		value, end := 0, min(len(rest), size+mostDigits)
		first := size
		for size < end && digit(rest[size]) < base && value <= utf8.MaxRune {
			value = value*base + digit(rest[size])
			size++
		}
		if size == first {
			return out, 0
		}
		out, ok := means(out, value)
		if !ok {
			return out, 0
		}
		for size < len(rest) && separatesNumbers(rest[size]) {
			size++
		}
		return out, size
	}
}

// hasMark reports whether text begins with the mark of a number's base, as in 0x68 or U+0068, and goes on after it.
func hasMark(text []byte, base int, mark byte) bool {
	switch {
	case len(text) <= 2:
		return false
	case text[0] == '0':
		return mark != 0 && text[1]|0x20 == mark
	}
	return base == 16 && text[0] == 'U' && text[1] == '+'
}

// separatesNumbers reports whether b can stand between two numbers of a list.
func separatesNumbers(b byte) bool { return isSpace(b) || strings.IndexByte(",\n\t", b) >= 0 }

// character reads the characters in lists such as [h u n t], each with the separator or
// the bracket after it. Before the first stands a bracket.
func character(separator byte, means meaning) unit {
	return func(out, rest []byte, _ int, inside bool) (_ []byte, size int) {
		if !inside {
			size = 1
		}
		r, n := utf8.DecodeRune(rest[size:])
		size += n
		invalid := r == utf8.RuneError && n < 2
		if invalid || size == len(rest) {
			return out, 0
		}
		// A list of single characters alone is meant: two characters side by side are a word.
		if rest[size] != separator && rest[size] != ']' {
			return out, 0
		}
		out, ok := means(out, int(r))
		if !ok {
			return out, 0
		}
		return out, size + 1
	}
}

// quotedCharacter reads the characters in lists such as ['h' '\n'], each with the space after it.
func quotedCharacter(out, rest []byte, _ int, _ bool) (_ []byte, size int) {
	if len(rest) < 3 || rest[0] != '\'' {
		return out, 0
	}
	kept := len(out)
	out, size = backslash(out, rest[1:], 0, false)
	if size == 0 {
		_, size = utf8.DecodeRune(rest[1:])
		out = append(out, rest[1:1+size]...)
	}
	size++
	if size == len(rest) || rest[size] != '\'' {
		return out[:kept], 0
	}
	if size++; size < len(rest) && isSpace(rest[size]) {
		size++
	}
	return out, size
}

// isSpace reports whether b is a space, or what a query has for one.
func isSpace(b byte) bool { return b == ' ' || b == '+' }

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

// hexPair reads pairs of hexadecimal digits. What stands before them may look like
// another digit, so they begin at even places or at odd ones.
func hexPair(phase int) unit {
	return func(out, rest []byte, at int, _ bool) (_ []byte, size int) {
		if b, ok := hexadecimal(rest, 0, 2); ok && at%2 == phase {
			return append(out, byte(b)), 2
		}
		return out, 0
	}
}

// base64Group reads groups of four letters of base64, of either alphabet. For the
// same reason they begin at each fourth place.
func base64Group(phase int) unit {
	return func(out, rest []byte, at int, _ bool) (_ []byte, size int) {
		if at%4 != phase {
			return out, 0
		}
		bits := 0
		for size < min(len(rest), 4) {
			six := int(worth[rest[size]])
			if six == 0 {
				break
			}
			bits = bits<<6 | (six - 1)
			size++
		}
		switch size { // the last group may be shorter
		case 4:
			return append(out, byte(bits>>16), byte(bits>>8), byte(bits)), size
		case 3:
			return append(out, byte(bits>>10), byte(bits>>2)), size
		case 2:
			return append(out, byte(bits>>4)), size
		}
		return out, 0
	}
}

// worth has what each letter of base64 stands for, and one more: the two alphabets
// differ in the last two.
var worth = func() (values [256]byte) {
	for i := range base64Letters {
		values[base64Letters[i]] = byte(i + 1)
	}
	values['-'], values['_'] = values['+'], values['/']
	return values
}()

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// base32Group reads groups of eight letters of base32, which begin at each eighth place.
func base32Group(phase int) unit {
	return func(out, rest []byte, at int, _ bool) (_ []byte, size int) {
		if at%8 != phase {
			return out, 0
		}
		bits, kept := 0, len(out)
		// Five bits a letter: a byte is whole only after the second letter, the fourth, the fifth, the seventh and the eighth.
		for size < min(len(rest), 8) {
			five := strings.IndexByte(base32Letters, rest[size])
			if five < 0 {
				break
			}
			bits = bits<<5 | five
			size++
			if left := size * 5 % 8; left < 5 { // another byte is whole
				out = append(out, byte(bits>>left))
			}
		}
		if len(out) == kept { // no group ends after one letter
			return out, 0
		}
		return out, size
	}
}

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
