package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// An encoder is one way in which a text is written into another.
type encoder struct {
	name  string
	write func(text string) string
}

// encoders are what is promised: whatever one of them made of a secret, or of what
// another made of it, is recognised.
var encoders = []encoder{
	{"%q", printed("%q", asString)}, {"%+q", printed("%+q", asString)}, {"%#q", printed("%#q", asString)}, {"%#v", printed("%#v", asString)},
	{"%x", printed("%x", asString)}, {"%X", printed("%X", asString)}, {"% x", printed("% x", asString)}, {"%#x", printed("%#x", asString)}, {"% #X", printed("% #X", asString)},
	{"%v of bytes", printed("%v", asBytes)}, {"%#v of bytes", printed("%#v", asBytes)}, {"%q of bytes", printed("%q", asBytes)}, {"% #x of bytes", printed("% #x", asBytes)},
	{"%c of bytes", printed("%c", asBytes)}, {"%o of bytes", printed("%o", asBytes)}, {"%#o of bytes", printed("%#o", asBytes)}, {"%O of bytes", printed("%O", asBytes)},
	{"%b of bytes", printed("%b", asBytes)}, {"%08b of bytes", printed("%08b", asBytes)}, {"%#b of bytes", printed("%#b", asBytes)}, {"%U of bytes", printed("%U", asBytes)},
	{"%v of runes", printed("%v", asRunes)}, {"%#v of runes", printed("%#v", asRunes)}, {"%q of runes", printed("%q", asRunes)}, {"%+q of runes", printed("%+q", asRunes)},
	{"%c of runes", printed("%c", asRunes)}, {"%x of runes", printed("%x", asRunes)}, {"%#x of runes", printed("%#x", asRunes)}, {"%o of runes", printed("%o", asRunes)},
	{"%b of runes", printed("%b", asRunes)}, {"%U of runes", printed("%U", asRunes)},
	{"JSON", func(s string) string { return inJSON(s) }},
	{"JSON without HTML", plainJSON},
	{"JSON of a map", func(s string) string { return inJSON(map[string]any{"p": s, "n": 1}) }},
	{"JSON of bytes", func(s string) string { return inJSON([]byte(s)) }},
	{"JSON of an array of bytes", func(s string) string { return inJSON(numbers(s)) }},
	{"JSON of runes", func(s string) string { return inJSON([]rune(s)) }},
	{"indented JSON of runes", func(s string) string { b, _ := json.MarshalIndent([]rune(s), "", "  "); return string(b) }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 without padding", func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs", func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs without padding", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"QueryEscape", url.QueryEscape}, {"PathEscape", url.PathEscape},
	{"Values.Encode", func(s string) string { return url.Values{"p": {s}}.Encode() }},
	{"URL.String", func(s string) string { return (&url.URL{Scheme: "https", Host: "h.example", Path: "/" + s}).String() }},
	{"a key of Values.Encode", func(s string) string { return url.Values{s: {"x"}}.Encode() }},
	{"QueryEscape in small letters", func(s string) string { return small(url.QueryEscape(s)) }},
	{"PathEscape in small letters", func(s string) string { return small(url.PathEscape(s)) }},
	{"a URL's fragment", func(s string) string { return (&url.URL{Fragment: s}).String() }},
	{"url.Error", func(s string) string { return (&url.Error{Op: "Put", URL: s, Err: errors.New("no")}).Error() }},
	{"the error of url.Parse", func(s string) string {
		if _, err := url.Parse("http://h\x00/" + s); err != nil && !strings.Contains(s, "#") { // it quotes nothing from # on
			return err.Error()
		}
		return s
	}},
	{"userinfo", func(s string) string {
		return (&url.URL{Scheme: "https", Host: "h.example", User: url.UserPassword("admin", s)}).String()
	}},
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

// small returns a text with its percent escapes in small letters.
func small(text string) string {
	return percentEscape.ReplaceAllStringFunc(text, strings.ToLower)
}

var percentEscape = regexp.MustCompile("%[0-9A-F]{2}")

func inJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func plainJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A path is several encoders, one after the other, each with what stands around the
// text that it writes.
type path []step

type step struct {
	before, after string
	encoder
}

// write returns what the path makes of a text, and how long the text is at each step.
func (p path) write(text string) (string, []int) {
	var lengths []int
	for _, s := range p {
		text = s.encoder.write(s.before + text + s.after)
		lengths = append(lengths, len(text))
	}
	return text, lengths
}

func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteString(", then ")
		}
		b.WriteString(s.name)
		if s.before+s.after != "" {
			b.WriteString(" of " + strconv.Quote(s.before+"…"+s.after))
		}
	}
	return b.String()
}
