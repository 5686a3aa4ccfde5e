package redact

import (
	"flag"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/redact/forms"
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
			for _, before := range []string{"", "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaa", "aaaaaaa"} {
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
	paths = flag.Int("paths", testrun.Share(1_000, 30_000), "how many `paths` of encoders to try")
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
var encoders = append(listed(), encoder{"the error of url.Parse", func(s string) string {
	if _, err := url.Parse("http://h\x00/" + s); err != nil && !strings.Contains(s, "#") { // it quotes nothing from # on
		return err.Error()
	}
	return s
}})

// listed are the forms of the table.
func listed() (all []encoder) {
	for _, f := range forms.All {
		if !f.First {
			all = append(all, encoder{f.Name, f.Write})
		}
	}
	return all
}

// What a form makes of a secret alone is recognised, and what another makes of that.
func TestEveryFormOfASecretAlone(t *testing.T) {
	for _, secret := range []string{`pa"ss-word1`, "it's", `a''b"c""d`, "hunter2"} {
		var r Redactor
		r.Add(secret)
		for _, f := range forms.All {
			checkPath(t, &r, secret, path{{encoder: encoder{f.Name, f.Write}}})
			for _, second := range testrun.Sample(7, encoders) {
				checkPath(t, &r, secret, path{{"key=", ".", encoder{f.Name, f.Write}}, {encoder: second}})
			}
		}
	}
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
