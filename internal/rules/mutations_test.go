package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// survivors are the mutants that nothing finds, each with why it cannot matter.
var survivors = map[string]string{
	"answer.go: failedIDs: failed{creating, Nothing} taken out": "without a row there is no ID, and without an ID the marker is answered",
	"create.go: created: failure(o, Made) with Adopted":         sameID,
	"delete.go: delete: failure(o, Nothing) with Maybe":         sameID,
	"delete.go: delete: failure(o, Nothing) with Maybe (2)":     sameID,
	"delete.go: lost: failure(o, Nothing) with Maybe":           sameID,
	"delete.go: sweep: failure(o, Nothing) with Maybe":          sameID,
	"delete.go: removed: failure(o, Nothing) with Maybe":        sameID,
	"phase.go: phases: lifecycle.PhaseUnknown taken out":        zeroRow,
	"undo.go: undoings: turn{Back, Untold} taken out":           notTried,
	"undo.go: undoings: turn{Back, Forward} taken out":          notTried,
	"undo.go: undoings: turn{Back, NotAwaited} taken out":       notTried,
}

const (
	sameID   = "both lead to the same ID here; the word says what is left"
	zeroRow  = "the row is the zero value, and stands there to be read"
	notTried = "without a row nothing is tried either, and the event's ID is answered; the row says what is left"
)

// TestMutations changes one thing in the rules at a time: a condition turned, an
// effect or a statement left out, a word exchanged, two rows exchanged, a row
// taken out. The ways or the model find each, or it stands in the list.
func TestMutations(t *testing.T) {
	if os.Getenv("RULES_MUTATIONS") == "" || os.Getenv("RULES_MUTANT") != "" {
		t.Skip("set RULES_MUTATIONS=1 to change one thing at a time, which takes minutes")
	}
	m, binaries := compileMutants(t)
	var mu sync.Mutex
	found, next := 0, 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next, next <= len(m.mutants)
	}
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				killed := kill(t.Context(), binaries, i)
				name := m.mutants[i-1].name
				mu.Lock()
				switch why, listed := survivors[name]; {
				case killed && listed:
					t.Errorf("%s: it is found by now, and stands in the list: %s", name, why)
				case killed:
					found++
				case !listed:
					t.Errorf("%s: nothing finds it", name)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for name := range survivors {
		if !m.has(name) {
			t.Errorf("%s stands in the list, and there is no such mutant", name)
		}
	}
	t.Logf("%d of %d mutants are found", found, len(m.mutants))
}

func (m *mutator) has(name string) bool {
	for _, x := range m.mutants {
		if x.name == name {
			return true
		}
	}
	return false
}

// compileMutants compiles this package's tests, and the model, over the rules
// with every mutant in them.
func compileMutants(t *testing.T) (m *mutator, binaries [][]string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	m = &mutator{}
	sources, err := m.mutate(files)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	replace := make(map[string]string)
	for name, source := range sources {
		replace[filepath.Join(dir, name)] = filepath.Join(tmp, name)
		if err := os.WriteFile(filepath.Join(tmp, name), source, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct{ pkg, name string }{{"./model", "model"}, {".", "ways"}} {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", filepath.Join(tmp, "overlay.json"), "-o", filepath.Join(tmp, b.name), b.pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	model, ways := filepath.Join(tmp, "model"), filepath.Join(tmp, "ways")
	return m, [][]string{
		{model, "-test.short", "-test.run=Histories", "-histories=500"},
		{ways, "-test.run=PhaseOf|ManyAreFound"},
		{ways, "-test.run=EveryWay"},
		{model, "-test.short", "-test.run=Histories", "-histories=5000"},
	}
}

// kill reports whether one of the tests fails.
func kill(ctx context.Context, tests [][]string, mutant int) bool {
	for _, test := range tests {
		if !passes(ctx, test, mutant) {
			return true
		}
	}
	return false
}

func passes(ctx context.Context, test []string, mutant int) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute) // it may go on for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, test[0], test[1:]...)
	if strings.HasSuffix(test[0], "model") {
		cmd.Dir = "model"
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("RULES_MUTANT=%d", mutant))
	return cmd.Run() == nil
}
