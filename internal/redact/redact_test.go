package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

func redactedOf(text string, secrets ...string) string {
	var r Redactor
	r.Add(secrets...)
	return r.Redact(text, 1000)
}

func TestRedact(t *testing.T) {
	tests := []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"none", "a text", nil, "a text"},
		{"twice", "hunter2 is hunter2", []string{"hunter2"}, "*** is ***"},
		{"one is a part of another", "hunter2000", []string{"hunter2", "hunter2000"}, "***"},
		{"two overlap: nothing of either is left", "abcdef", []string{"abcd", "cdef"}, "***"},
		{"a part of it ends another", "xabcabcd", []string{"abcabce", "cabcd"}, "xab***"},
		{"too short to be redacted", "the the", []string{"the"}, "the the"},
		{"quoted as JSON", `"a\"b\u003cc"`, []string{`a"b<c`}, `"***"`},
		{"quoted as JSON, twice", `"{\"p\":\"a\\\"b\\u003cc\"}"`, []string{`a"b<c`}, `"{\"p\":\"***\"}"`},
		{"quoted as Go", `"a\tbcd\x00"`, []string{"a\tbcd\x00"}, `"***"`},
		{"in a query", "?p=a+b%2Fc", []string{"a b/c"}, "?p=***"},
		{"in a path", "/a%20b%2Fc", []string{"a b/c"}, "/***"},
		{"in small hexadecimal letters", "/a%20b%2fc", []string{"a b/c"}, "/***"},
		{"its bytes", "[104 117 110 116]", []string{"hunt"}, "[***]"},
		{"its bytes as Go", "[]byte{0x68, 0x75, 0x6e, 0x9}", []string{"hun\t"}, "[]byte{***}"},
		{"its bytes with a letter behind them", "got 68 75 6e 74s", []string{"hunt"}, "got ***s"},
		{"its runes in quotes", "got '['h' 'u' 'n' 't']'", []string{"hunt"}, "got '[***]'"},
		{"its characters in a list of lists", "[[  u n t] [a]]", []string{" unt"}, "[*** [a]]"},
		{"its bytes as JSON", `{"a":"aHVudGVyMg=="}`, []string{"hunter2"}, `{"a":"***=="}`},
		{"in hexadecimal", "68756e74 68756E74", []string{"hunt"}, "*** ***"},
		{"in hexadecimal after a letter that is a digit", "id68756e74", []string{"hunt"}, "id***"},
		{"in one line of a hex dump", "00000000  68 75 6e 74  |hunt|", []string{"hunt"}, "00000000  ***|***|"},
		{"in base32", "NB2W45A=", []string{"hunt"}, "***="},
		{"quoted for SQL", "near 'it''s'", []string{"it's"}, "near '***'"},
		{"quoted as ASCII", `"\u00e9t\u00e9"`, []string{"été"}, `"***"`},
		{"beyond the first 64k characters", `"\ud83d\ude00\U0001f600"`, []string{"😀😀"}, `"***"`},
		{"a quote at its end", `it is abc"`, []string{`abc"`}, "it is ***"},
		{"a control character in it", "is ab\x01cd.", []string{"ab\x01cd"}, "is ***."},
		{"complete only without a control character", "is ab\x01cd.", []string{"abcd"}, "is ***."},
		{"its control character is gone", "is abcd.", []string{"ab\x01cd"}, "is ***."},
		{"its line end became a space", "is ab cd.", []string{"ab\ncd\n"}, "is ***."},
		{"written with a line end, quoted", `is "ab\ncd\n".`, []string{"ab cd"}, `is "***\n".`},
		{"no UTF-8", "is \xff\xfe\xfd\xfc, or \ufffd\ufffd\ufffd\ufffd", []string{"\xff\xfe\xfd\xfc"}, "is ***, or ***"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := redactedOf(tt.text, tt.secrets...); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
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

// A cut leaves no part of a secret: what stands before the mask in the whole text is
// all that is kept of it, or less.
func TestCutLeavesNoPart(t *testing.T) {
	for _, secret := range []string{`a"b<c\dé/efgh ijkl`, "\x01\x02😀\n\xff\xfe\"", "hunter2"} {
		var r Redactor
		r.Add(secret)
		for _, e := range encoders {
			text := "it says " + e.write(secret)
			before, _, found := strings.Cut(r.Redact(text, len(text)), mask)
			if !found {
				t.Fatalf("%s: %q is not found", e.name, secret)
			}
			for limit := range len(text) {
				got := r.Redact(text, limit)
				if kept, _, _ := strings.Cut(strings.TrimSuffix(got, ellipsis), mask); !strings.HasPrefix(before, kept) {
					t.Errorf("%s, cut at %d: %q", e.name, limit, got)
				}
			}
		}
	}
}

// Nor does it of a secret that is longer than what is read behind it.
func TestCutInALongSecret(t *testing.T) {
	secret := `a long "key": ` + string(printable(lookAhead+lookAhead/2))
	var r Redactor
	r.Add(secret)
	for _, first := range testrun.Sample(22, encoders) {
		for _, second := range testrun.Sample(13, encoders) {
			text := "it says " + second.write(first.write(secret))
			got := r.Redact(text, lookAhead)
			before, found := strings.CutSuffix(got, mask+ellipsis)
			if !found || len(before) > 200 {
				t.Fatalf("%s, then %s, is left: %.300q", first.name, second.name, got)
			}
			// Line ends make before shorter than what it was made of: then the cut is in front of
			// the secret.
			again := r.Redact(text, len(before)+1)
			if again != got && !strings.HasPrefix(before, strings.TrimSuffix(again, ellipsis)) {
				t.Fatalf("%s, then %s, cut at its start: %.300q", first.name, second.name, again)
			}
		}
	}
}

// printable returns text without a period.
func printable(n int) []byte {
	b := random(n)
	for i := range b {
		b[i] = ' ' + b[i]%95
	}
	return b
}

// A text without secrets stays as it is, whatever encodings of other things it holds.
func TestOtherTextsAreUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("the service refused [1 2 3] a subscription: status 404 in 2026-11-23T14:08:04Z of 4f0c9a2e-77aa-4c11 hunter passw0rd ['a' 'b'] 0x61 0x62 /x/y+z 100% \\n \"quoted\"")
	for range testrun.Share(100, 3_000) {
		var r Redactor
		for range 1 + rng.IntN(3) {
			var secret strings.Builder
			for secret.Len() < 10 {
				secret.WriteByte(alphabets[0][rng.IntN(len(alphabets[0]))])
			}
			r.Add(secret.String())
		}
		var text strings.Builder
		for range rng.IntN(20) {
			if other := password(rng); rng.IntN(2) == 0 {
				form, _ := randomPath(rng, other).write(other)
				text.WriteString(form)
			} else {
				text.WriteString(words[rng.IntN(len(words))])
			}
			text.WriteByte(' ')
		}
		limit := 3 * text.Len() // nothing is cut: U+FFFD is longer than what it stands for
		if got, want := r.Redact(text.String(), limit), OneLine(text.String(), limit); got != want {
			t.Fatalf("%q became %q: %q", want, got, r.secrets)
		}
	}
}

// FuzzRedact: nothing panics, no secret of four bytes is left, and what was
// redacted once stays as it is.
func FuzzRedact(f *testing.F) {
	f.Add("the password is ", "hunter2", "abcd", 1000)
	f.Add("\xff\"\\", "\\\"\xff\xff", "%25%", 10)
	f.Add("a\x00b", "ab\ncd", "b\r\nc\u2028", 3)
	f.Add("[104 117 110] ['h' '\\n'] [h u n] [U+0068] 0x68 0b1 6875 aHVu \\ud83d\\ude00 %4", "hun\n", "h+ n", 100)
	f.Fuzz(func(t *testing.T, text, one, other string, limit int) {
		limit = max(0, min(limit, 1<<16))
		var r Redactor
		r.Add(one, other)
		got := r.Redact(text+one+other+text, limit)
		if got == tooManyViews {
			return
		}
		if len(got) > limit+2*len(ellipsis)+len(mask) {
			t.Errorf("%d bytes, the limit is %d", len(got), limit)
		}
		if !utf8.ValidString(got) || !isClean(got) {
			t.Errorf("%q is not one clean line", got)
		}
		for _, secret := range []string{one, other} {
			// What stands for a secret can make up one that has stars itself, and "…"
			// one that ends within a character.
			if len(secret) >= minSecret && utf8.ValidString(secret) && !strings.ContainsAny(secret, "*…") && strings.Contains(got, secret) {
				t.Errorf("%q still holds %q", got, secret)
			}
		}
		// Where a control character goes, what stands around it can be read anew.
		if !strings.ContainsAny(one+other, "*…") && isClean(text+one+other) {
			if again := r.Redact(got, len(got)); again != got && !strings.Contains(got, mask) {
				t.Errorf("%q becomes %q", got, again)
			}
		}
	})
}

// FuzzPath: no path of encoders leaves a secret.
func FuzzPath(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, one, two uint64) {
		rng := rand.New(rand.NewPCG(one, two))
		secret := password(rng)
		var r Redactor
		r.Add(secret)
		checkPath(t, &r, secret, randomPath(rng, secret))
	})
}
