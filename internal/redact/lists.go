package redact

import "unicode/utf8"

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
		if len(rest) > 2 && (rest[0] == '0' && mark != 0 && rest[1]|0x20 == mark || base == 16 && rest[0] == 'U' && rest[1] == '+') {
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
		for size < len(rest) && (isSpace(rest[size]) || rest[size] == ',' || rest[size] == '\n' || rest[size] == '\t') {
			size++
		}
		return out, size
	}
}

// character reads the characters in lists such as [h u n t], each with the separator or
// the bracket after it. Before the first stands a bracket.
func character(separator byte, means meaning) unit {
	return func(out, rest []byte, _ int, inside bool) (_ []byte, size int) {
		if !inside {
			size = 1
		}
		r, n := utf8.DecodeRune(rest[size:])
		size += n
		if r == utf8.RuneError && n < 2 || size == len(rest) || rest[size] != separator && rest[size] != ']' {
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
