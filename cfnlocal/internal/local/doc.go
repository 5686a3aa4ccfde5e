// Package local plays stacks on this machine. It connects the engine, the response bucket, the host
// of functions and the store.
//
// Each operation saves what a step changed before it sends the requests of that step. It saves the
// whole stack when an operation, or a walk over the resources, starts or ends. A handler gets the
// response to its PUT before its answer is saved. A process that is killed leaves a stack in motion.
// [Home.Resume] then sends every request again whose answer was not saved, just as Lambda may
// deliver an event twice. It marks such a request as interrupted: unless that succeeds, what it made before
// is among the [Leftovers].
//
// While an operation runs, handlers get the endpoint of an API that describes stacks as
// CloudFormation's does. A handler that looks up its own stack finds it in the status in which the
// request was sent, or in a later one. Handlers also get Lambda's Invoke. It calls a function as it
// is deployed at that time, and the operation waits for that call as for its own. Invocations are
// not saved: resuming sends the request again and starts a new chain.
//
// # What it cannot do
//
// AWS resources are stand-ins, with IDs and attributes but no effect. Functions are those of the
// stack's own template, of the templates nested in it, and of the other stacks in the home. If no
// handler can answer any more, the operation skips the wait for the answer, and later times include
// it. It also skips Lambda's waits between attempts, and each but the first for a function that does
// not get ready, which no time includes. Faults belong to one command: a resumed operation has only
// those that are given again. Invoking another function does not consult the caller's role. If a
// role's policies plainly forbid a function to invoke itself, a warning says so.
package local
