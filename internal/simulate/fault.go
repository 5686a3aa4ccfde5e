package simulate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cfnresource/sdk-go/cfntest/fault"
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
	holds            // it takes long
	denies           // an error of a service that does not see a new permission yet
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
	kind fault.Kind
	end  End
	acts []act

	step    bool // it has a Step
	inChain bool // it happens to a request that takes several invocations
	inPoll  bool // it happens to a request that waits in a Poll
	inStep  bool // it happens to a request that calls Step
	forGood bool // it happens in each of Lambda's tries
	forward bool // it happens only in what can be cancelled
}

// kinds has a row for each kind of fault. Whoever reaches a moment asks once, by actOf, what the fault does then.
var kinds = []kindRow{
	{kind: fault.Redeliver, end: EndsWell, acts: []act{{delivered, repeats, anyLink, "Lambda delivers the event once more"}}},
	{kind: fault.Twice, end: EndsWell, acts: []act{
		{delivering, doubles, anyLink, "Lambda delivers the event to another process meanwhile"},
		{beforeWork, slows, anyLink, ""}, {atStep, slows, anyLink, ""}, {afterWork, slows, anyLink, ""},
	}},
	{kind: fault.Late, end: EndsWell, acts: []act{{delivering, waits, anyLink, "Lambda delivers the event two minutes late"}}},
	{kind: fault.LoseAnswer, end: EndsUnknown, acts: []act{{readingAnswer, loses, anyLink, "the answer is lost"}}},
	{kind: fault.Undelivered, end: EndsFound, acts: []act{{answering, loses, anyLink, "the answer cannot be delivered"}}},
	{kind: fault.NeverDelivered, end: EndsUnknown, acts: []act{{delivering, loses, anyLink, "Lambda never delivers the event"}}},
	{kind: fault.DieBefore, end: EndsWell, acts: []act{{starting, dies, anyLink, "the process dies before it sees the event"}}},
	{kind: fault.DieAfter, end: EndsFound, acts: []act{{answering, dies, anyLink, diesUnanswered}}},
	{kind: fault.DieForGood, end: EndsUnknown, forGood: true, acts: []act{{answering, dies, anyLink, diesUnanswered}}},
	{kind: fault.DieAtStep, end: EndsFound, step: true, acts: []act{{atStep, dies, anyLink, "the process dies at step %v"}}},
	{kind: fault.ErrorAfter, end: EndsFailed, acts: []act{{afterWork, fails, anyLink, "%v fails after it has done its work"}}},
	{kind: fault.PanicAfter, end: EndsFailed, acts: []act{{afterWork, panics, anyLink, "%v panics after it has done its work"}}},
	{kind: fault.OutOfTimeAfter, end: EndsOutOfTime, acts: []act{{afterWork, hangs, anyLink, "%v does its work, and then waits until its context ends"}}},
	{kind: fault.FailAtStep, end: EndsFailed, step: true, acts: []act{{atStep, fails, anyLink, "the service fails at step %v"}}},
	{kind: fault.DeniedAtFirst, end: EndsFailed, inStep: true, acts: []act{{atStep, denies, anyLink, "the service denies the first two steps, since a permission is new"}}},
	{kind: fault.HangAtStep, end: EndsOutOfTime, step: true, acts: []act{{atStep, hangs, anyLink, "the service hangs at step %v"}}},
	{kind: fault.ThrottleAtStep, end: EndsWell, step: true, acts: []act{{atStep, throttles, anyLink, "the service is busy at step %v"}}},
	{kind: fault.HeldAtStep, end: EndsWell, step: true, acts: []act{{atStep, holds, anyLink, "step %v takes a while"}}},
	{kind: fault.CancelWhileRunning, end: EndsCancelled, forward: true, acts: []act{
		{beforeWork, cancels, anyLink, "while the handler works"}, {afterWork, cancels, anyLink, "while the handler works"},
	}},

	{kind: fault.Slow, end: EndsWell, inChain: true, acts: []act{{atPoll, waits, anyLink, "what the Poll waits for takes long"}}},
	{kind: fault.LinkDies, end: EndsWell, inChain: true, acts: []act{{continuing, dies, secondLink, diesUnsent}}},
	{kind: fault.LinkDiesForGood, end: EndsFailed, inChain: true, forGood: true, acts: []act{
		{continuing, dies, secondLink, diesUnsent}, {answering, dies, secondLink, diesUnanswered},
	}},
	{kind: fault.LinkTwice, end: EndsWell, inChain: true, acts: []act{{continued, repeats, firstLink, "Lambda delivers the function's payload to itself twice"}}},
	{kind: fault.LinkFails, end: EndsFailed, inChain: true, acts: []act{{beforeWork, fails, secondLink, "the service fails for the second invocation"}}},
	{kind: fault.CancelBetween, end: EndsCancelled, inChain: true, acts: []act{{betweenLinks, cancels, firstLink, "before the next invocation"}}},
	{kind: fault.CancelWaiting, end: EndsCancelled, inChain: true, acts: []act{{atPoll, cancels, thirdLink, "while the third invocation waits"}}},
	{kind: fault.ContinueRefused, end: EndsFailed, inChain: true, acts: []act{{continuing, refuses, firstLink, "Lambda does not let the function invoke itself"}}},
	{kind: fault.ContinueLost, end: EndsWell, inChain: true, acts: []act{{continued, loses, firstLink, "Lambda's response is lost after the function has invoked itself"}}},
	{kind: fault.PhaseUnknown, end: EndsFailed, inChain: true, acts: []act{{askingPhase, loses, anyLink, "the stack does not say why the request was sent"}}},
	{kind: fault.PhaseLost, end: EndsFailed, inChain: true, acts: []act{{askingPhase, loses, laterLinks, "the stack does not say why the request was sent"}}},

	{kind: fault.NeverReady, end: EndsFailed, inPoll: true, acts: []act{{atPoll, waits, anyLink, "what the Poll waits for never becomes ready"}}},
	{kind: fault.RefuseFromStep, end: EndsFailed, step: true, forGood: true, acts: []act{{atStep, refuses, anyLink, "the service refuses step %v and all later ones"}}},
	{kind: fault.NeverReadyRefused, end: EndsFailed, inPoll: true, forGood: true, acts: []act{
		{atPoll, waits, anyLink, "what the Poll waits for never becomes ready, and the service refuses each step from now on"}, {atStep, refuses, anyLink, ""},
	}},
	{kind: fault.Busy, end: EndsOutOfTime, inStep: true, forGood: true, acts: []act{{atStep, throttles, anyLink, "the service is busy at each step"}}},
	{kind: fault.Unreachable, end: EndsOutOfTime, inStep: true, forGood: true, acts: []act{{atStep, fails, anyLink, "the service cannot be reached at any step"}}},
}

const (
	diesUnanswered = "the process dies before it has answered"
	diesUnsent     = "the process dies before it has sent the event on"
)

// actOf returns what a fault does at a moment of an invocation, which is the link of its event's chain. The
// effect is nothing if the fault does nothing then.
func actOf(k fault.Kind, m moment, link int) act {
	for _, a := range rowOf(k).acts {
		if a.at == m && a.in.has(link) {
			return a
		}
	}
	return act{}
}

// Kinds returns all kinds, in the order in which they are tried.
func Kinds() (all []fault.Kind) {
	for _, row := range kinds {
		all = append(all, row.kind)
	}
	return all
}

// rowOf returns a kind's row; without a kind if there is no such fault.
func rowOf(k fault.Kind) (row kindRow) {
	if i := slices.IndexFunc(kinds, func(row kindRow) bool { return row.kind == k }); i >= 0 {
		row = kinds[i]
	}
	return row
}

// EndOf returns how the work on a request ends because of a fault.
func EndOf(k fault.Kind) End { return rowOf(k).end }

// AtStep reports whether the fault happens at a Step.
func AtStep(k fault.Kind) bool { return rowOf(k).step }

// InChain reports whether the fault happens to a request that takes several invocations.
func InChain(k fault.Kind) bool { return rowOf(k).inChain }

// InPoll reports whether the fault keeps each Poll from being ready, for good.
func InPoll(k fault.Kind) bool { return rowOf(k).inPoll }

// InStep reports whether the fault happens at whatever Steps there are.
func InStep(k fault.Kind) bool { return rowOf(k).inStep }

// AfterWork reports whether the fault is the end of a method that has done its work.
func AfterWork(k fault.Kind) bool {
	return slices.Contains([]effect{fails, panics, hangs}, actOf(k, afterWork, 1).does)
}

// onRetry returns the fault of the second and third delivery.
func onRetry(f fault.Fault) fault.Fault {
	if rowOf(f.Kind).forGood {
		return f
	}
	return fault.Fault{}
}

// checkFault returns what is wrong with a fault.
func checkFault(f fault.Fault) error {
	switch {
	case rowOf(f.Kind).kind == "":
		return fmt.Errorf("there is no fault %q: use one of the constants, such as fault.LoseAnswer", f.Kind)
	case !slices.Contains([]string{"", "Create", "Update", "Delete"}, f.Request):
		return fmt.Errorf("the fault's Request is %q: make it Create, Update, Delete or empty", f.Request)
	case AtStep(f.Kind) && f.Step < 1:
		return fmt.Errorf("the fault %s has no Step: set it, counting from 1", f.Kind)
	case f.Skip < 0:
		return fmt.Errorf("the fault %s has the Skip %d: make it 0 or more", f.Kind, f.Skip)
	}
	return nil
}

// fits reports whether the fault is about a request.
func fits(f fault.Fault, requestType, logicalID string) bool {
	return cmp.Or(f.Request, requestType) == requestType && cmp.Or(f.LogicalID, logicalID) == logicalID
}
