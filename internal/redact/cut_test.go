package redact

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

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
	for _, first := range testrun.Sample(11, encoders) {
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
