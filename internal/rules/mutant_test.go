package rules_test

import (
	"flag"
	"testing"
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
	m.Each(func() bool {
		if phaseOf() != "" || manyAreFound() != "" {
			return true
		}
		_, broken := walk(facts, *most, m.Met)
		return broken != ""
	})
}
