package local

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// runInProgress returns a run that works on a stack of n resources, with a parameter that
// is not to be shown.
func runInProgress(t *testing.T, n int) *run {
	t.Helper()
	h, err := Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	var body strings.Builder
	body.WriteString(topics)
	for i := range n {
		fmt.Fprintf(&body, "  T%d: {Type: AWS::SNS::Topic, Properties: {DisplayName: !Ref Token}}\n", i)
	}
	deployTopics(t, h, "shop", body.String(), "one")
	record, err := h.Stack("shop")
	if err != nil {
		t.Fatal(err)
	}
	m, err := record.machine()
	if err != nil {
		t.Fatal(err)
	}
	return &run{home: h, record: record, live: engine.NewLive(m), secrets: record.Secrets(), rows: map[string][]engine.Event{record.Stack.ID: record.Shown().Events}}
}

// Each handler of a stack may ask CloudFormation for it. What an answer takes does
// not grow with what is kept of the stack: else the whole is quadratic.
func TestReadWhileRunningCost(t *testing.T) {
	allocations := func(n int) float64 {
		s := served{run: runInProgress(t, n)}
		return testing.AllocsPerRun(10, func() {
			if _, err := s.Stack("shop"); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := allocations(2), allocations(100); large > small {
		t.Errorf("%v allocations for a stack of 100 resources, %v for one of 2", large, small)
	}
}

// What is said of the stack in work is what is said of it once it is kept, and
// does not change while it is read.
func TestReadWhileRunning(t *testing.T) {
	r := runInProgress(t, 3)
	ask := func(s served) string {
		t.Helper()
		stack, err := s.Stack("shop")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(stack.Status, stack.Parameters, stack.Declared, stack.Template == r.record.Current().Body, stack.Events, len(stack.Resources))
	}
	kept, seen := ask(served{records: newRecords(r.home)}), ask(served{run: r})
	if kept != seen {
		t.Errorf("in work it is %s\nkept it is    %s", seen, kept)
	}
	if strings.Contains(seen, "open sesame") {
		t.Errorf("a secret is shown: %s", seen)
	}

	before, err := r.savedStack("shop")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.live.Do(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) }); err != nil {
		t.Fatal(err)
	}
	after, err := r.savedStack("shop")
	if err != nil || before.Status != "CREATE_COMPLETE" || after.Status == before.Status {
		t.Errorf("%s before, %s after a step that deletes it, error %v", before.Status, after.Status, err)
	}
	for _, res := range before.Resources {
		if res.Status != "CREATE_COMPLETE" {
			t.Errorf("%s has become %s in what was seen before", res.LogicalID, res.Status)
		}
	}
}
