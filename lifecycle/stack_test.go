package lifecycle

import (
	"slices"
	"strings"
	"testing"
)

var requests = []RequestType{Create, Update, Delete}

// cells calls f for each status and request, and for a Delete with and without
// the resource in the template.
func cells(f func(s StackStatus, r RequestType, inTemplate bool, p Phase)) {
	for _, s := range StackStatuses() {
		for _, r := range requests {
			for _, inTemplate := range []bool{false, true} {
				f(s, r, inTemplate, PhaseOf(s, r, inTemplate))
			}
		}
	}
}

func TestPhaseOfIsTotal(t *testing.T) {
	cells(func(s StackStatus, r RequestType, _ bool, p Phase) {
		if p == PhaseUnknown {
			t.Errorf("a %s in %s has no phase", r, s)
		}
	})
	for _, s := range StackStatuses() {
		rows := slices.DeleteFunc(slices.Clone(phases), func(row phaseRow) bool { return row.status != s })
		if len(rows) != 1 || rows[0].source == "" {
			t.Errorf("%s has %d rows, or one without its document", s, len(rows))
		}
	}
}

// TestPhasesOfWhatIsSent pins each cell in which a request is sent.
func TestPhasesOfWhatIsSent(t *testing.T) {
	want := map[StackStatus]map[RequestType][2]Phase{ // not in the template, and in it
		StackCreateInProgress:   {Create: {PhaseCreating, PhaseCreating}},
		StackRollbackInProgress: {Delete: {PhaseCreateRollback, PhaseCreateRollback}},
		StackUpdateInProgress: {
			Create: {PhaseUpdating, PhaseUpdating}, Update: {PhaseUpdating, PhaseUpdating}, Delete: {PhaseUpdating, PhaseUpdating},
		},
		StackUpdateCompleteCleanupInProgress:         {Delete: {PhaseRemoval, PhaseReplacementCleanup}},
		StackUpdateRollbackInProgress:                {Update: {PhaseUpdateRollback, PhaseUpdateRollback}},
		StackUpdateRollbackCompleteCleanupInProgress: {Delete: {PhaseUpdateRollbackCleanup, PhaseUpdateRollbackCleanup}},
		StackDeleteInProgress:                        {Delete: {PhaseDeleting, PhaseDeleting}},
	}
	cells(func(s StackStatus, r RequestType, inTemplate bool, got Phase) {
		both, sent := want[s][r]
		p := both[0]
		if inTemplate {
			p = both[1]
		}
		if sent && got != p || sent != got.Awaited() {
			t.Errorf("a %s in %s, in the template %t: %s, want %s", r, s, inTemplate, got, p)
		}
	})
}

// TestPhasesHoldWithRuns: a request is awaited where it is sent, and nowhere else.
func TestPhasesHoldWithRuns(t *testing.T) {
	cells(func(s StackStatus, r RequestType, _ bool, p Phase) {
		if s.Sends(r) != p.Awaited() {
			t.Errorf("a %s in %s: sent is %t, but the phase is %s", r, s, s.Sends(r), p)
		}
	})
}

// TestGivenUpIsOnTheWayBack: a Create or Update is given up where the stack
// goes back or has gone back, and only there. Import has no such requests.
func TestGivenUpIsOnTheWayBack(t *testing.T) {
	cells(func(s StackStatus, r RequestType, _ bool, p Phase) {
		name := string(s)
		back := strings.HasPrefix(name, "ROLLBACK_") || strings.HasPrefix(name, "UPDATE_ROLLBACK_") || strings.HasPrefix(name, "DELETE_")
		if want := back && r != Delete && !s.Sends(r); want != (p == PhaseGivenUp) {
			t.Errorf("a %s in %s is %s", r, s, p)
		}
	})
}

// TestPhasesHoldWithTransitions: no step of a stack makes a request awaited again that was given
// up, but one that starts a new operation or another try of a rollback; and none turns an awaited
// one into another awaited one, but that which a rollback overtakes.
func TestPhasesHoldWithTransitions(t *testing.T) {
	for _, tr := range Transitions() {
		for _, r := range requests {
			before, after := PhaseOf(tr.From, r, true), PhaseOf(tr.To, r, true)
			if tr.From.InMotion() && !before.Awaited() && after.Awaited() && tr.From != StackReviewInProgress && r != Delete {
				t.Errorf("%s to %s: a %s goes from %s to %s", tr.From, tr.To, r, before, after)
			}
			overtaken := r == Update && tr.From == StackUpdateInProgress && tr.To == StackUpdateRollbackInProgress
			if changed := r != Delete && before.Awaited() && after.Awaited() && before != after && tr.From != StackNone; changed != overtaken {
				t.Errorf("%s to %s: a %s goes from %s to %s", tr.From, tr.To, r, before, after)
			}
		}
	}
}

func TestPhaseOfWhatIsNotKnown(t *testing.T) {
	for _, s := range []StackStatus{StackNone, "PAUSED"} {
		if got := PhaseOf(s, Create, false); got != PhaseUnknown || !got.Awaited() {
			t.Errorf("%q: %q", s, got)
		}
	}
	if got := PhaseOf(StackCreateInProgress, "Read", false); got != PhaseUnknown {
		t.Errorf("a request of another type: %q", got)
	}
}
