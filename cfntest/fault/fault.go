// Package fault names what can go wrong with a request in a stack of package cfntest. A whole test reads:
//
//	package main
//
//	import (
//		"context"
//		"testing"
//		"testing/synctest"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/cfntest"
//		"github.com/cfnresource/sdk-go/cfntest/fault"
//	)
//
//	type Props struct{ Name string }
//
//	func greet(context.Context, *cfnresource.UpdateRequest[Props]) (struct{}, error) { return struct{}{}, nil }
//
//	func TestALostAnswerRollsBack(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
//				return cfnresource.New(cfnresource.Action(greet))
//			}})
//			stack.Inject(fault.Fault{Kind: fault.LoseAnswer, Request: "Create"})
//			status := stack.Deploy(cfntest.Template{"Greeting": {Properties: Props{Name: "Ada"}}})
//			if status != "ROLLBACK_COMPLETE" {
//				t.Errorf("the stack is in %s", status)
//			}
//		})
//	}
//
// cfntest.Explore tries each kind but CancelWhileRunning, ThrottleAtStep, HeldAtStep and NeverDelivered, or those in
// ExploreOptions.Faults.
package fault

import (
	"cmp"
	"fmt"
)

// A Fault is what goes wrong with one request of a stack, the first that fits.
type Fault struct {
	Kind      Kind
	Request   string // "Create", "Update" or "Delete"; "" is any
	LogicalID string // "" is any
	Skip      int    // how many requests that fit pass first
	// Step is the call of cfntest.Step at which DieAtStep, FailAtStep, HangAtStep, HeldAtStep,
	// ThrottleAtStep and RefuseFromStep happen, counted from 1 in one invocation.
	Step int
}

// A Kind names what goes wrong. The names stay as they are.
type Kind string

// What goes wrong with the delivery of a request.
const (
	// Redeliver delivers the event once more, to a new process, when it has
	// been answered. Lambda delivers at least once.
	Redeliver Kind = "redeliver"
	// Twice delivers the event to two processes nearly at once. Both work slowly, so that each meets
	// the other's half-done work: up to 1.5 s for each Step, and never so long that the time runs out.
	Twice Kind = "twice"
	// Late delivers the event two minutes after CloudFormation sent it.
	Late Kind = "late"
	// LoseAnswer loses the answer: CloudFormation waits for the ServiceTimeout, an hour by default.
	LoseAnswer Kind = "lose-answer"
	// Undelivered is a response bucket that takes nothing while the function
	// runs: Invoke returns an error, and Lambda delivers the event again.
	Undelivered Kind = "undelivered"
	// NeverDelivered is an event that no process gets, as of a function that may not run: the request
	// is not answered. cfntest.Explore leaves it out: a Delete that no process gets removes nothing.
	NeverDelivered Kind = "never-delivered"
)

// How a process ends.
const (
	// DieBefore ends the process before it sees the event. Lambda delivers the
	// event again a minute later, to a new one.
	DieBefore Kind = "die-before"
	// DieAfter ends the process when all is done but the answer. Lambda delivers
	// the event again a minute later, to a new one.
	DieAfter Kind = "die-after"
	// DieForGood is DieAfter with each of Lambda's three tries. Then the function's on-failure
	// destination, which is the same function, gets the record of it.
	DieForGood Kind = "die-for-good"
	// DieAtStep ends the process at a Step. Lambda delivers the event again a
	// minute later, to a new one.
	DieAtStep Kind = "die-at-step"
)

// How a handler fails. It is called again only if CloudFormation asks again.
const (
	// ErrorAfter is an error after the method has done its work, in place of
	// its result: only the ID that Create has named is known.
	ErrorAfter Kind = "error-after"
	// PanicAfter is a panic after the method has done its work.
	PanicAfter Kind = "panic-after"
	// OutOfTimeAfter is a method that has done its work and then waits until its context ends.
	OutOfTimeAfter Kind = "out-of-time-after"
	// FailAtStep is a service that fails at a Step: Step returns an error.
	FailAtStep Kind = "fail-at-step"
	// ThrottleAtStep is a service that is busy at a Step: Step returns an error with
	// cfnresource.CodeThrottling, and the next one does not. cfntest.Explore leaves it out: the
	// dispatcher does not call a Create again that has called Created.
	ThrottleAtStep Kind = "throttle-at-step"
	// DeniedAtFirst is a service that does not see a new permission yet: the first two Steps of an
	// invocation return an error with cfnresource.CodeAccessDenied. The dispatcher tries again
	// what returns that code.
	DeniedAtFirst Kind = "denied-at-first"
	// HeldAtStep is a service that takes a quarter of the function's timeout for a Step: requests for other resources,
	// which were sent at the same time, are handled meanwhile. cfntest.Explore leaves it out: its stacks have one resource.
	HeldAtStep Kind = "held-at-step"
	// HangAtStep is a service that hangs at a Step until the context ends.
	HangAtStep Kind = "hang-at-step"
	// CancelWhileRunning cancels the operation while the handler works: it goes on, and nobody
	// waits for its answer. A creation is cancelled by DeleteStack, before the method has done its
	// work, so that the Delete overtakes the Create; an update by CancelUpdateStack, when the
	// method has done its work. What cannot be cancelled, as a rollback, is not.
	CancelWhileRunning Kind = "cancel-while-running"
)

// What goes wrong with a request of a function that continues. Each makes a cfnresource.Poll wait
// for two and a half times the function's timeout, and so three invocations, in the methods that
// the request is for. A Poll with a limit of its own ends at that. The function's Continue and
// Phase are the stack's, whatever its options are.
const (
	// Slow is only that wait.
	Slow Kind = "slow"
	// LinkDies ends the process of the second invocation before it has sent the
	// event on. Lambda delivers it again a minute later.
	LinkDies Kind = "link-dies"
	// LinkDiesForGood is that with each of Lambda's three tries, or before it has
	// answered. Then the function's on-failure destination gets the record of it.
	LinkDiesForGood Kind = "link-dies-for-good"
	// LinkTwice delivers to two processes what the first invocation sent on.
	LinkTwice Kind = "link-twice"
	// LinkFails is a service that fails in the second invocation: its method
	// returns an error in place of doing its work.
	LinkFails Kind = "link-fails"
	// CancelBetween cancels the operation after the first invocation and before
	// the second. What cannot be cancelled is not.
	CancelBetween Kind = "cancel-between"
	// CancelWaiting cancels the operation while the third invocation waits.
	CancelWaiting Kind = "cancel-waiting"
	// ContinueRefused is a function that may not invoke itself.
	ContinueRefused Kind = "continue-refused"
	// ContinueLost is a response of Lambda's that does not arrive: the function
	// was invoked, and does not know it. So Lambda delivers the event again, too.
	ContinueLost Kind = "continue-lost"
	// PhaseUnknown is a stack that does not say why the request was sent.
	PhaseUnknown Kind = "phase-unknown"
	// PhaseLost is one that says so to the first invocation, and to no later
	// one.
	PhaseLost Kind = "phase-lost"
)

// What goes wrong for good, in the methods that the request is for: a handler that tries again
// survives what passes.
const (
	// NeverReady keeps each cfnresource.Poll from being ready, with Continue or without.
	NeverReady Kind = "never-ready"
	// RefuseFromStep is a service that refuses the Step, and each after it, with
	// cfnresource.CodeAccessDenied. The dispatcher gives up when Options.PermissionLag is over.
	RefuseFromStep Kind = "refuse-from-step"
	// NeverReadyRefused is NeverReady with a service that refuses each Step once a Poll
	// has been kept from being ready.
	NeverReadyRefused Kind = "never-ready-refused"
	// Busy is a service that refuses each Step with cfnresource.CodeThrottling.
	Busy Kind = "busy"
	// Unreachable has each Step fail during the whole request, in all methods.
	Unreachable Kind = "unreachable"
)

// String names the fault and the request that it is about.
func (f Fault) String() string {
	text := string(f.Kind)
	if f.Step > 0 {
		text += fmt.Sprintf(" %d", f.Step)
	}
	text += " of " + cmp.Or(f.Request, "any request")
	if f.LogicalID != "" {
		text += " of " + f.LogicalID
	}
	return text
}
