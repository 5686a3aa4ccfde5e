package model

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// TestMutants plays histories with the mutants of the rules that it is told to.
// TestMutations in the package of the rules compiles them in.
func TestMutants(t *testing.T) {
	f := flag.Lookup("mutants")
	if f == nil {
		t.Skip("there are none in these rules")
	}
	f.Value.(interface{ Each(found func() bool) }).Each(func() bool {
		w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}}
		for seed := range uint64(*histories) {
			for _, k := range kinds {
				if found := w.play(k, seed); len(found) > 0 && found[0].limit == "" {
					return true
				}
			}
		}
		return false
	})
}
