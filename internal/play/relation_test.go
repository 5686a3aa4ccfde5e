package play

import "testing"

// A text that has another in it twice is that text doubled only if it holds nothing else: a path is not made of its slashes.
func TestATextIsDoubledIfItHoldsNothingElse(t *testing.T) {
	for _, c := range []struct{ got, want, sign string }{
		{"ab,ab", "ab", "doubled"},
		{"abab", "ab", "doubled"},
		{"/staff/", "/", ""},
		{"ab c ab", "ab", ""},
	} {
		if sign := relateTexts(c.got, c.want); sign != c.sign {
			t.Errorf("%q for %q is %q, want %q", c.got, c.want, sign, c.sign)
		}
	}
}
