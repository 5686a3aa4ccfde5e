package rules_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// survivors are the mutants that nothing finds, each with why it cannot matter.
var survivors = map[string]string{
	"answer.go: failedIDs: failedEvent{creating, Nothing} taken out":                     "without a row there is no ID, and without an ID the marker is answered",
	"phase.go: phases: lifecycle.PhaseUnknown taken out":                                 zeroRow,
	"update.go: updates: change{identity: Same} taken out":                               zeroRow,
	"update.go: updates: change{identity: Incomparable} taken out":                       zeroRow,
	"update.go: updates: change{identity: Differs, oldID: false, newID: true} taken out": zeroRow,
}

const zeroRow = "the row is the zero value, and stands there to be read"

// TestMutations changes one thing in the rules at a time: a condition turned, an
// effect or a statement left out, a word exchanged, two rows exchanged, a row
// taken out. The ways or the model find each, or it stands in the list.
func TestMutations(t *testing.T) {
	testrun.OnlyThorough(t, "changing one thing at a time takes minutes")
	m, stages := compileMutants(t)
	for _, stage := range stages[:3] {
		if left, _ := try(t, stage, []int{0}); len(left) == 0 {
			t.Fatal("the rules break a promise as they are: run the other tests first")
		}
	}
	var left []int
	for i := range m.mutants {
		left = append(left, i+1)
	}
	for _, stage := range stages {
		before := len(left)
		var took time.Duration
		left, took = try(t, stage, left)
		t.Logf("%s: %d of %d found, in %s of processor time", strings.Join(stage.args, " "), before-len(left), before, took.Round(time.Second))
	}
	for _, n := range left {
		if name := m.mutants[n-1].name; survivors[name] == "" {
			t.Errorf("%s: nothing finds it", name)
		}
	}
	for name, reason := range survivors {
		n := 1 + slices.IndexFunc(m.mutants, func(x mutant) bool { return x.name == name })
		switch {
		case n == 0:
			t.Errorf("%s stands in the list, and there is no such mutant", name)
		case !slices.Contains(left, n):
			t.Errorf("%s: it is found by now, and stands in the list: %s", name, reason)
		}
	}
	t.Logf("%d of %d mutants are found", len(m.mutants)-len(left), len(m.mutants))
}

// A stage is a test with every mutant in it, and how much of it to run.
type stage struct {
	dir, binary string
	args        []string
}

// command runs the test with some of the mutants.
func (s stage) command(t *testing.T, mutants ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), s.binary, append(s.args, "-test.run=^TestMutants$", "-mutants="+strings.Join(mutants, ","))...)
	cmd.Dir = s.dir
	return cmd
}

// try tries mutants on two processors, and returns those that are not found, and the time of both.
func try(t *testing.T, s stage, all []int) (left []int, took time.Duration) {
	t.Helper()
	outputs, times := make([]string, 2), make([]time.Duration, 2)
	var workers sync.WaitGroup
	for w := range outputs {
		var some []string
		for i := w; i < len(all); i += len(outputs) {
			some = append(some, strconv.Itoa(all[i]))
		}
		if some == nil {
			continue
		}
		workers.Go(func() {
			cmd := s.command(t, some...)
			out, err := cmd.CombinedOutput()
			if outputs[w] = string(out); err != nil {
				t.Errorf("%s: %s", err, out)
			}
			times[w] = cmd.ProcessState.UserTime()
		})
	}
	workers.Wait()
	found := strings.Split(strings.Join(outputs, "\n"), "\n")
	left = slices.DeleteFunc(all, func(n int) bool { return slices.Contains(found, "found "+strconv.Itoa(n)) })
	return left, times[0] + times[1]
}

// compileMutants compiles this package's tests, and the model, over the rules
// with every mutant in them.
func compileMutants(t *testing.T) (m *mutator, stages []stage) {
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
	model := stage{dir: "model", binary: filepath.Join(tmp, "model")}
	ways := stage{dir: ".", binary: filepath.Join(tmp, "ways")}
	for _, s := range []stage{model, ways} {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", filepath.Join(tmp, "overlay.json"), "-o", s.binary, "./"+s.dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	with := func(s stage, args ...string) stage {
		s.args = args
		return s
	}
	// A little of each finds most.
	return m, []stage{
		with(ways, "-most=20"), with(model, "-histories=200"), with(ways, "-most=300"), with(model, "-histories=3000"),
		with(ways, "-most=20000"),
	}
}
