package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
)

type shown struct {
	Name  string
	Parts []string
	Tags  map[string]int
	Next  *shown
	other bool
}

func longer(n int) shown { return shown{Parts: slices.Repeat([]string{"x"}, n)} }

func TestOfTwoStatesOnlyWhatDiffersIsShown(t *testing.T) {
	itself := &shown{Name: "a"}
	itself.Next = itself
	twice, other := map[string]any{}, map[string]any{"c": 1}
	twice["a"], twice["b"], other["a"], other["b"] = twice, twice, twice, twice
	one, three := []any{nil}, []any{nil, 2, 3}
	one[0], three[0] = one, three
	for name, test := range map[string]struct {
		got, want any
		text      string
	}{
		"lists in themselves": {one, three, "\tit is a []interface {} of 1, and it holds itself, want a []interface {} of 3, and it holds itself"},
		"the same":            {shown{Name: "a"}, shown{Name: "a"}, ""},
		"nil and empty":       {shown{Parts: []string{}, Tags: map[string]int{}}, shown{}, ""},
		"a field":             {shown{Name: "a ", other: true}, shown{Name: "a"}, "\tName is \"a \", want \"a\"\n\tother is true, want false"},
		"an element":          {&shown{Parts: []string{"a", "b"}}, &shown{Parts: []string{"a", "c"}}, "\tParts[1] is \"b\", want \"c\""},
		"a number of them":    {shown{Parts: []string{"a"}}, shown{Parts: []string{"a", "c"}}, "\tParts is [a], want [a c]"},
		"a name":              {map[string]any{"a": 1, "b": 2}, map[string]any{"b": 3}, "\ta is 1, want not there\n\tb is 2, want 3"},
		"a name of blanks":    {map[string]any{"  ": 1, "": 2, "a\n": 3}, map[string]any{}, "\t\"\" is 2, want not there\n\t\"  \" is 1, want not there\n\t\"a\\n\" is 3, want not there"},
		"further in":          {shown{Next: &shown{Tags: map[string]int{"a": 1}}}, shown{Next: &shown{Tags: map[string]int{"a": 2}}}, "\tNext.Tags.a is 1, want 2"},
		"nothing":             {nil, "box", "\tit is not there, want \"box\""},
		"far into a list":     {longer(1001), longer(1000), "\tParts is … " + strings.Repeat("x ", 49) + "x x], want … " + strings.Repeat("x ", 49) + "x]"},
		"far into a text":     {shown{Name: strings.Repeat("x", 600) + "a"}, shown{Name: strings.Repeat("x", 600)}, "\tName is …" + strings.Repeat("x", 100) + "a\", want …" + strings.Repeat("x", 100) + "\""},
		"under a long name":   {map[string]int{strings.Repeat("n", 600): 1}, map[string]int{strings.Repeat("n", 600): 2}, "\t" + strings.Repeat("n", 500) + "… is 1, want 2"},
		"what holds itself":   {itself, itself, ""},
		"and twice":           {other, twice, "\tc is 1, want not there"},
	} {
		got := play.Differences(test.got, test.want)
		if diff := cmp.Diff(test.text, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
