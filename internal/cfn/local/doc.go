// Package local plays stacks on this machine: it puts the engine, the response
// bucket, the host of functions and the store to work together.
//
//	home.go        the directory of stacks
//	record.go      what is kept of a stack
//	deployment.go  a template with all that was said about it
//	nestedfiles.go the templates of nested stacks
//	nested.go      the part of a deployment that is about a nested stack
//	substitutes.go what takes the place of nested stacks
//	exports.go     what stacks export to each other
//	inherit.go     what an update need not say again
//	operation.go   what can be asked of a stack
//	operate.go     an operation's lock, programs and service
//	build.go       a function's program
//	service.go     a program that the handler needs
//	ready.go       when it serves
//	run.go         one operation, from its first step to its rest
//	deliver.go     a request on its way to the handler, and the answer's way back
//	function.go    what is behind a ServiceToken
//	types.go       what is behind a type of the registry
//	drift.go       resources as they are, against the template
//	import.go      resources that a stack takes over
//	link.go        what a function sends to a function
//	lambda.go      the host of functions, as a run needs it
//	fault.go       what is to go wrong, and with which request
//	cancel.go      a word from another process
//	serve.go       what CloudFormation's API says of stacks
//	records.go     what is kept of stacks, read again where it has changed
//	invoke.go      one event for a handler, without a stack
//	package.go     a type's program, packed for the registry
//	leftover.go    what may exist that no stack has
//	listing.go     what there is, by a command that asks the service
//	hide.go        what is not shown
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
