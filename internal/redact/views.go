package redact

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is a text with its escapes undone, in one of the ways that there are
// to undo them. It remembers where each byte comes from.
type view struct {
	text  []byte
	spans []span // text[i] stands for the bytes of the source from of[i].from to of[i].to
}

type span struct{ from, to int32 }

// viewOf returns the view of a text as it is.
func viewOf(text string) view {
	v := view{[]byte(text), make([]span, len(text))}
	for i := range v.spans {
		v.spans[i] = span{int32(i), int32(i + 1)}
	}
	return v
}

// An unescape undoes the escape that rest begins with: it appends what that stands
// for to out, and returns its length. The length is 0 if there is no escape. at
// is the place of rest in the view.
type unescape func(out, rest []byte, at int) (_ []byte, size int)

// decode returns the view with all escapes of one kind undone. They begin with
// sign, unless that is 0.
func (v view) decode(sign byte, u unescape) view {
	n := len(v.text)
	w := view{make([]byte, 0, n), make([]span, 0, n)}
	for i := 0; i < n; {
		var size int
		if sign == 0 || v.text[i] == sign {
			w.text, size = u(w.text, v.text[i:], i)
		}
		if size == 0 {
			w.text, size = append(w.text, v.text[i]), 1
		}
		for len(w.spans) < len(w.text) {
			w.spans = append(w.spans, span{v.spans[i].from, v.spans[i+size-1].to})
		}
		i += size
	}
	return w
}

// views calls each with the views in which a secret can be read that was
// written by fmt, encoding/json or net/url, or by two of them, one after the
// other. All but lists of bytes are shown as they are and cleaned.
func views(text string, each func(view)) {
	show := func(v view) {
		each(v)
		if !isClean(string(v.text)) {
			each(v.decode(0, cleaning))
		}
	}
	whole := viewOf(text)
	show(whole)
	for _, l := range lists {
		for from, to := range runs(text, l.letters, l.least) {
			run := view{whole.text[from:to], whole.spans[from:to]}
			for _, u := range l.undo {
				each(run.decode(0, u))
			}
		}
	}
	var below func(v view, depth int)
	below = func(v view, depth int) {
		for _, e := range escapes {
			if depth > 0 && bytes.IndexByte(v.text, e.sign) >= 0 {
				w := v.decode(e.sign, e.undo)
				show(w)
				below(w, depth-1)
			}
		}
	}
	const twice = 2
	below(whole, twice)
}

// escapes stand in a text that is otherwise plain, each after its sign.
var escapes = []struct {
	sign byte
	undo unescape
}{{'\\', backslash}, {'%', percent}, {'+', plus}}

// lists write every byte in another way, in runs of certain letters. A run
// that is too short to hold a secret is not looked at.
var lists = []struct {
	letters string
	least   int
	undo    []unescape
}{
	{hexLetters, 2 * minSecret, []unescape{hexPair(0), hexPair(1)}},
	{base64Letters, minSecret * 4 / 3, []unescape{base64Group(0), base64Group(1), base64Group(2), base64Group(3)}},
	{hexLetters + "xX, ", 2*minSecret - 1, []unescape{byteListElement(10), byteListElement(16)}},
}

const (
	hexLetters    = "0123456789abcdefABCDEF"
	base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
)

// runs yields where runs of certain letters begin and end: those that have a
// length, and the one at the end of the text, which may be cut.
func runs(text, letters string, least int) func(yield func(from, to int) bool) {
	var in [256]bool
	for i := range len(letters) {
		in[letters[i]] = true
	}
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(text); from++ {
			to := from
			for to < len(text) && in[text[to]] {
				to++
			}
			if (to-from >= least || to == len(text)) && to > from && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// backslash undoes the escapes of JSON's strings and of Go's.
func backslash(out, rest []byte, _ int) (_ []byte, size int) {
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

// percent undoes URL escapes.
func percent(out, rest []byte, _ int) (_ []byte, size int) {
	if b, ok := hexadecimal(rest, 1, 2); ok && rest[0] == '%' {
		return append(out, byte(b)), 3
	}
	return out, 0
}

// plus undoes the + that stands for a space in a query.
func plus(out, rest []byte, _ int) (_ []byte, size int) {
	if rest[0] == '+' {
		return append(out, ' '), 1
	}
	return out, 0
}

// hexPair returns the unescape that reads pairs of hexadecimal digits. A pair may
// begin at even places, or at odd ones.
func hexPair(phase int) unescape {
	return func(out, rest []byte, at int) (_ []byte, size int) {
		if b, ok := hexadecimal(rest, 0, 2); ok && at%2 == phase {
			return append(out, byte(b)), 2
		}
		return out, 0
	}
}

// base64Group returns the unescape that reads groups of four letters of base64, as
// encoding/json writes bytes. A group may begin at each fourth place.
func base64Group(phase int) unescape {
	return func(out, rest []byte, at int) (_ []byte, size int) {
		if at%4 != phase {
			return out, 0
		}
		var group [4]byte
		for size < min(len(rest), len(group)) {
			group[size] = rest[size]
			switch group[size] {
			case '-':
				group[size] = '+'
			case '_':
				group[size] = '/'
			}
			size++
		}
		if size < 2 { // no byte
			return out, 0
		}
		decoded, err := base64.RawStdEncoding.AppendDecode(out, group[:size])
		if err != nil {
			return out, 0
		}
		return decoded, size
	}
}

// byteListElement returns the unescape that reads an element of a list of bytes, such as
// [104 117], []byte{0x68, 0x75} or 68 75, with what separates it from the next.
func byteListElement(base int) unescape {
	return func(out, rest []byte, _ int) (_ []byte, size int) {
		if base == 16 && (bytes.HasPrefix(rest, []byte("0x")) || bytes.HasPrefix(rest, []byte("0X"))) {
			size = len("0x")
		}
		digits := 0
		for digits < 4 && size+digits < len(rest) && isDigit(rest[size+digits], base) {
			digits++
		}
		b, err := strconv.ParseUint(string(rest[size:size+digits]), base, 8)
		if err != nil {
			return out, 0
		}
		size += digits
		for size < len(rest) && (rest[size] == ' ' || rest[size] == ',') {
			size++
		}
		return append(out, byte(b)), size
	}
}

func isDigit(b byte, base int) bool {
	return '0' <= b && b <= '9' || base == 16 && ('a' <= b && b <= 'f' || 'A' <= b && b <= 'F')
}

// hexadecimal reads n hexadecimal digits at a place in b.
func hexadecimal(b []byte, at, n int) (rune, bool) {
	if n == 0 || len(b) < at+n {
		return 0, false
	}
	var r rune
	for _, c := range b[at : at+n] {
		if !isDigit(c, 16) {
			return 0, false
		}
		r = r<<4 | rune(c&0xf)
		if c >= 'A' {
			r += 9
		}
	}
	return r, true
}
