package play_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A limit excuses what is left when the reply of the service is lost, and not
// what is left when the handler goes on without having named it.
func TestALimitDoesNotExcuseALateCreated(t *testing.T) {
	const (
		unnamed   = "a replacement that fails after its effect and before Created leaves its new resource"
		outOfTime = "a replacement that runs out of time leaves what it made"
	)
	c := boxContract(func(d *depot) simulate.Function { return process(callsCreatedLate{named{d}}) })
	for _, test := range []struct{ line, limit, found string }{
		{"v0 v2!fail-at-step:2@1", unnamed, ""},
		{"v0 v2!fail-at-step:3@1", "", "left behind"},
		{"v0 v2!hang-at-step:2@1", outOfTime, ""},
		{"v0 v2!hang-at-step:3@1", "", "left behind"},
	} {
		found, limit := play.Replayed(t, c, test.line)
		if limit != test.limit || !strings.HasPrefix(found, test.found) || test.found == "" && found != "" {
			t.Errorf("%s: met the limit %q, want %q; found %s", test.line, limit, test.limit, found)
		}
	}
}

// leaving are faults by which a history meets each limit of replacements; that of one that is
// cancelled is met without a fault.
var leaving = []simulate.FaultKind{simulate.LoseAnswer, simulate.FailAtStep, simulate.HangAtStep}

// Where a service makes and changes by PUT and cannot be asked, Create does not
// know what it has made, and what it leaves is a limit.
func TestACreateThatCannotCallCreatedDoesNoHarm(t *testing.T) {
	o := play.ExploreOptions{Depth: 2, Faults: leaving}
	if testrun.Thorough() {
		o.Faults = nil // all
	}
	e := play.Exploration(t, boxContract(rightHandlers["putOnly"]), o)
	if len(e.Findings) > 0 {
		t.Errorf("%d of %d histories do harm: %s", len(e.Findings), e.Played, e.Findings[0])
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(play.LimitNames(false))), slices.Sorted(maps.Keys(e.Limits))); diff != "" {
		t.Errorf("limits (-all +met):\n%s", diff)
	}
}

// What no handler can prevent is told also where the test passes: somebody has to look for it.
func TestExploreTellsOnStandardErrorWhatNoHandlerCanPrevent(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = out
	defer func() { os.Stderr = stderr; _ = out.Close() }()
	play.Explore(t, boxContract(rightHandlers["named"]), play.ExploreOptions{Depth: 2, Faults: leaving})
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	names := play.LimitNames(false)
	for _, part := range append(names, "docs/rough_edges.md", t.Name()) {
		if n := strings.Count(string(text), part); n != 1 {
			t.Errorf("%q is there %d times, want once, in\n%s", part, n, text)
		}
	}
}
