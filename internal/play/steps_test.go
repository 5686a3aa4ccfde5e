package play

import (
	"strings"
	"testing"
)

func TestWhatThereIsHasNoOrder(t *testing.T) {
	type box struct{ size int }
	for _, tt := range []struct {
		a, b inventory
		want bool
	}{
		{nil, inventory{}, true},
		{inventory{box{1}, box{2}}, inventory{box{2}, box{1}}, true},
		{inventory{box{1}, box{1}}, inventory{box{1}, box{2}}, false},
		{inventory{box{1}, box{2}}, inventory{box{1}, box{1}}, false},
		{inventory{box{1}}, inventory{box{1}, box{1}}, false},
		{inventory{nil}, inventory{nil}, true},
		{inventory{&box{1}}, inventory{&box{1}}, true},
	} {
		if got := tt.a.same(tt.b); got != tt.want {
			t.Errorf("%v and %v: %v", tt.a, tt.b, got)
		}
	}
}

// A Step is written as s, and a change as E.
func TestTheMissingStepIsNamed(t *testing.T) {
	for calls, want := range map[string]string{
		"":           "",
		"s":          "",
		"sEs":        "",
		"sEssEs":     "",
		"sssEsss":    "",
		"Es":         "",
		"EsEs":       "", // only after
		"E":          "calls no Step",
		"sE":         "after Step 4, and calls no Step after that",
		"sEsE":       "after Step 5, and calls no Step after that", // only before
		"sEsEs":      "before Step 5 and after it",
		"ssEssEsEss": "before Step 8 and after it",
		"EssE":       "after Step 5, and calls no Step after that",
	} {
		c := stepCall{Method: "Create", First: 4, Changes: []bool{false}}
		for _, what := range calls {
			if what == 'E' {
				c.Changes[len(c.Changes)-1] = true
			} else {
				c.Changes = append(c.Changes, false)
			}
		}
		got := c.missing()
		if !strings.Contains(got, want) || (got == "") != (want == "") || got != "" && !strings.HasPrefix(got, "the handler's Create changes") {
			t.Errorf("%s: %q, want %q", calls, got, want)
		}
	}
}
