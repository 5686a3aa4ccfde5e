package redact

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// quoted returns what the packages that errors are made with write of a
// secret, by the name of the way.
func quoted(secret string) map[string]string {
	asJSON := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	plainJSON := func(v any) string {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			panic(err)
		}
		return b.String()
	}
	lower := func(s string) string { // the hexadecimal digits of its escapes
		for i := 0; i+2 < len(s); i++ {
			if s[i] == '%' {
				s = s[:i+1] + strings.ToLower(s[i+1:i+3]) + s[i+3:]
			}
		}
		return s
	}
	u := url.URL{Scheme: "https", Host: "h.example", Path: "/" + secret}
	user := url.URL{Scheme: "https", Host: "h.example", User: url.UserPassword("admin", secret)}
	_, parseError := url.Parse("http://h\x00/" + strings.ReplaceAll(secret, "#", "")) // which quotes nothing from # on
	if strings.Contains(secret, "#") {
		parseError = errors.New(secret)
	}
	return map[string]string{
		"%s": secret, "%q": fmt.Sprintf("%q", secret), "%+q": fmt.Sprintf("%+q", secret), "%#q": fmt.Sprintf("%#q", secret),
		"%#v": fmt.Sprintf("%#v", secret), "%v of a struct": fmt.Sprintf("%+v", struct{ Password string }{secret}),
		"%v of bytes": fmt.Sprintf("%v", []byte(secret)), "%#v of bytes": fmt.Sprintf("%#v", []byte(secret)), "%q of bytes": fmt.Sprintf("%q", []byte(secret)),
		"%x": fmt.Sprintf("%x", secret), "%X": fmt.Sprintf("%X", secret), "% x": fmt.Sprintf("% x", secret), "%#x": fmt.Sprintf("%#x", secret),
		"% #X of bytes": fmt.Sprintf("% #X", []byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
		"%q of %q": fmt.Sprintf("%q", strconv.Quote(secret)),
		"JSON":     asJSON(secret), "JSON without HTML": plainJSON(secret), "JSON of bytes": asJSON([]byte(secret)),
		"JSON twice": asJSON(asJSON(secret)), "JSON twice without HTML": plainJSON(plainJSON(secret)), "JSON in %q": fmt.Sprintf("%q", asJSON(map[string]string{"p": secret})),
		"query": url.QueryEscape(secret), "query in small letters": lower(url.QueryEscape(secret)), "Values.Encode": url.Values{"p": {secret}, secret: {"x"}}.Encode(),
		"path": url.PathEscape(secret), "path in small letters": lower(url.PathEscape(secret)), "path in JSON": asJSON("/" + url.PathEscape(secret)),
		"EscapedPath": u.EscapedPath(), "URL.String": u.String(), "fragment": (&url.URL{Fragment: secret}).String(),
		"userinfo": user.User.String(), "URL.String with userinfo": user.String(), "url.Error": (&url.Error{Op: "Put", URL: user.String(), Err: errors.New("no")}).Error(),
		"url.Parse": parseError.Error(),
	}
}

// sees reports whether a text holds a secret in one of its forms.
func sees(text string, forms map[string]string) (how string, left bool) {
	for how, q := range forms {
		q = strings.Trim(strings.TrimSpace(q), "\"`[]")
		if len(q) >= minSecret && strings.Contains(text, q) {
			return how, true
		}
	}
	return "", false
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

// Whatever a password is made of and whoever wrote it into an error, nothing
// of it is left: before the text's cut, and where that goes through it. A share is a
// thousand.
func TestPasswords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testrun.Share(1_000, 10_000) {
		secret := password(rng)
		var r Redactor
		r.Add(secret)
		forms := quoted(secret)
		for name, form := range forms {
			got := r.Redact("p="+form+" is\nwrong", 1000)
			if how, left := sees(got, forms); left || !strings.Contains(got, mask) {
				t.Fatalf("%q, written by %s, is left by %q in %s", secret, name, how, got)
			}
		}
	}
}

// partOfEscape is what a cut may leave of a secret's first character.
var partOfEscape = regexp.MustCompile(`^(\\{1,3}[xuU]?[0-9a-f]{0,3}|%[0-9a-fA-F]?|(0[xX]?)?[0-9a-fA-F]?|[0-9]{2}|[A-Z])$`)

// A cut leaves no part of a secret: before the mask stands what stands there
// in the whole text, or less.
func TestCutLeavesNoPart(t *testing.T) {
	for _, secret := range []string{`a"b<c\dé/efgh ijkl`, "\x01\x02😀\n\xff\xfe\"", "hunter2"} {
		var r Redactor
		r.Add(secret)
		for name, form := range quoted(secret) {
			text := "it says " + form
			before, _, found := strings.Cut(r.Redact(text, len(text)), mask)
			if !found {
				t.Fatalf("%s: %q is not found", name, secret)
			}
			for limit := range len(text) {
				got := r.Redact(text, limit)
				kept, _, _ := strings.Cut(strings.TrimSuffix(got, ellipsis), mask)
				if rest, longer := strings.CutPrefix(kept, before); !strings.HasPrefix(before, kept) && (!longer || !partOfEscape.MatchString(rest)) {
					t.Errorf("%s, cut at %d: %q", name, limit, got)
				}
			}
		}
	}
}

// FuzzRedact: nothing panics, no secret of four bytes is left, and what was
// redacted once stays as it is.
func FuzzRedact(f *testing.F) {
	f.Add("the password is ", "hunter2", "abcd", 1000)
	f.Add("\xff\"\\", "\\\"\xff\xff", "%25%", 10)
	f.Add("a\x00b", "ab\ncd", "b\r\nc\u2028", 3)
	f.Fuzz(func(t *testing.T, text, one, other string, limit int) {
		limit = max(0, min(limit, 1<<16))
		var r Redactor
		r.Add(one, other)
		got := r.Redact(text+one+other+text, limit)
		if len(got) > limit+2*len(ellipsis)+len(mask) {
			t.Errorf("%d bytes, the limit is %d", len(got), limit)
		}
		if !isClean(got) {
			t.Errorf("%q is not one clean line", got)
		}
		for _, secret := range []string{one, other} {
			// What stands for a secret can make up one that has stars itself.
			if len(secret) >= minSecret && !strings.ContainsAny(secret, "*…") && strings.Contains(got, secret) {
				t.Errorf("%q still holds %q", got, secret)
			}
		}
		if !strings.ContainsAny(one+other, "*…") {
			if again := r.Redact(got, len(got)); again != got && !strings.Contains(got, mask) {
				t.Errorf("%q becomes %q", got, again)
			}
		}
	})
}

// Thirty times the secrets, or the text, cost about thirty times as much:
// 10,500 secrets must not take up the time to answer in. The shapes are those
// that make other ways of searching slow.
func TestRedactGrowsLinearly(t *testing.T) {
	many := func(n int, secret func(i int) string) []string {
		var all []string
		for i := range n {
			all = append(all, secret(i))
		}
		return all
	}
	shapes := map[string]func(n int) (text string, secrets []string){
		"many": func(n int) (string, []string) {
			return strings.Repeat("secret-00042 ", 1000), many(n, func(i int) string { return fmt.Sprintf("secret-%05d", i) })
		},
		"one begins like the other": func(n int) (string, []string) {
			return strings.Repeat("a", 10_000), many(n/50, func(i int) string { return strings.Repeat("a", 400+i%100) + fmt.Sprint(i) })
		},
		"one ends like the other": func(n int) (string, []string) {
			return strings.Repeat("a", 10_000), many(n/50, func(i int) string { return fmt.Sprint(i) + strings.Repeat("a", 400) })
		},
		"every byte follows": func(n int) (string, []string) {
			return strings.Repeat("abcdefgh", 1000), many(n, func(i int) string { return fmt.Sprintf("ab%c%c%c", i%256, i/256, i) })
		},
		"a long text": func(n int) (string, []string) {
			return strings.Repeat(`\\\"%41+ 0x61`, n), []string{"aaaaaaaaaaaa", "hunter2"}
		},
	}
	for name, shape := range shapes {
		cost := func(n int) (time.Duration, uint64) {
			text, secrets := shape(n)
			least, bytes := time.Hour, uint64(0)
			for range 3 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				var r Redactor
				r.Add(secrets...)
				r.Redact(text, 1<<20)
				least = min(least, time.Since(start))
				runtime.ReadMemStats(&after)
				bytes = after.TotalAlloc - before.TotalAlloc
			}
			return least, bytes
		}
		t.Run(name, func(t *testing.T) {
			few, fewBytes := cost(1_000)
			many, manyBytes := cost(30_000)
			t.Logf("1,000: %v, %d kB; 30,000: %v, %d kB", few, fewBytes>>10, many, manyBytes>>10)
			if manyBytes > 36*fewBytes {
				t.Errorf("thirty times as much takes %d and %d bytes", fewBytes, manyBytes)
			}
			if many > 300*few { // linear is 30 and quadratic 900; a busy machine is somewhere between
				t.Errorf("thirty times as much takes %v and %v", few, many)
			}
		})
	}
}

// Beyond the bound nothing is looked for, and nothing is said.
func TestTooManySecrets(t *testing.T) {
	var r Redactor
	r.Add(strings.Repeat("x", maxSecrets), "hunter2")
	if got := r.Redact("hunter2", 100); strings.Contains(got, "hunter") {
		t.Errorf("%q", got)
	}
}

// The common case is free.
func TestNoSecretsCostNothing(t *testing.T) {
	var r Redactor
	const text = "a line that is fit to be logged, größe 東京"
	if n := testing.AllocsPerRun(100, func() { r.Add(); r.Redact(text, 1000) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRedactLines(t *testing.T) {
	var r Redactor
	r.Add("hunter2", "two\nlines")
	if got, want := r.RedactLines("goroutine 1\n\tmain hunter2\x1b\r\ntwo\nlines", 1000), "goroutine 1\nmain ***\n***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := r.RedactLines("hunter2\nmore", 100); got != "***\nmore" {
		t.Errorf("%q", got)
	}
}
