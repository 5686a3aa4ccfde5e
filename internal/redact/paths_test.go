package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Every encoder's output is recognised, and what every second encoder made of it. A share is each
// other first encoder of one secret, and few of the others.
func TestEveryPairOfEncoders(t *testing.T) {
	for i, secret := range []string{`pa"ss-word1`, "a b+c/d%41é€😀\\n'\x01", "hunter2", "pass<word>1", "\xff\xfe\x80ab"} {
		firsts := testrun.Sample(15, encoders)
		if i == 0 {
			firsts = testrun.Sample(2, encoders)
		}
		var r Redactor
		r.Add(secret)
		for _, first := range firsts {
			checkPath(t, &r, secret, path{{encoder: first}})
			for _, second := range encoders {
				checkPath(t, &r, secret, path{{encoder: first}, {encoder: second}})
				checkPath(t, &r, secret, path{{"key=", ".", first}, {"it is: ", `"`, second}})
			}
		}
	}
}

// No row of the table of encodings is there in vain: without it something is left.
func TestEveryEncodingIsNeeded(t *testing.T) {
	all := encodings
	t.Cleanup(func() { encodings = all })
	for i := range all {
		encodings = slices.Delete(slices.Clone(all), i, i+1)
		if left := unrecognised(t); left == "" {
			t.Errorf("without row %d all is recognised", i)
		} else {
			t.Logf("without row %d: %s", i, left)
		}
	}
	encodings = all
	if left := unrecognised(t); left != "" {
		t.Errorf("is not recognised: %s", left)
	}
}

// unrecognised returns what an encoder makes of some secret where that is not
// recognised. Before it stand letters that look like its own.
func unrecognised(t *testing.T) string {
	t.Helper()
	for _, secret := range []string{"hunter2", `pa"s<s`, "été", "東京都"} {
		var r Redactor
		r.Add(secret)
		for _, e := range encoders {
			for _, before := range []string{"", "a", "aa", "aaa"} {
				text := before + e.write(secret)
				for _, text := range []string{text, url.QueryEscape(text)} {
					if got := r.Redact(text, len(text)); !strings.Contains(got, mask) {
						return text
					}
				}
			}
		}
	}
	return ""
}

// alphabets are what passwords are made of.
var alphabets = []string{
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	"aB3!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ",
	"0123456789abcdef", "01%+\\\"u", "aé😀ß\u2028\u00a0<&>", "ab\n\t\r\x00\x1f\x7f", "\xff\xfe\x80a\xc3", "ab",
}

func password(rng *rand.Rand) string {
	alphabet := alphabets[rng.IntN(len(alphabets))]
	var b strings.Builder
	for n := minSecret + rng.IntN(28); b.Len() < n; {
		if r := []rune(alphabet); utf8.ValidString(alphabet) {
			b.WriteRune(r[rng.IntN(len(r))])
		} else {
			b.WriteByte(alphabet[rng.IntN(len(alphabet))])
		}
	}
	return b.String()
}

var (
	befores = []string{"", "", "p=", "key: ", "/x/", `{"p":"`, "id", "x-", "[3] ", "é\n"}
	afters  = []string{"", "", " is wrong", `"}`, "/y", ", 12", "&q=1", "\n"}
)

// randomPath returns a path of one to four encoders that does not make a secret very
// long.
func randomPath(rng *rand.Rand, secret string) (p path) {
	for range 1 + rng.IntN(levels) {
		s := step{encoder: encoders[rng.IntN(len(encoders))]}
		if rng.IntN(2) == 0 {
			s.before, s.after = befores[rng.IntN(len(befores))], afters[rng.IntN(len(afters))]
		}
		longer := append(slices.Clip(p), s)
		if form, _ := longer.write(secret); len(form) > 500 && len(p) > 0 {
			return p
		}
		p = longer
	}
	return p
}

// checkPath reports whether a secret is masked in what a path of encoders makes of it,
// from its first character to its last.
func checkPath(t testing.TB, r *Redactor, secret string, p path) {
	t.Helper()
	form, _ := p.write(secret)
	text := "p=" + form + " is wrong"
	m, _ := r.prepared()
	got, _, ok := m.redact(text, len(text))
	before, _, found := strings.Cut(got, mask)
	if !ok || !found {
		t.Fatalf("%q, written by %s, is left: %q", secret, p, got)
	}
	after := got[strings.LastIndex(got, mask)+len(mask):]
	kept := []string{before, after}
	if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		t.Fatalf("%q, written by %s, is not kept around the secret in %q: %q", secret, p, text, got)
	}
	_, n := utf8.DecodeRuneInString(secret)
	if with := otherForm(p, secret, 0, n); with != "" && len(before) > len("p=")+commonPrefix(form, with) {
		t.Fatalf("%q, written by %s: its start is left in %q, from %q", secret, p, kept, text)
	}
	_, n = utf8.DecodeLastRuneInString(secret)
	if with := otherForm(p, secret, len(secret)-n, len(secret)); with != "" && len(after) > len(" is wrong")+commonSuffix(form, with) {
		t.Fatalf("%q, written by %s: its end is left in %q, from %q", secret, p, kept, text)
	}
}

// otherForm returns what a path makes of the secret with another character from one
// place to another, or "" if there is none that leaves each step's length.
func otherForm(p path, secret string, from, to int) string {
	_, lengths := p.write(secret)
	for _, by := range []int{1, -1, 2, -2} {
		r, n := utf8.DecodeRuneInString(secret[from:to])
		other := string(r + rune(by))
		if r == utf8.RuneError && n == 1 {
			other = string([]byte{secret[from] ^ 1})
		}
		if len(other) != to-from || other == "`" || secret[from] == '`' { // with which %#q quotes otherwise
			continue
		}
		form, others := p.write(secret[:from] + other + secret[to:])
		if slices.Equal(lengths, others) {
			return form
		}
	}
	return ""
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

var (
	paths = flag.Int("paths", testrun.Share(1_000, 100_000), "how many `paths` of encoders to try")
	seed  = flag.Uint64("seed", 1, "the `seed` of random secrets and paths")
)

// Whatever a password is made of and whichever way it took through encoders, it is
// masked. A share is a thousand ways; for more:
//
//	go test ./internal/redact -run RandomPaths -paths 1000000 -seed 2 -timeout 0
func TestRandomPaths(t *testing.T) {
	const perSecret = 5
	rng := rand.New(rand.NewPCG(*seed, 2))
	for range *paths / perSecret {
		secret := password(rng)
		var r Redactor
		r.Add(secret)
		for range perSecret {
			checkPath(t, &r, secret, randomPath(rng, secret))
		}
	}
}

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
