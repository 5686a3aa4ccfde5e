package rules_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// alone are rules of which each keeps one thing from being left or stuck, with the
// mutant that takes the rule out, and how many histories of each kind show the harm.
var alone = []struct {
	rule, mutant string
	histories    int
}{
	{"the phase is asked before a wait", "update.go: update: e.phase() left out", 1_000_000},
	{"what the service deletes is not named any more", "undo.go: undo: o.End == Deleting turned", 100_000},
}

// Histories show harm without each of these rules. With all of them, as many show none:
// see TestHistories of the model.
func TestEachRuleAlone(t *testing.T) {
	testrun.OnlyThorough(t, "a million histories of each kind take minutes")
	m, stages := compileMutants(t)
	for _, a := range alone {
		n := 1 + slices.IndexFunc(m.mutants, func(x mutant) bool { return x.name == a.mutant })
		if n == 0 {
			t.Errorf("there is no such mutant: %s", a.mutant)
			continue
		}
		model := stages[1]
		model.args = []string{"-counts", "-histories=" + strconv.Itoa(a.histories)}
		out, err := model.command(t, strconv.Itoa(n)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, counted, _ := strings.Cut(string(out), "harm in ")
		harms, _, _ := strings.Cut(counted, "\n")
		t.Logf("harm in %s of %d histories of each kind, unless %s", harms, a.histories, a.rule)
		if harms == "" || harms == "0" {
			t.Errorf("no history shows what it is for that %s", a.rule)
		}
	}
}
