package lifecycle

import (
	"slices"
	"strings"
	"testing"
)

// TestStackStatusesAreComplete pins the size of the set in CloudFormation's API
// model of August 2026.
func TestStackStatusesAreComplete(t *testing.T) {
	if got := len(slices.Compact(slices.Sorted(slices.Values(StackStatuses())))); got != 23 {
		t.Errorf("%d stack statuses, the API has 23", got)
	}
}

func TestInMotionAndAtRest(t *testing.T) {
	for _, s := range StackStatuses() {
		if want := strings.HasSuffix(string(s), "_IN_PROGRESS"); s.InMotion() != want || s.AtRest() == want {
			t.Errorf("%s: in motion %t, at rest %t", s, s.InMotion(), s.AtRest())
		}
	}
	if StackNone.InMotion() || StackNone.AtRest() {
		t.Error("what does not exist neither moves nor rests")
	}
	if !ResourceCreateInProgress.InMotion() || ResourceDeleteSkipped.InMotion() || ResourceNone.InMotion() {
		t.Error("resource statuses: wrong sides")
	}
}

func TestTransitionsKnowTheirStatuses(t *testing.T) {
	seen := map[[2]StackStatus]bool{}
	for _, tr := range Transitions() {
		pair := [2]StackStatus{tr.From, tr.To}
		if seen[pair] {
			t.Errorf("%s to %s stands twice", tr.From, tr.To)
		}
		seen[pair] = true
		if tr.From != StackNone && !slices.Contains(StackStatuses(), tr.From) || !slices.Contains(StackStatuses(), tr.To) {
			t.Errorf("%s to %s: no such status", tr.From, tr.To)
		}
		if tr.Trigger == "" || tr.Confidence == "" {
			t.Errorf("%s to %s: no trigger or no confidence", tr.From, tr.To)
		}
	}
	seenResource := map[[2]ResourceStatus]bool{}
	for _, tr := range ResourceTransitions() {
		pair := [2]ResourceStatus{tr.From, tr.To}
		if seenResource[pair] {
			t.Errorf("resource: %s to %s stands twice", tr.From, tr.To)
		}
		seenResource[pair] = true
		if tr.To == ResourceNone || tr.Trigger == "" || tr.Confidence == "" {
			t.Errorf("resource: %s to %s is not complete", tr.From, tr.To)
		}
	}
}

// TestEveryStackIsReachableAndNoneIsStuck: every status can be reached from nothing, what is in
// motion can come to rest, and everything but DELETE_COMPLETE can be left.
func TestEveryStackIsReachableAndNoneIsStuck(t *testing.T) {
	reached := map[StackStatus]bool{StackNone: true}
	for range StackStatuses() {
		for _, tr := range Transitions() {
			if reached[tr.From] {
				reached[tr.To] = true
			}
		}
	}
	for _, s := range StackStatuses() {
		if !reached[s] {
			t.Errorf("%s cannot be reached", s)
		}
		out := slices.ContainsFunc(Transitions(), func(tr Transition) bool { return tr.From == s })
		if want := s != StackDeleteComplete; out != want {
			t.Errorf("%s: can be left is %t, want %t", s, out, want)
		}
	}
}

// TestCorrections holds what the package's documentation says against other pictures.
func TestCorrections(t *testing.T) {
	onlyTo := func(from StackStatus, want ...StackStatus) {
		t.Helper()
		var got []StackStatus
		for _, tr := range Transitions() {
			if tr.From == from {
				got = append(got, tr.To)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("from %s to %v, want %v", from, got, want)
		}
	}
	onlyTo(StackUpdateCompleteCleanupInProgress, StackUpdateComplete)
	onlyTo(StackUpdateRollbackCompleteCleanupInProgress, StackUpdateRollbackComplete)
	onlyTo(StackRollbackComplete, StackDeleteInProgress)
	onlyTo(StackRollbackFailed, StackDeleteInProgress)
	onlyTo(StackDeleteFailed, StackDeleteInProgress)
	onlyTo(StackUpdateFailed, StackUpdateInProgress, StackUpdateRollbackInProgress, StackDeleteInProgress)
	if StackRollbackInProgress.CanBecome(StackCreateFailed) {
		t.Error("a rollback does not end in CREATE_FAILED")
	}
}

func TestRunsAreInMotion(t *testing.T) {
	for _, run := range StatusRequests() {
		if !run.Status.InMotion() {
			t.Errorf("%s sends %s, but is at rest", run.Status, run.RequestType)
		}
	}
	if !StackUpdateRollbackInProgress.Sends(Update) || StackUpdateRollbackInProgress.Sends(Delete) {
		t.Error("a rollback updates; its deletes wait for the cleanup")
	}
	if StackImportInProgress.Sends(Create) {
		t.Error("custom resources cannot be imported")
	}
}

func TestUpdatable(t *testing.T) {
	for _, s := range updatable {
		if !s.CanBecome(StackUpdateInProgress) {
			t.Errorf("%s is updatable but cannot become UPDATE_IN_PROGRESS", s)
		}
	}
}

// TestCallersCannotChangeTheTables: each call hands out its own copy.
func TestCallersCannotChangeTheTables(t *testing.T) {
	Transitions()[0].To = StackNone
	ResourceTransitions()[0].To = ResourceNone
	StatusRequests()[0].RequestType = ""
	StackStatuses()[0] = StackNone
	if transitions[0].To == StackNone || resourceTransitions[0].To == ResourceNone || statusRequests[0].RequestType == "" ||
		StackStatuses()[0] == StackNone {
		t.Error("a caller changed the package's table")
	}
}
