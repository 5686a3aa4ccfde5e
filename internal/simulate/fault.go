package simulate

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

// What goes wrong for good, in the methods that the request is for.
const (
	NeverReady        FaultKind = "never-ready"
	RefuseFromStep    FaultKind = "refuse-from-step"
	NeverReadyRefused FaultKind = "never-ready-refused"
)

// An End is what a fault makes of the work on a request.
type End string

const (
	// EndsWell is that a later delivery or invocation does all of it.
	EndsWell End = "well"
	// EndsFound is that no answer comes, and Lambda's next try finds what was done.
	EndsFound End = "found"
	// EndsUnknown is that nobody learns what was done.
	EndsUnknown End = "unknown"
	// EndsFailed is an answer of FAILED.
	EndsFailed End = "failed"
	// EndsOutOfTime is an answer of FAILED when the time is over.
	EndsOutOfTime End = "out of time"
	// EndsCancelled is that nobody waits for the answer. What cannot be cancelled ends well.
	EndsCancelled End = "cancelled"
)

// A kindRow is what there is to know of a kind, except how it happens.
type kindRow struct {
	kind    FaultKind
	end     End
	atStep  bool // it happens at a Step
	inChain bool // it happens to a request that takes several invocations
	inPoll  bool // it happens to a request that waits in a Poll
}

// kinds are all faults. What one does is done where its Kind is compared: in call.go,
// chain.go, delivery.go and invocation.go.
var kinds = []kindRow{
	{kind: Redeliver, end: EndsWell},
	{kind: Twice, end: EndsWell},
	{kind: Late, end: EndsWell},
	{kind: LoseAnswer, end: EndsUnknown},
	{kind: Undelivered, end: EndsFound},
	{kind: DieBefore, end: EndsWell},
	{kind: DieAfter, end: EndsFound},
	{kind: DieForGood, end: EndsUnknown},
	{kind: DieAtStep, end: EndsFound, atStep: true},
	{kind: ErrorAfter, end: EndsFailed},
	{kind: PanicAfter, end: EndsFailed},
	{kind: OutOfTimeAfter, end: EndsOutOfTime},
	{kind: FailAtStep, end: EndsFailed, atStep: true},
	{kind: HangAtStep, end: EndsOutOfTime, atStep: true},
	{kind: CancelWhileRunning, end: EndsCancelled},

	{kind: Slow, end: EndsWell, inChain: true},
	{kind: LinkDies, end: EndsWell, inChain: true},
	{kind: LinkDiesForGood, end: EndsFailed, inChain: true},
	{kind: LinkTwice, end: EndsWell, inChain: true},
	{kind: LinkFails, end: EndsFailed, inChain: true},
	{kind: CancelBetween, end: EndsCancelled, inChain: true},
	{kind: CancelWaiting, end: EndsCancelled, inChain: true},
	{kind: ContinueRefused, end: EndsFailed, inChain: true},
	{kind: ContinueLost, end: EndsWell, inChain: true},
	{kind: PhaseUnknown, end: EndsFailed, inChain: true},
	{kind: PhaseLost, end: EndsFailed, inChain: true},

	{kind: NeverReady, end: EndsFailed, inPoll: true},
	{kind: RefuseFromStep, end: EndsFailed, atStep: true},
	{kind: NeverReadyRefused, end: EndsFailed, inPoll: true},
}

// Kinds returns all kinds, in the order in which they are tried.
func Kinds() (all []FaultKind) {
	for _, row := range kinds {
		all = append(all, row.kind)
	}
	return all
}

// row returns the kind's row; without a kind if there is no such fault.
func (k FaultKind) row() (row kindRow) {
	if i := slices.IndexFunc(kinds, func(row kindRow) bool { return row.kind == k }); i >= 0 {
		row = kinds[i]
	}
	return row
}

// End returns what the fault makes of the work on a request.
func (k FaultKind) End() End { return k.row().end }

// AtStep reports whether the fault happens at a Step.
func (k FaultKind) AtStep() bool { return k.row().atStep }

// InChain reports whether the fault happens to a request that takes several invocations.
func (k FaultKind) InChain() bool { return k.row().inChain }

// InPoll reports whether the fault keeps each Poll from being ready, for good.
func (k FaultKind) InPoll() bool { return k.row().inPoll }

// check returns what is wrong with a fault.
func (f Fault) check() error {
	switch {
	case f.Kind.row().kind == "":
		return fmt.Errorf("there is no fault %q: use one of the constants, such as cfntest.LoseAnswer", f.Kind)
	case f.Request != "" && f.Request != "Create" && f.Request != "Update" && f.Request != "Delete":
		return fmt.Errorf("the fault's Request is %q: make it Create, Update, Delete or empty", f.Request)
	case f.Kind.AtStep() && f.Step < 1:
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
	text := string(f.Kind)
	if f.Kind.AtStep() {
		text += fmt.Sprintf(" %d", f.Step)
	}
	text += " of " + cmp.Or(f.Request, "any request")
	if f.LogicalID != "" {
		text += " of " + f.LogicalID
	}
	return text
}
