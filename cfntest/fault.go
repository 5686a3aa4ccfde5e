package cfntest

import "github.com/cfnresource/sdk-go/internal/play"

// A Fault is what goes wrong with one request, the first that fits.
type Fault struct {
	What      FaultKind
	Request   string // "Create", "Update" or "Delete"; "" is any
	LogicalID string // "" is any
	Skip      int    // so many requests that fit are let pass first
	// Step is the call of [Step] at which DieAtStep, FailAtStep and HangAtStep
	// happen, counted from 1 in one invocation.
	Step int
}

// A FaultKind names what goes wrong. The names stay as they are.
type FaultKind string

// What goes wrong with the delivery of a request.
const (
	// Redeliver delivers the event once more, to a new process, when it has
	// been answered. Lambda delivers at least once.
	Redeliver FaultKind = "redeliver"
	// Twice delivers the event to two processes nearly at once. Both work
	// slowly, so that each meets what the other one has half done.
	Twice FaultKind = "twice"
	// Late delivers the event two minutes after CloudFormation sent it.
	Late FaultKind = "late"
	// LoseAnswer loses the answer: CloudFormation waits for the ServiceTimeout,
	// an hour by default.
	LoseAnswer FaultKind = "lose-answer"
	// Undelivered is a response bucket that takes nothing while the function
	// runs: Invoke returns an error, and Lambda delivers the event again.
	Undelivered FaultKind = "undelivered"
)

// How a process ends.
const (
	// DieBefore ends the process before it sees the event. Lambda delivers the
	// event again a minute later, to a new one.
	DieBefore FaultKind = "die-before"
	// DieAfter ends the process when all is done but the answer. Lambda delivers
	// the event again a minute later, to a new one.
	DieAfter FaultKind = "die-after"
	// DieForGood is DieAfter with each of Lambda's three tries. Then the
	// function's on-failure destination, which is the same function, gets the
	// record of it.
	DieForGood FaultKind = "die-for-good"
	// DieAtStep ends the process at a Step. Lambda delivers the event again a
	// minute later, to a new one.
	DieAtStep FaultKind = "die-at-step"
)

// How a handler fails. It is called once more only if CloudFormation asks it.
const (
	// ErrorAfter is an error after the method has done its work, in place of
	// its result: what Create has named is all that is known of it.
	ErrorAfter FaultKind = "error-after"
	// PanicAfter is a panic after the method has done its work.
	PanicAfter FaultKind = "panic-after"
	// OutOfTimeAfter is a method that has done its work and then waits until its
	// context ends.
	OutOfTimeAfter FaultKind = "out-of-time-after"
	// FailAtStep is a service that fails at a Step: Step returns an error.
	FailAtStep FaultKind = "fail-at-step"
	// HangAtStep is a service that hangs at a Step until the context ends.
	HangAtStep FaultKind = "hang-at-step"
	// CancelWhileRunning cancels the operation while the handler works: it goes
	// on, and nobody waits for its answer. A creation is cancelled by
	// DeleteStack, before the method has done its work, so that the Delete
	// overtakes the Create; an update by CancelUpdateStack, when the method has
	// done its work. What cannot be cancelled, as a rollback, is not.
	CancelWhileRunning FaultKind = "cancel-while-running"
)

// String names the fault and the request that it is about.
func (f Fault) String() string { return f.behind().String() }

func (f Fault) behind() play.Fault {
	return play.Fault{What: play.FaultKind(f.What), Request: f.Request, LogicalID: f.LogicalID, Skip: f.Skip, Step: f.Step}
}
