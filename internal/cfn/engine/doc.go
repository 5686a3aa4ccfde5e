// Package engine is CloudFormation's side of custom resources, and of those of
// the registry's types that are played ([Machine.Types]): given a stack,
// what was asked of it, and the answers of handlers, it says which requests are
// sent next, which rows appear in the stack's events, and where the stack comes
// to rest.
//
// It is a state machine. A [Machine] is a [Stack], which is plain data, and the
// templates that it is deployed from. Inputs are operations (Create, Update,
// Delete, Cancel, Rollback, Continue), answers, and time; outputs are requests to
// send ([Machine.Take]), events (in the Stack) and the time at which to come
// back ([Machine.Deadline]). It starts nothing, waits for nothing, and reads no
// clock, so the same inputs always give the same outputs, whether they come
// from a [Player] in virtual time or from processes in real time.
//
// It shares no code with the packages that answer requests: it is to judge them.
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
// A nested stack is a Machine within the one of the stack that it is nested in,
// and its Stack is kept within that one. Its parent starts its operations and
// waits for where they lead; requests, time and changes are those of the root's
// Machine. What an update within it replaced or removed is there until the root
// stack cleans up [D], so that a failure elsewhere can lead all of them back.
//
// # What it cannot do
//
// It knows no hooks, no stack policies, no roles and no
// change sets but the status of a stack that one made. The resources of other
// types than custom ones and nested stacks are stand-ins that do nothing.
package engine
