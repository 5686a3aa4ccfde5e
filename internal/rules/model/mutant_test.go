package model

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var counts = flag.Bool("counts", false, "go on after the first harm without a name, and print how many histories show one")

// TestMutants plays histories with the mutants of the rules that it is told to.
// TestMutations in the package of the rules compiles them in.
func TestMutants(t *testing.T) {
	f := flag.Lookup("mutants")
	if f == nil {
		t.Skip("there are none in these rules")
	}
	f.Value.(interface{ Each(found func() bool) }).Each(func() bool {
		w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}}
		harms := 0
		for seed := range uint64(*histories) {
			for _, k := range kinds {
				if found := w.play(k, seed); len(found) > 0 && found[0].limit == "" {
					harms++
				}
				if harms > 0 && !*counts {
					return true
				}
			}
		}
		fmt.Println("harm in", harms)
		return harms > 0
	})
}
