package forms

import (
	"strings"
	"testing"
)

// What Of returns stands in what each form makes of a longer text, wherever in it the secret is.
func TestOfStandsInEveryForm(t *testing.T) {
	for _, secret := range []string{"hunter2", `pa"ss'word\1`, "été <&> +/=", "東京都"} {
		all := Of(secret)
		for _, f := range All {
			for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
				for _, after := range []string{"", "x", "xy", "xyz"} {
					text := f.Write(before + secret + after)
					if !containsAny(text, all) {
						t.Errorf("%s of %q: nothing of %q is in %s", f.Name, before+secret+after, all, text)
					}
					if record := inJSON(map[string]string{"error": text}); !containsAny(record, all) {
						t.Errorf("%s of %q: nothing of %q is in %s", f.Name, before+secret+after, all, record)
					}
					if other := f.Write(before + "battery" + after); containsAny(other, all) {
						t.Errorf("%s of another text: something of %q is in %s", f.Name, all, other)
					}
				}
			}
		}
	}
}

// Whoever looks for the forms of a beginning first misses none of the whole: each has one of them in it.
func TestEachFormHasOneOfTheBeginning(t *testing.T) {
	for _, secret := range []string{"hunter2", "abcdefgh", `pa"ss'word\1`, "`tick`\n\"quote\"", "été <&> +/=", "東京都大阪府", "a\x00\x01\x02\xff\xfe-", "https://x:y@z/?a=b#c", "%41%42%43%44"} {
		first := Beginning(secret)
		if len(first) < 4 || first == secret || !strings.HasPrefix(secret, first) {
			t.Errorf("%q begins with %q", secret, first)
		}
		beginnings := Of(first)
		for _, form := range Of(secret) {
			if !containsAny(form, beginnings) {
				t.Errorf("%q is a form of %q, and has none of %q in it", form, secret, first)
			}
		}
	}
}

func containsAny(text string, forms []string) bool {
	for _, form := range forms {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}
