package rules_test

import (
	"fmt"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A phase of the lifecycle counts for whether somebody waits, and for whether the stack goes back.
func TestPhaseOf(t *testing.T) {
	if broken := phaseOf(); broken != "" {
		t.Error(broken)
	}
}

func phaseOf() (broken string) {
	for p, want := range map[lifecycle.Phase]rules.Phase{
		lifecycle.PhaseUnknown:               rules.PhaseUnknown,
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
			return fmt.Sprintf("PhaseOf(%q) = %d, want %d", p, got, want)
		}
		if p.Awaited() != awaited(got) {
			return fmt.Sprintf("PhaseOf(%q) = %d, and Awaited is %t", p, got, p.Awaited())
		}
	}
	return ""
}

// What was told first was late if the stack is told to wait for the event after all,
// or not to go back. A question that fails tells nothing.
func TestStale(t *testing.T) {
	if broken := stale(); broken != "" {
		t.Error(broken)
	}
}

func stale() (broken string) {
	for _, start := range phases {
		for _, now := range phases {
			tells := now == rules.Forward || now == rules.Back
			want := tells && !awaited(start) || now == rules.Forward && start == rules.Back
			if got := rules.Stale(start, now); got != want {
				return fmt.Sprintf("from %d to %d: stale is %t", start, now, got)
			}
		}
	}
	return ""
}
