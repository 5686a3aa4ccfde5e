package rules_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A phase of the lifecycle counts for whether somebody waits, and for whether
// the stack goes back.
func TestPhaseOf(t *testing.T) {
	for p, want := range map[lifecycle.Phase]rules.Phase{
		lifecycle.PhaseUnknown:               rules.Untold,
		lifecycle.PhaseCreating:              rules.Forward,
		lifecycle.PhaseUpdating:              rules.Forward,
		lifecycle.PhaseReplacementCleanup:    rules.Forward,
		lifecycle.PhaseRemoval:               rules.Forward,
		lifecycle.PhaseCreateRollback:        rules.Back,
		lifecycle.PhaseUpdateRollback:        rules.Back,
		lifecycle.PhaseUpdateRollbackCleanup: rules.Back,
		lifecycle.PhaseDeleting:              rules.Back,
		lifecycle.PhaseGivenUp:               rules.GivenUp,
		lifecycle.PhaseNotAwaited:            rules.NotAwaited,
	} {
		got := rules.PhaseOf(p)
		if got != want {
			t.Errorf("PhaseOf(%q) = %d, want %d", p, got, want)
		}
		if p.Awaited() != (got != rules.GivenUp && got != rules.NotAwaited) {
			t.Errorf("PhaseOf(%q) = %d, and Awaited is %t", p, got, p.Awaited())
		}
	}
}
