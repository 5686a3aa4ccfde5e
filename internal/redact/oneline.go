package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks where a text was cut.
const ellipsis = "…"

// OneLine returns text as one line that every log and XML can hold: line ends
// and tabs become a space, other control characters and invisible ones, which
// can reverse the text around them, are removed, and what is no UTF-8 becomes U+FFFD. Of a text longer than limit bytes the start is left,
// cut between two characters, with "…" in the place of the rest.
func OneLine(text string, limit int) string {
	kept, cut := start(text, limit)
	kept = clean(kept)
	if longer, again := start(kept, limit); again { // U+FFFD is longer than what it stands for
		kept, cut = longer, true
	}
	if cut {
		kept += ellipsis
	}
	return kept
}

// start returns the first limit bytes of text without a partial character at the end,
// and whether it cut anything.
func start(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	for back := 0; back < utf8.UTFMax && limit > 0 && !utf8.RuneStart(text[limit]); back++ {
		limit--
	}
	return text[:limit], true
}

// clean makes text one line.
func clean(text string) string {
	if isClean(text) {
		return strings.TrimSpace(text)
	}
	var v view
	v.decode(&cleaning, viewOf(text))
	return strings.TrimSpace(string(v.text))
}

// isClean reports whether a log, and XML, can hold text as it is.
func isClean[T string | []byte](text T) bool {
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if b < ' ' || b == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		if r == utf8.RuneError && n < 2 || isUnprintable(r) {
			return false
		}
		i += n
	}
	return true
}

func isUnprintable(r rune) bool {
	const nonJoiner, joiner = 0x200C, 0x200D // of Persian and Indic letters, and of emoji
	switch r {
	case nonJoiner, joiner:
		return false
	case '\u2028', '\u2029', '\ufffe', '\uffff':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// isLineEnd reports whether r becomes a space.
func isLineEnd(r rune) bool {
	switch r {
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) && unicode.IsSpace(r)
}

// cleaning takes out what cannot be printed, as an encoding is undone. Several
// line ends with nothing between them, or beside a space, are one space.
var cleaning = encoding{begins: notPrintableASCII(), inPlace: true, unit: func(out, rest []byte, _ int, _ bool) (_ []byte, size int) {
	space := false
	for size < len(rest) {
		r, n := utf8.DecodeRune(rest[size:])
		if !isUnprintable(r) {
			if size == 0 {
				if r == utf8.RuneError {
					return append(out, "\ufffd"...), n
				}
				return append(out, rest[:n]...), n
			}
			if space && r != ' ' {
				out = append(out, ' ')
			}
			return out, size
		}
		space = space || isLineEnd(r)
		size += n
	}
	return out, size
}}

func notPrintableASCII() (in [256]bool) {
	for b := range in {
		in[b] = b < ' ' || b >= 0x7f
	}
	return in
}
