// Package engine is CloudFormation's side of custom resources and of the registered types in
// [Machine.Types]. From a stack, the operations on it and the answers of handlers it derives the
// next requests, the stack's events, and the status in which the stack comes to rest.
//
// It is a state machine. A [Machine] is a [Stack], which is plain data, and the templates that it
// is deployed from. Inputs are operations (Create, Update, Delete, Cancel, Rollback, Continue),
// answers, and time; outputs are requests to send ([Machine.Take]), events (in the Stack) and the
// time at which to come back ([Machine.Deadline]). It starts nothing, waits for nothing, and reads
// no clock, so the same inputs always give the same outputs. A [Live] runs it in real time.
//
// It shares no code with the packages that answer requests, because it judges them.
//
// # How well a rule is known
//
// Rules carry a label in their comments:
//
//   - [D] documented by AWS
//   - [V] recorded from real AWS, in recordings that were kept
//   - [O] observed by users of AWS
//   - [I] inferred from other facts
//   - [?] not known, or sources disagree: [Options] names what is assumed and
//     offers the other way
//
// # Nested stacks
//
// A nested stack has a Machine within its parent's Machine, and a Stack within its parent's Stack.
// The parent starts its operations and waits for their results; requests, time and changes belong
// to the root's Machine. Resources that an update of a nested stack replaced or removed exist until
// the root stack cleans up [D], so that a failure elsewhere can roll all of the stacks back.
//
// # Limits
//
// It has no hooks, no stack policies and no roles. Of change sets it knows only the status
// REVIEW_IN_PROGRESS. Resources of all other types are stand-ins that do nothing.
package engine
