package model

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

var histories = flag.Int("histories", 0, "how many to play of each kind")

var kinds = []kind{
	{name: "named", naming: byStableID},
	{name: "found", naming: byService, finds: true, token: true},
	{name: "found, without client tokens", naming: byService, finds: true},
	{name: "found, by the template's name", naming: byTemplate, finds: true},
	{name: "neither", naming: byService},
}

// TestHistories plays random histories of each kind of handler, and finds nothing but what
// docs/rough_edges.md names. Among all of them, each of these limits shows.
func TestHistories(t *testing.T) {
	n := testrun.Share(20_000, 1_000_000)
	if *histories > 0 {
		n = *histories
	}
	var shown sync.Map
	t.Run("kinds", func(t *testing.T) {
		for _, k := range kinds {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				counts := make(map[string]int)
				w := &world{pcg: rand.NewPCG(0, 0), stack: &stack{}}
				unknown := 0
				for seed := range uint64(n) {
					found := w.play(k, seed)
					if len(found) == 0 {
						continue
					}
					name := found[0].limit
					if name != "" {
						counts[name]++
						shown.Store(name, true)
						continue
					}
					if unknown++; unknown > 3 {
						break
					}
					w.tells = true
					w.play(k, seed)
					t.Errorf("seed %d:\n%s", seed, strings.Join(w.told, "\n"))
					w.tells = false
				}
				t.Logf("%d histories", n)
				for _, name := range limits {
					if counts[name] > 0 {
						t.Logf("%7d did %s", counts[name], name)
					}
				}
			})
		}
	})
	for _, name := range limits {
		if _, ok := shown.Load(name); !ok && testrun.Thorough() {
			t.Errorf("no history shows any more that %s", name)
		}
	}
}

// What is known not to hold is told to users, by the same name.
func TestRoughEdgesNamesEachLimit(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/rough_edges.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range limits {
		if !strings.Contains(string(doc), `"`+name+`"`) {
			t.Errorf("docs/rough_edges.md does not name %q", name)
		}
	}
}
