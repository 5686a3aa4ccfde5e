package play

import (
	"cmp"
	"fmt"
	"slices"
)

// A Fault is cfntest's: what goes wrong with one request, the first that fits.
type Fault struct {
	Kind      FaultKind
	Request   string
	LogicalID string
	Skip      int
	Step      int
}

// A FaultKind is cfntest's, which says what each of them does.
type FaultKind string

// What goes wrong.
const (
	Redeliver          FaultKind = "redeliver"
	Twice              FaultKind = "twice"
	Late               FaultKind = "late"
	LoseAnswer         FaultKind = "lose-answer"
	Undelivered        FaultKind = "undelivered"
	DieBefore          FaultKind = "die-before"
	DieAfter           FaultKind = "die-after"
	DieForGood         FaultKind = "die-for-good"
	DieAtStep          FaultKind = "die-at-step"
	ErrorAfter         FaultKind = "error-after"
	PanicAfter         FaultKind = "panic-after"
	OutOfTimeAfter     FaultKind = "out-of-time-after"
	FailAtStep         FaultKind = "fail-at-step"
	HangAtStep         FaultKind = "hang-at-step"
	CancelWhileRunning FaultKind = "cancel-while-running"
)

// What goes wrong with a request that takes several invocations. Each has the
// request take that long.
const (
	Slow            FaultKind = "slow"
	LinkDies        FaultKind = "link-dies"
	LinkDiesForGood FaultKind = "link-dies-for-good"
	LinkTwice       FaultKind = "link-twice"
	LinkFails       FaultKind = "link-fails"
	CancelBetween   FaultKind = "cancel-between"
	CancelWaiting   FaultKind = "cancel-waiting"
	ContinueRefused FaultKind = "continue-refused"
	ContinueLost    FaultKind = "continue-lost"
	PhaseUnknown    FaultKind = "phase-unknown"
	PhaseLost       FaultKind = "phase-lost"
)

// chainKinds are those.
var chainKinds = []FaultKind{
	Slow, LinkDies, LinkDiesForGood, LinkTwice, LinkFails, CancelBetween, CancelWaiting,
	ContinueRefused, ContinueLost, PhaseUnknown, PhaseLost,
}

// faultKinds are all of them.
var faultKinds = append([]FaultKind{
	Redeliver, Twice, Late, LoseAnswer, Undelivered,
	DieBefore, DieAfter, DieForGood, DieAtStep,
	ErrorAfter, PanicAfter, OutOfTimeAfter, FailAtStep, HangAtStep, CancelWhileRunning,
}, chainKinds...)

// inChain reports whether the fault happens to a request that takes several
// invocations.
func (k FaultKind) inChain() bool { return slices.Contains(chainKinds, k) }

// atStep reports whether the fault happens at a Step.
func (k FaultKind) atStep() bool { return k == DieAtStep || k == FailAtStep || k == HangAtStep }

// check returns what is wrong with a fault.
func (f Fault) check() error {
	switch {
	case !slices.Contains(faultKinds, f.Kind):
		return fmt.Errorf("there is no fault %q: use one of the constants, such as cfntest.LoseAnswer", f.Kind)
	case f.Request != "" && f.Request != "Create" && f.Request != "Update" && f.Request != "Delete":
		return fmt.Errorf("the fault's Request is %q: make it Create, Update, Delete or empty", f.Request)
	case f.Kind.atStep() && f.Step < 1:
		return fmt.Errorf("the fault %s has no Step: count them from 1", f.Kind)
	case f.Skip < 0:
		return fmt.Errorf("the fault %s has the Skip %d", f.Kind, f.Skip)
	}
	return nil
}

// fits reports whether the fault is about a request.
func (f Fault) fits(requestType, logicalID string) bool {
	return cmp.Or(f.Request, requestType) == requestType && cmp.Or(f.LogicalID, logicalID) == logicalID
}

// String names the fault and the request that it is about.
func (f Fault) String() string {
	s := string(f.Kind)
	if f.Kind.atStep() {
		s += fmt.Sprintf(" %d", f.Step)
	}
	s += " of " + cmp.Or(f.Request, "any request")
	if f.LogicalID != "" {
		s += " of " + f.LogicalID
	}
	return s
}
