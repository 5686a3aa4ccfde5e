// Package host stands for AWS Lambda on this machine. It runs functions as processes that get their
// events from the Runtime API (version 2018-06-01), which every runtime speaks, so that a function
// can be a built binary or any command. Events come asynchronously, as from CloudFormation,
// directly or through an SNS topic, or from a function that calls Lambda's Invoke.
//
// # What is as in Lambda
//
// An event that fails is tried again, twice, with the same request ID and the same payload, after
// one minute and after two; then a record of it goes to the function's on-failure destination. An
// event that gets too old is given up. An event that is throttled goes back to the queue and is
// tried again after one second, two, four, and so on up to five minutes, which counts as no
// attempt. A process serves one event at a time, is kept for the next one, and is killed when the
// function's timeout has passed. A function's error is told from the end of its process, and that
// from an end before it was ready. (AWS Lambda Developer Guide, "How Lambda handles errors and
// retries with asynchronous invocation", "Capturing records of Lambda asynchronous invocations",
// "Using the Lambda runtime API for custom runtimes".)
//
// # Invoke
//
// Each process has an endpoint of Lambda's API, in AWS_ENDPOINT_URL_LAMBDA, where the AWS SDKs look
// for one. It is that of its Runtime API, keeps strangers out like it, ends with the process, and
// answers one action, Invoke: with the invocation types Event, RequestResponse and DryRun,
// qualifiers, and errors that are Lambda's in code and status. A chain of more than sixteen
// invocations of one function is ended, unless its RecursiveLoop is Allow; as in Lambda, a client
// that does not hand X-Ray's header on begins a chain. (AWS Lambda API Reference, "Invoke"; AWS
// Lambda Developer Guide, "Use Lambda recursive loop detection".)
//
// # What is not
//
//   - Processes are not frozen between events, have no limit of memory, and see
//     the machine's files and network. They are no sandbox: what is run here is
//     trusted as go test trusts it.
//   - They get nothing of the environment but what is needed to run a program
//     here, and no credentials of AWS: neither the variables nor the shared
//     files, but made-up ones, without which AWS's clients ask nothing. A
//     function's own variables can name some.
//   - A function that does not get ready in ten seconds is started once more
//     with its own timeout as the limit, as in Lambda; one whose process ends
//     before it is ready is not: the attempt has failed.
//   - Versions and aliases are all the function as it is now. There are no layers,
//     extensions, reserved concurrency and dead-letter queues, and responses are
//     not streamed.
//   - Invoke verifies no signature and asks no role, and gives back no log and no
//     client context.
//   - Destinations and subscribers are functions, or topics, of this host.
//   - Where an event was given up before its first attempt, the record has no
//     response: what Lambda writes there is not known.
//
// # Ends
//
// Close leaves no process behind: each is killed with the group of processes that it leads. If this
// process is killed, Linux kills those that it has started, but not what they have started in turn;
// elsewhere, and there, what speaks the Runtime API ends when it asks for its next event.
package host
