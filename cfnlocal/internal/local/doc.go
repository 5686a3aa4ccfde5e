// Package local plays stacks on this machine: it puts the engine, the response
// bucket, the host of functions and the store to work together.
//
// What is kept is package record's, who answers is package provider's, what handlers
// need is package service's, and what is not shown is package mask's.
//
// What a step changed in a stack is kept before the requests of that step are sent, and the whole
// stack when an operation or a walk over the resources starts or ends. A handler is told that its
// answer has come before anything is kept. Whoever is killed leaves a stack in motion;
// [Home.Resume] sends again what was not answered, or whose answer was not kept, as AWS Lambda may
// deliver an event twice.
//
// Handlers get the endpoint of an API that tells of the stacks as CloudFormation's does, while an
// operation runs: one that looks its own stack up finds it in the status in which the request was
// sent, or a later one. They also get Lambda's Invoke: a function is looked up as it is deployed
// when it is invoked, and what is sent to it keeps the operation waiting, as what CloudFormation
// sends does. It is in no state: whoever resumes an operation that was killed sends the request
// again, and a chain of invocations begins anew.
//
// # What it cannot do
//
// AWS resources are stand-ins: they have IDs and attributes and no effect. Functions are those of
// the stack's own template and of those nested in it. If nobody will answer, the wait for the
// answer is skipped, and later times count it. Lambda's own waits between attempts are skipped too,
// and no time counts them. Faults belong to one command: a resumed operation has none but those
// that are given again. A role is not consulted when a function invokes another. If its policies in
// the template plainly do not let the function invoke itself, a warning says so.
package local
