// Package forms is the table of the forms in which a secret is recognised: what common encoders
// make of it. Whoever looks for secrets, or hides them, goes by this table. Package redact undoes the
// forms; the test kit and cfnlocal write them, and look for what they have written. So none of them
// can miss what another misses by the same mistake in code.
package forms

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Form is one way to write a text.
type Form struct {
	Name  string
	Write func(text string) string
	First bool // it is recognised of the secret alone, not of what another form made of it

	// What Write adds around the text, in bytes.
	before, after int
	// How many bits of the text each letter stands for, if that is no whole number of bytes; else 0.
	bits int
}

// All are the forms that are recognised. What stands in another text is recognised, too.
var All = []Form{
	{Name: "as it is", Write: func(s string) string { return s }},
	{"%q", printed("%q", asString), false, 1, 1, 0}, {"%+q", printed("%+q", asString), false, 1, 1, 0},
	{"%#q", printed("%#q", asString), false, 1, 1, 0}, {"%#v", printed("%#v", asString), false, 1, 1, 0},
	{"%x", printed("%x", asString), false, 0, 0, 0}, {"%X", printed("%X", asString), false, 0, 0, 0}, {"% x", printed("% x", asString), false, 0, 0, 0},
	{"%#x", printed("%#x", asString), false, 2, 0, 0}, {"% #X", printed("% #X", asString), false, 0, 0, 0},
	{"%v of bytes", printed("%v", asBytes), false, 1, 1, 0}, {"%#v of bytes", printed("%#v", asBytes), false, 7, 1, 0},
	{"%q of bytes", printed("%q", asBytes), false, 1, 1, 0}, {"% #x of bytes", printed("% #x", asBytes), false, 0, 0, 0},
	{"%c of bytes", printed("%c", asBytes), false, 1, 1, 0}, {"%o of bytes", printed("%o", asBytes), false, 1, 1, 0},
	{"%#o of bytes", printed("%#o", asBytes), false, 1, 1, 0}, {"%O of bytes", printed("%O", asBytes), false, 1, 1, 0},
	{"%b of bytes", printed("%b", asBytes), false, 1, 1, 0}, {"%08b of bytes", printed("%08b", asBytes), false, 1, 1, 0},
	{"%#b of bytes", printed("%#b", asBytes), false, 1, 1, 0}, {"%U of bytes", printed("%U", asBytes), false, 1, 1, 0},
	{"%v of runes", printed("%v", asRunes), false, 1, 1, 0}, {"%#v of runes", printed("%#v", asRunes), false, 8, 1, 0},
	{"%q of runes", printed("%q", asRunes), false, 1, 1, 0}, {"%+q of runes", printed("%+q", asRunes), false, 1, 1, 0},
	{"%c of runes", printed("%c", asRunes), false, 1, 1, 0}, {"%x of runes", printed("%x", asRunes), false, 1, 1, 0},
	{"%#x of runes", printed("%#x", asRunes), false, 1, 1, 0}, {"%o of runes", printed("%o", asRunes), false, 1, 1, 0},
	{"%b of runes", printed("%b", asRunes), false, 1, 1, 0}, {"%U of runes", printed("%U", asRunes), false, 1, 1, 0},
	{"JSON", func(s string) string { return inJSON(s) }, false, 1, 1, 0},
	{"JSON without HTML", plainJSON, false, 1, 1, 0},
	{"JSON of a map", func(s string) string { return inJSON(map[string]any{"p": s, "n": 1}) }, false, len(`{"n":1,"p":"`), len(`"}`), 0},
	{"JSON of bytes", func(s string) string { return inJSON([]byte(s)) }, false, 1, 1, 6},
	{"JSON of an array of bytes", func(s string) string { return inJSON(numbers(s)) }, false, 1, 1, 0},
	{"JSON of runes", func(s string) string { return inJSON([]rune(s)) }, false, 1, 1, 0},
	{"indented JSON of runes", indented, false, len("[\n  "), len("\n]"), 0},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }, false, 0, 0, 0},
	{"base64", inBase64(base64.StdEncoding), false, 0, 0, 6},
	{"base64 without padding", inBase64(base64.RawStdEncoding), false, 0, 0, 6},
	{"base64 for URLs", inBase64(base64.URLEncoding), false, 0, 0, 6},
	{"base64 for URLs without padding", inBase64(base64.RawURLEncoding), false, 0, 0, 6},
	{"base32", inBase32(base32.StdEncoding), false, 0, 0, 5},
	{"base32 without padding", inBase32(base32.StdEncoding.WithPadding(base32.NoPadding)), false, 0, 0, 5},
	{"QueryEscape", url.QueryEscape, false, 0, 0, 0}, {"PathEscape", url.PathEscape, false, 0, 0, 0},
	{"QueryEscape in small letters", func(s string) string { return small(url.QueryEscape(s)) }, false, 0, 0, 0},
	{"PathEscape in small letters", func(s string) string { return small(url.PathEscape(s)) }, false, 0, 0, 0},
	{"Values.Encode", func(s string) string { return url.Values{"p": {s}}.Encode() }, false, len("p="), 0, 0},
	{"a key of Values.Encode", func(s string) string { return url.Values{s: {"x"}}.Encode() }, false, 0, len("=x"), 0},
	{"URL.String", func(s string) string { return (&url.URL{Scheme: "https", Host: "h.example", Path: "/" + s}).String() }, false, len("https://h.example/"), 0, 0},
	{"a URL's fragment", func(s string) string { return (&url.URL{Fragment: s}).String() }, false, len("#"), 0, 0},
	{"url.Error", func(s string) string { return (&url.Error{Op: "Put", URL: s, Err: errors.New("no")}).Error() }, false, len(`Put "`), len(`": no`), 0},
	{"userinfo", func(s string) string {
		return (&url.URL{Scheme: "https", Host: "h.example", User: url.UserPassword("admin", s)}).String()
	}, false, len("https://admin:"), len("@h.example"), 0},
	{"SQL", func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }, true, 1, 1, 0},
	{"CSV", func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }, true, 1, 1, 0},
}

// Of returns what stands in a text that holds a secret in one of the forms, or in a record of JSON
// that holds such a text: each once, in order of length, the longest first. Where the form has
// letters that hold bits of two bytes, it is one for each place at which the secret can begin,
// without the letters that hold bits of the text beside it.
func Of(secret string) (all []string) {
	for _, f := range All {
		places := 1
		for f.bits > 0 && places*8%f.bits != 0 {
			places++
		}
		for place := range places {
			form := f.inside(secret, place)
			if form == "" {
				continue
			}
			all = append(all, form)
			if strings.ContainsFunc(form, isEscaped) { // most forms stay as they are in JSON
				for _, quoted := range []string{inJSON(form), plainJSON(form)} {
					all = append(all, quoted[1:len(quoted)-1])
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

// Beginning returns the first characters of a secret, four bytes at least. A text that holds a form of the secret holds one of
// theirs, which is found sooner.
func Beginning(secret string) string {
	end := min(4, len(secret))
	for end < len(secret) && !utf8.RuneStart(secret[end]) {
		end++
	}
	return secret[:end]
}

// isEscaped reports whether JSON may have another form of a character.
func isEscaped(r rune) bool {
	switch r {
	case '"', '\\', '<', '>', '&':
		return true
	}
	return r < ' ' || r >= utf8.RuneSelf
}

// inside returns what stands for a secret alone, that many bytes behind the text's beginning.
func (f Form) inside(secret string, place int) string {
	written := f.Write(strings.Repeat("\x00", place) + secret)
	if len(written) < f.before+f.after {
		return "" // it has another form, of which there is a row
	}
	written = written[f.before : len(written)-f.after]
	if f.bits == 0 {
		return written
	}
	return written[(place*8+f.bits-1)/f.bits : (place+len(secret))*8/f.bits]
}

func asString(s string) any { return s }
func asBytes(s string) any  { return []byte(s) }
func asRunes(s string) any  { return []rune(s) }

func numbers(s string) (all []int) {
	for _, b := range []byte(s) {
		all = append(all, int(b))
	}
	return all
}

// printed returns the encoder that prints a text, as some type, with a verb of fmt.
func printed(verb string, as func(string) any) func(string) string {
	return func(s string) string { return fmt.Sprintf(verb, as(s)) }
}

func inBase64(e *base64.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

func inBase32(e *base32.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

// small returns a text with its percent escapes in small letters, as some languages write them.
func small(text string) string { return percentEscape.ReplaceAllStringFunc(text, strings.ToLower) }

var percentEscape = regexp.MustCompile("%[0-9A-F]{2}")

func inJSON(v any) string {
	b, _ := json.Marshal(v) // a text, or a list of numbers
	return string(b)
}

func plainJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}

func indented(s string) string {
	b, _ := json.MarshalIndent([]rune(s), "", "  ")
	return string(b)
}
