package effect_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/effect"
)

func TestWhatThereIsHasNoOrder(t *testing.T) {
	type box struct{ size int }
	for _, tt := range []struct {
		a, b effect.Moment
		want bool
	}{
		{nil, effect.Moment{}, true},
		{effect.Moment{box{1}, box{2}}, effect.Moment{box{2}, box{1}}, true},
		{effect.Moment{box{1}, box{1}}, effect.Moment{box{1}, box{2}}, false},
		{effect.Moment{box{1}, box{2}}, effect.Moment{box{1}, box{1}}, false},
		{effect.Moment{box{1}}, effect.Moment{box{1}, box{1}}, false},
		{effect.Moment{nil}, effect.Moment{nil}, true},
		{effect.Moment{&box{1}}, effect.Moment{&box{1}}, true},
	} {
		if got := tt.a.Same(tt.b); got != tt.want {
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
		c := effect.Call{Method: "Create", First: 4, Changes: []bool{false}}
		for _, what := range calls {
			if what == 'E' {
				c.Changes[len(c.Changes)-1] = true
			} else {
				c.Changes = append(c.Changes, false)
			}
		}
		got := c.Missing()
		if !strings.Contains(got, want) || (got == "") != (want == "") || got != "" && !strings.HasPrefix(got, "the handler's Create changes") {
			t.Errorf("%s: %q, want %q", calls, got, want)
		}
	}
}
