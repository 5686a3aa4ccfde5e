// Package local plays stacks on this machine: it puts the engine, the response
// bucket, the host of functions and the store to work together.
//
//	home.go        the directory of stacks
//	actions.go     what can be asked of a stack
//	operation.go   one action on a stack: its lock, its parts, from start to end
//	start.go       what comes before: programs, checks, logs, the service
//	play.go        what stands for AWS, and the first step
//	wait.go        until the stack is at rest
//	rows.go        what is saved, and shown once it is
//	clock.go       the stack's time
//	unwind.go      what was started, stopped in reverse
//	deliver.go     a request on its way to the handler, and the answer's way back
//	deliveries.go  those that run
//	link.go        what a function sends to a function
//	lambda.go      the host of functions, as an operation needs it
//	types.go       the handlers of registered types
//	fault.go       what is to go wrong, and with which request
//	inject.go      what has gone wrong
//	build.go       programs of functions and types
//	check.go       a template against what its functions say of themselves
//	cancel.go      a command from another process
//	drift.go       resources as they are, against the template
//	import.go      resources that a stack takes over
//	exports.go     what stacks export to each other
//	substitutes.go what takes the place of nested stacks
//	reader.go      what CloudFormation's API says of stacks
//	recordcache.go what is kept of stacks, read again where it has changed
//	pages.go       stacks in a browser
//	story.go       what a page is made of
//	trace.go       what happens beside a stack's rows
//	watcher.go     who is told
//	invoke.go      one event for a handler, without a stack
//	leftover.go    what may exist that no stack has
//	listing.go     what there is, by a command that asks the service
//
// What is kept is package record's, who answers is package provider's, what handlers
// need is package service's, and what is not shown is package mask's.
//
// What a step changed in a stack is kept before the requests of that step are
// sent, and the whole stack when an operation or a walk over the resources starts
// or ends. A handler is told that its answer has come before anything is kept.
// Whoever is killed leaves a stack in motion; [Home.Resume] sends again what was
// not answered, or whose answer was not kept, as AWS Lambda may deliver an event
// twice.
//
// Handlers get the endpoint of an API that tells of the stacks as CloudFormation's
// does, while an operation runs: one that looks its own stack up finds it in the
// status in which the request was sent, or a later one. They also get Lambda's
// Invoke: a function is looked up as it is deployed when it is invoked, and what is
// sent to it keeps the operation waiting, as what CloudFormation sends does. It is
// in no state: whoever resumes an operation that was killed sends the request
// again, and a chain of invocations begins anew.
//
// # What it cannot do
//
// AWS resources are stand-ins: they have IDs and attributes and no effect.
// Functions are those of the stack's own template and of those nested in it.
// If nobody will answer, the wait for the answer is skipped, and later times count
// it. Lambda's own waits between attempts are skipped too, and no time counts them.
// Faults belong to one command: a resumed operation has none but those that are
// given again. A role is not consulted when a function invokes another. If its
// policies in the template plainly do not let the function invoke itself, a warning
// says so.
package local
