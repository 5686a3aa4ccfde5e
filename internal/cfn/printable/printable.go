// Package printable makes text of strangers safe to show: what a handler, a template or
// a service wrote cannot move a terminal's cursor, colour or clear its screen, forge a
// line, or reverse the text around it.
package printable

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text replaces each character that is not to be seen by U+FFFD, except line feeds and
// tabs: control characters, with which escape sequences begin, marks and overrides of
// the direction of writing, invisible characters, and bytes that are not UTF-8. Only the
// two invisible characters that join or part letters are left.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return shown(r)
	}, s)
}

// Line is Text for what is to stay on one line: line feeds are replaced too.
func Line(s string) string { return strings.Map(shown, s) }

// Cut returns a text of so many bytes at most, and an ellipsis for what it leaves out.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Word returns a text as one word of a shell's command, to be copied.
func Word(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plainWord matches a word that no shell needs quoted.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@+-]+$`)

// JSON escapes in a JSON document what Text replaces. The document says the same.
func JSON(document []byte) []byte {
	return escape(document, func(out []byte, r rune) []byte {
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	})
}

// XML is JSON for an XML document, whose names have nothing to be escaped.
func XML(document []byte) []byte {
	return escape(document, func(out []byte, r rune) []byte { return fmt.Appendf(out, "&#x%X;", r) })
}

func escape(document []byte, appendEscaped func([]byte, rune) []byte) []byte {
	out := make([]byte, 0, len(document))
	for _, r := range string(document) {
		if r == '\n' || shown(r) == r {
			out = utf8.AppendRune(out, r)
		} else {
			out = appendEscaped(out, r)
		}
	}
	return out
}

// shown returns a character, or what is shown instead of it.
func shown(r rune) rune {
	const nonJoiner, joiner = 0x200C, 0x200D // of Persian and Indic letters, and of emoji
	if unicode.IsGraphic(r) || r == '\t' || r == nonJoiner || r == joiner {
		return r
	}
	return unicode.ReplacementChar
}
