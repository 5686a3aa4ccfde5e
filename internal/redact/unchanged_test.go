package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A text without secrets stays as it is, whatever encodings of other things it holds.
func TestOtherTextsAreUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("the service refused [1 2 3] a subscription: status 404 in 2026-11-23T14:08:04Z of 4f0c9a2e-77aa-4c11 hunter passw0rd ['a' 'b'] 0x61 0x62 /x/y+z 100% \\n \"quoted\"")
	for range testrun.Share(200, 30_000) {
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
		if got, want := r.Redact(text.String(), text.Len()), OneLine(text.String(), text.Len()); got != want {
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
