package engine_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestStrayIdentifiers: a Create that is tried again, and then names another resource
// than the first time, has made both: one is deleted, and the others are told of.
func TestStrayIdentifiers(t *testing.T) {
	for tries, want := range map[int][]string{1: {"c-2"}, 2: {"c-2", "c-3"}, 1 + engine.MaxRetries: {"c-2", "c-3", "c-4", "c-5"}} {
		y := newRegisteredTest(t)
		y.fail["CREATE"] = "Throttling"
		step := y.p.AfterStep
		y.p.AfterStep = func() {
			step()
			if len(y.calls) == tries {
				y.fail = map[string]string{}
			}
		}
		y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
		var left []string
		for _, l := range y.p.Machine.Stack().Left {
			left = append(left, l.PhysicalID)
		}
		y.expect("what is left behind", left, want)
		y.expect("what there is", len(y.there), len(want))
	}
}

// TestLateIdentifier: what a Create names when nobody waits for it any more is told of.
func TestLateIdentifier(t *testing.T) {
	y := newRegisteredTest(t)
	y.silent = true
	y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
	m := y.p.Machine
	m.Answer(y.p.Now, m.Stack().Requests[0].RequestID, []byte(`{"status":"SUCCESS","resourceModel":{"Id":"c-1"}}`))
	if left := m.Stack().Left; len(left) != 1 || left[0].PhysicalID != "c-1" {
		t.Errorf("left behind is %+v", left)
	}
}
