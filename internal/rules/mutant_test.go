package rules_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// mutants are compiled into the rules by TestMutations.
type mutants interface {
	Each(found func() bool)
	Met() bool
}

var most = flag.Int("most", 0, "how many ways of each fact to walk with a mutant, 0 for all")

// TestMutants tries the mutants that it is told to.
func TestMutants(t *testing.T) {
	f := flag.Lookup("mutants")
	if f == nil {
		t.Skip("there are none in these rules: TestMutations compiles them in")
	}
	m := f.Value.(mutants)
	facts := everyFact()
	if *most == 0 {
		facts = slices.DeleteFunc(facts, alike)
	}
	m.Each(func() bool {
		if phaseOf() != "" || stale() != "" || manyAreFound() != "" {
			return true
		}
		_, broken := walk(facts, *most, m.Met)
		return broken != ""
	})
}

// alike reports whether other facts lead the same ways, but for the first questions and answers,
// which a few ways of each show: nearly all of the time would go into them.
func alike(f given) bool {
	return f.Problems != (rules.Problems{}) || f.Refused.End != rules.Done || f.Late && f.ID != "" ||
		f.Type == lifecycle.Update && f.ID == generated // as theirs
}
