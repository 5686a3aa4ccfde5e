package cfntest

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// TestHandler checks that a handler does what CloudFormation demands: the parts of AWS's "Resource
// type handler contract", for registered types, that concern custom resources, and what only those
// have to bear. Each check is a subtest:
//
//   - create-delete: Create makes the thing, and Delete removes it.
//   - state-shows-properties: State shows what the properties make, and no times
//     and random values.
//   - steps-around-effects: The service calls Step before each of its effects
//     and after it.
//   - create-redelivered-one-resource: A Create that is delivered twice makes
//     one thing, and is answered in the same way: it returns AlreadyExists with
//     its StableID, or Find finds the first one.
//   - create-failed-nothing-left: When a Create that the service refuses is
//     rolled back, nothing is left.
//   - create-error-after-making: When a Create fails after it has made
//     something, the rollback's Delete removes it: Create has called Created,
//     or it can be found.
//   - create-panics-after-making: When a Create panics after it has made
//     something, the rollback's Delete removes it.
//   - create-out-of-time-nothing-left: When a Create runs out of time after it
//     has made something, the rollback's Delete removes it.
//   - create-died-half-way-is-finished: A Create whose process died is finished
//     by Lambda's next attempt: Update, which is called for a thing that exists
//     already, makes the rest of it.
//   - create-refused-nothing-left: When the service refuses a Create's calls,
//     from any one on, the rollback's Delete removes what it made.
//   - create-never-ready-nothing-left: When a Create's wait never ends, the
//     Create fails, and the rollback's Delete removes what it made.
//   - create-cancelled-while-running: When a Create is cancelled while it
//     runs, the Delete with a made-up ID removes what it made: its ID is the
//     StableID, or Find finds it.
//   - stranger-holds-the-name: Somebody else's thing with the resource's name
//     is never touched: Create returns AlreadyExists, and calls Created only
//     for what it has made.
//   - delete-twice: The Delete of a deleted thing succeeds: it returns nil, or
//     NotFound.
//   - delete-never-created: The Delete of a thing that was never made succeeds.
//   - delete-lost-create: When a Create's answer never arrives, the Delete with
//     a made-up ID removes what it made: its ID is the StableID, or Find finds
//     it.
//   - delete-undecodable-properties: A Delete whose properties cannot be read
//     succeeds, and removes no more than it would otherwise.
//   - delete-failed-is-told: A Delete that did not remove the thing does not
//     succeed, and the next one removes it.
//   - delete-died-half-way-is-finished: A Delete whose process died is
//     finished by Lambda's next attempt.
//   - update-same-properties: An Update to the same properties succeeds and
//     changes nothing.
//   - update-keeps-id: An Update in place brings the thing to its properties,
//     and keeps the physical ID.
//   - update-redelivered: An Update that is delivered twice succeeds twice, and
//     the second time changes nothing.
//   - update-is-not-a-diff: An Update brings the thing to its properties
//     whatever the old properties say: they may never have been applied.
//   - update-died-half-way-is-finished: An Update whose process died is
//     finished by Lambda's next attempt.
//   - update-failed-then-rollback: The rollback of an Update that failed
//     restores the former properties.
//   - updates-go-on: Many Updates succeed, one after the other: nothing that
//     they leave adds up.
//   - update-refused-then-rollback: When the service refuses an Update's calls,
//     from any one on, the Update fails, and its rollback restores the former
//     properties.
//   - update-never-ready-then-rollback: When an Update's wait never ends, the
//     Update fails, and its rollback restores the former properties.
//   - throttled-is-tried-again: When a busy service refuses a call once, Update
//     or Delete succeeds when the dispatcher calls it again: its error keeps
//     the service's code.
//   - update-not-updatable-then-rollback: An Update that cannot be made in
//     place returns CodeNotUpdatable and changes nothing, and its rollback
//     succeeds.
//   - update-old-undecodable: An Update succeeds though the old properties
//     cannot be read: OldPropertiesErr is no reason to fail.
//   - update-replaces: An Update to another identity makes another thing under
//     another ID, and the Delete of the old ID removes the old one.
//   - delete-old-leaves-new: After a replacement, the Delete of the old thing
//     leaves the new one as it is.
//   - replace-redelivered-one-resource: A replacement whose process died after
//     making the new thing is finished by Lambda's next attempt, and makes no
//     second one.
//   - replace-failed-nothing-left: A replacement that fails after it has made
//     the new thing leaves nothing of it: Create calls Created as soon as it is
//     made.
//   - replace-refused-nothing-left: When the service refuses a replacement's
//     calls, from any one on, nothing of the new thing is left: Create calls
//     Created as soon as it is made.
//   - replace-never-ready-nothing-left: A replacement whose wait never ends
//     leaves nothing of the new thing: Create calls Created before it waits.
//   - replace-failed-then-rollback-keeps-first: A replacement leaves the first
//     thing as it is, also when it fails: only CloudFormation's Delete removes
//     it.
//   - replace-then-rollback-returns-to-first: When a replacement that
//     succeeded is rolled back, the first thing is the stack's again, as it
//     was, and the new one is deleted.
//   - provider-upgrade-keeps-id: A thing that an older program made keeps its
//     ID, and is updated, rolled back and deleted under it.
//   - thing-of-before: A thing that the former program made is updated, rolled
//     back and deleted like one of this program's.
//   - update-of-what-is-gone: An Update of a thing that somebody has removed
//     makes it again under its ID, or fails: it does not succeed without it.
//   - leads-where-create-does: The same properties always make the same thing:
//     after each Update, rollback or second try, it is as a Create makes it,
//     whichever property alone has changed.
//   - find-reads-the-id-first: Find, called with the ID of a thing that bears
//     the StableID, returns that ID, whatever a search shows.
//   - sibling-is-left-alone: Two resources of one stack are two things, and
//     what is done to one leaves the other as it is.
//   - siblings-at-once: Two resources of one stack that are handled at once end
//     up as if handled one after the other.
//   - warm-process-serves-several: A process that handles events of several
//     resources, one after the other, does what new processes do.
//   - warm-process-recovers: After a request that failed, a process handles the
//     next as a new process does.
//   - processes-take-turns: Two processes that get the events in turn do what one
//     does: what one remembers, the other may have changed since.
//   - time-passes: A thing can be updated and deleted hours, days and years
//     later, by a process that has lived as long and by a new one.
//   - use-outlives-updates: What users put into a thing outlives an Update and the rollback of a
//     replacement, and a Delete that succeeds leaves none of it.
//   - redelivered-does-no-more: An event has the same effects if it is
//     delivered twice, if its process dies, and if it succeeds though the
//     service fails.
//   - among-others: Among many things of other people, made before and after,
//     the handler works in the same way, and leaves theirs as they are.
//   - delete-leaves-neighbours: What is done to a resource leaves alone things
//     whose IDs begin with its ID, or with which its ID begins.
//   - long-names: In a stack with a long name, where StableIDs have 63
//     characters, the handler works in the same way.
//   - stringified-properties: Numbers and booleans arrive as strings, and mean
//     the same.
//   - data-same-after-update: Data is the same after an Update to the same
//     properties, and after a second delivery.
//   - answer-fits: An answer has at most 4096 bytes.
//   - context-ends-handler-returns: When its context ends, a method returns.
//   - secrets-stay-out-of-log: No secret is in the log, in a Reason, in a
//     physical ID, or in Data without NoEcho.
//   - recreate-after-delete: The same stack can make again what was deleted.
//   - continue-goes-on: A method whose Poll is cut off by the end of the
//     invocation goes on in the next: it returns Poll's error.
//   - continue-succeeds-when-ready: A request succeeds only when what its Poll
//     waits for is ready, however many invocations that takes: each method that
//     can be called next waits.
//   - continue-makes-one-resource: A Create that takes several invocations makes
//     one thing: it calls Created before it waits, and Update, which is called
//     next, finishes that.
//   - continue-updates: An Update or a replacement does the same in several
//     invocations as in one.
//   - continue-deletes: A Delete that takes several invocations removes the
//     thing: it accepts what an earlier one removed.
//   - continue-cancelled-nothing-left: A request that is cancelled after its
//     first invocation leaves nothing: Create calls Created before it waits.
//   - continue-failed-nothing-left: A request that fails after its first
//     invocation leaves nothing: Create calls Created before it waits.
//
// A failure says which rule does not hold, what happened until then, and what
// CloudFormation would have done. States are printed, properties are not.
//
// The checks continue-… run only if the function's Options.Continue is set.
// They make a [cfnresource.Poll] wait for three invocations; Contract.Timeout
// is the function's, for instance five minutes.
//
// Each check has services of its own and runs in virtual time, unless the Contract says RealTime;
// checks run one after the other. If a check needs something that the Contract lacks, or a service
// that calls [Step], it is skipped, and says what to add. A check that fails where a simpler one
// has failed is skipped as well: if a handler does not even create Properties, create-delete fails,
// and most others say nothing.
//
// The output of the packages log and log/slog during a check appears only if it fails. During
// secrets-stay-out-of-log, output on os.Stdout and os.Stderr does not appear. TestHandler does not
// see what a handler does with secrets in the service, and does not check what no handler can
// ensure, such as two updates that overlap.
//
// Before all checks, TestHandler makes a few things of the Contract's Properties: twice, an hour later, under another logical
// ID and in another stack. Where State differs between them, it depends on chance, time or the ID: state-shows-properties
// names these places, and all other checks leave them out. What depends on the ID is a warning.
//
// Most checks play histories as [Explore] does; a failure has the line with which [Replay] plays
// one again. Harm that no handler can prevent fails no check: the test's log says what it is.
//
// A handler that panics in a goroutine of its own, or calls log.Fatal, ends the test's process.
// What is printed then has a label with the name of the check, or with the history that Explore
// played. os.Exit prints nothing: go test -v shows which check ran last.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	play.TestHandler(t, c.behind())
}
