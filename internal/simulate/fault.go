package simulate

import (
	"cmp"
	"fmt"
	"slices"
)

// A Fault is cfntest's Fault: what goes wrong with the first request that fits it.
type Fault struct {
	Kind      FaultKind
	Request   string
	LogicalID string
	Skip      int
	Step      int
}

// A FaultKind is cfntest's FaultKind, whose constants say what each kind does.
type FaultKind string

// What goes wrong.
const (
	Redeliver          FaultKind = "redeliver"
	Twice              FaultKind = "twice"
	Late               FaultKind = "late"
	LoseAnswer         FaultKind = "lose-answer"
	Undelivered        FaultKind = "undelivered"
	NeverDelivered     FaultKind = "never-delivered"
	DieBefore          FaultKind = "die-before"
	DieAfter           FaultKind = "die-after"
	DieForGood         FaultKind = "die-for-good"
	DieAtStep          FaultKind = "die-at-step"
	ErrorAfter         FaultKind = "error-after"
	PanicAfter         FaultKind = "panic-after"
	OutOfTimeAfter     FaultKind = "out-of-time-after"
	FailAtStep         FaultKind = "fail-at-step"
	HangAtStep         FaultKind = "hang-at-step"
	ThrottleAtStep     FaultKind = "throttle-at-step"
	CancelWhileRunning FaultKind = "cancel-while-running"
)

// What goes wrong with a request that takes several invocations. Each of these faults
// makes the request take that long.
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
	Busy              FaultKind = "busy"
	Unreachable       FaultKind = "unreachable"
)

// An End is how the work on a request ends because of a fault.
type End string

const (
	// EndsWell means that a later delivery or invocation does all of the work.
	EndsWell End = "well"
	// EndsFound means that no answer comes, and Lambda's next try finds the work done.
	EndsFound End = "found"
	// EndsUnknown means that nobody learns what was done.
	EndsUnknown End = "unknown"
	// EndsFailed means an answer of FAILED.
	EndsFailed End = "failed"
	// EndsOutOfTime means an answer of FAILED when the time runs out.
	EndsOutOfTime End = "out of time"
	// EndsCancelled means that nobody waits for the answer. Work that cannot be cancelled ends well.
	EndsCancelled End = "cancelled"
)

// A moment is a point of the work on a request at which a fault can happen.
type moment uint8

const (
	delivering    moment = iota + 1 // Lambda delivers the event
	delivered                       // it has, and the event has been answered
	starting                        // a process is about to get the event
	beforeWork                      // a method is called
	atStep                          // it calls Step
	atPoll                          // it waits in a Poll
	afterWork                       // it has done its work
	askingPhase                     // the function asks why the request came
	continuing                      // it sends the event on
	continued                       // it has
	betweenLinks                    // the next invocation is about to begin
	answering                       // the function sends its answer
	readingAnswer                   // CloudFormation reads it
)

// An effect is what a fault does at a moment.
type effect uint8

const (
	nothing   effect = iota
	waits            // it takes longer than it should
	repeats          // the payload is delivered once more
	doubles          // it is delivered to two processes at once
	slows            // the method works slowly
	dies             // the process ends
	fails            // an error, which may pass
	panics           // a panic
	hangs            // nothing more, until the context ends
	refuses          // an error for good
	throttles        // an error of a service that is busy
	cancels          // the operation is cancelled
	loses            // the message does not arrive
)

// An extent says in which invocations of an event's chain a fault happens.
type extent uint8

const (
	anyLink extent = iota
	firstLink
	secondLink
	thirdLink
	laterLinks // all but the first
)

func (e extent) has(link int) bool {
	switch e {
	case anyLink:
		return true
	case laterLinks:
		return link > 1
	default:
		return int(e) == link
	}
}

// An act is one thing that a fault does. Its text, if it has one, goes into the story; its %v is the method or
// the number of the Step.
type act struct {
	at   moment
	does effect
	in   extent
	text string
}

// A kindRow is all that there is to know about a kind of fault.
type kindRow struct {
	kind FaultKind
	end  End
	acts []act

	step    bool // it has a Step
	inChain bool // it happens to a request that takes several invocations
	inPoll  bool // it happens to a request that waits in a Poll
	inStep  bool // it happens to a request that calls Step
	forGood bool // it happens in each of Lambda's tries
	forward bool // it happens only in what can be cancelled
}

// kinds has a row for each kind of fault. Whoever reaches a moment asks once, by at, what the fault does then.
var kinds = []kindRow{
	{kind: Redeliver, end: EndsWell, acts: []act{{delivered, repeats, anyLink, "Lambda delivers the event once more"}}},
	{kind: Twice, end: EndsWell, acts: []act{
		{delivering, doubles, anyLink, "Lambda delivers the event to another process meanwhile"},
		{beforeWork, slows, anyLink, ""}, {atStep, slows, anyLink, ""}, {afterWork, slows, anyLink, ""},
	}},
	{kind: Late, end: EndsWell, acts: []act{{delivering, waits, anyLink, "Lambda delivers the event two minutes late"}}},
	{kind: LoseAnswer, end: EndsUnknown, acts: []act{{readingAnswer, loses, anyLink, "the answer is lost"}}},
	{kind: Undelivered, end: EndsFound, acts: []act{{answering, loses, anyLink, "the answer cannot be delivered"}}},
	{kind: NeverDelivered, end: EndsUnknown, acts: []act{{delivering, loses, anyLink, "Lambda never delivers the event"}}},
	{kind: DieBefore, end: EndsWell, acts: []act{{starting, dies, anyLink, "the process dies before it sees the event"}}},
	{kind: DieAfter, end: EndsFound, acts: []act{{answering, dies, anyLink, diesUnanswered}}},
	{kind: DieForGood, end: EndsUnknown, forGood: true, acts: []act{{answering, dies, anyLink, diesUnanswered}}},
	{kind: DieAtStep, end: EndsFound, step: true, acts: []act{{atStep, dies, anyLink, "the process dies at step %v"}}},
	{kind: ErrorAfter, end: EndsFailed, acts: []act{{afterWork, fails, anyLink, "%v fails after it has done its work"}}},
	{kind: PanicAfter, end: EndsFailed, acts: []act{{afterWork, panics, anyLink, "%v panics after it has done its work"}}},
	{kind: OutOfTimeAfter, end: EndsOutOfTime, acts: []act{{afterWork, hangs, anyLink, "%v does its work, and then waits until its context ends"}}},
	{kind: FailAtStep, end: EndsFailed, step: true, acts: []act{{atStep, fails, anyLink, "the service fails at step %v"}}},
	{kind: HangAtStep, end: EndsOutOfTime, step: true, acts: []act{{atStep, hangs, anyLink, "the service hangs at step %v"}}},
	{kind: ThrottleAtStep, end: EndsWell, step: true, acts: []act{{atStep, throttles, anyLink, "the service is busy at step %v"}}},
	{kind: CancelWhileRunning, end: EndsCancelled, forward: true, acts: []act{
		{beforeWork, cancels, anyLink, "while the handler works"}, {afterWork, cancels, anyLink, "while the handler works"},
	}},

	{kind: Slow, end: EndsWell, inChain: true, acts: []act{{atPoll, waits, anyLink, "what the Poll waits for takes long"}}},
	{kind: LinkDies, end: EndsWell, inChain: true, acts: []act{{continuing, dies, secondLink, diesUnsent}}},
	{kind: LinkDiesForGood, end: EndsFailed, inChain: true, forGood: true, acts: []act{
		{continuing, dies, secondLink, diesUnsent}, {answering, dies, secondLink, diesUnanswered},
	}},
	{kind: LinkTwice, end: EndsWell, inChain: true, acts: []act{{continued, repeats, firstLink, "Lambda delivers the function's payload to itself twice"}}},
	{kind: LinkFails, end: EndsFailed, inChain: true, acts: []act{{beforeWork, fails, secondLink, "the service fails for the second invocation"}}},
	{kind: CancelBetween, end: EndsCancelled, inChain: true, acts: []act{{betweenLinks, cancels, firstLink, "before the next invocation"}}},
	{kind: CancelWaiting, end: EndsCancelled, inChain: true, acts: []act{{atPoll, cancels, thirdLink, "while the third invocation waits"}}},
	{kind: ContinueRefused, end: EndsFailed, inChain: true, acts: []act{{continuing, refuses, firstLink, "Lambda does not let the function invoke itself"}}},
	{kind: ContinueLost, end: EndsWell, inChain: true, acts: []act{{continued, loses, firstLink, "Lambda's response is lost after the function has invoked itself"}}},
	{kind: PhaseUnknown, end: EndsFailed, inChain: true, acts: []act{{askingPhase, loses, anyLink, "the stack does not say why the request was sent"}}},
	{kind: PhaseLost, end: EndsFailed, inChain: true, acts: []act{{askingPhase, loses, laterLinks, "the stack does not say why the request was sent"}}},

	{kind: NeverReady, end: EndsFailed, inPoll: true, acts: []act{{atPoll, waits, anyLink, "what the Poll waits for never becomes ready"}}},
	{kind: RefuseFromStep, end: EndsFailed, step: true, forGood: true, acts: []act{{atStep, refuses, anyLink, "the service refuses step %v and all later ones"}}},
	{kind: NeverReadyRefused, end: EndsFailed, inPoll: true, forGood: true, acts: []act{
		{atPoll, waits, anyLink, "what the Poll waits for never becomes ready, and the service refuses each step from now on"}, {atStep, refuses, anyLink, ""},
	}},
	{kind: Busy, end: EndsOutOfTime, inStep: true, forGood: true, acts: []act{{atStep, throttles, anyLink, "the service is busy at each step"}}},
	{kind: Unreachable, end: EndsOutOfTime, inStep: true, forGood: true, acts: []act{{atStep, fails, anyLink, "the service cannot be reached at any step"}}},
}

const (
	diesUnanswered = "the process dies before it has answered"
	diesUnsent     = "the process dies before it has sent the event on"
)

// at returns what the fault does at a moment of an invocation, which is the link of its event's chain. The
// effect is nothing if the fault does nothing then.
func (k FaultKind) at(m moment, link int) act {
	for _, a := range k.row().acts {
		if a.at == m && a.in.has(link) {
			return a
		}
	}
	return act{}
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

// End returns how the work on a request ends because of the fault.
func (k FaultKind) End() End { return k.row().end }

// AtStep reports whether the fault happens at a Step.
func (k FaultKind) AtStep() bool { return k.row().step }

// InChain reports whether the fault happens to a request that takes several invocations.
func (k FaultKind) InChain() bool { return k.row().inChain }

// InPoll reports whether the fault keeps each Poll from being ready, for good.
func (k FaultKind) InPoll() bool { return k.row().inPoll }

// InStep reports whether the fault happens at all Steps.
func (k FaultKind) InStep() bool { return k.row().inStep }

// AfterWork reports whether the fault is the end of a method that has done its work.
func (k FaultKind) AfterWork() bool {
	return slices.Contains([]effect{fails, panics, hangs}, k.at(afterWork, 1).does)
}

// onRetry returns the fault of the second and third delivery.
func (f Fault) onRetry() Fault {
	if f.Kind.row().forGood {
		return f
	}
	return Fault{}
}

// check returns what is wrong with a fault.
func (f Fault) check() error {
	switch {
	case f.Kind.row().kind == "":
		return fmt.Errorf("there is no fault %q: use one of the constants, such as cfntest.LoseAnswer", f.Kind)
	case f.Request != "" && f.Request != "Create" && f.Request != "Update" && f.Request != "Delete":
		return fmt.Errorf("the fault's Request is %q: make it Create, Update, Delete or empty", f.Request)
	case f.Kind.AtStep() && f.Step < 1:
		return fmt.Errorf("the fault %s has no Step: set it, counting from 1", f.Kind)
	case f.Skip < 0:
		return fmt.Errorf("the fault %s has the Skip %d: make it 0 or more", f.Kind, f.Skip)
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
