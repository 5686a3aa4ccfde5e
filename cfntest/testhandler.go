package cfntest

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// TestHandler asks a handler whether it holds what CloudFormation demands of it: what AWS demands
// of the handlers of its registry's resource types ("Resource type handler contract"), as far as it
// concerns custom resources, and what only custom resources have to bear. Each check is a subtest:
//
//   - create-delete: Create makes the thing, and Delete removes it.
//   - steps-around-effects: The service calls Step before each of its effects
//     and after it.
//   - create-redelivered-one-resource: A Create that is delivered once more
//     makes nothing more and is answered in the same way: it answers
//     AlreadyExists with its StableID, or Find finds the first one.
//   - create-failed-nothing-left: When a Create that the service refuses is
//     rolled back, nothing is left.
//   - create-error-after-making: When a Create fails after it has made
//     something, the rollback's Delete removes it: Create has called Created,
//     or it can be found.
//   - create-panics-after-making: When a Create panics after it has made
//     something, the rollback's Delete removes it.
//   - create-out-of-time-nothing-left: When a Create runs out of time after it
//     has made something, the rollback's Delete removes it.
//   - create-died-half-way-is-finished: A Create whose process died is
//     finished by Lambda's next attempt: Update, which is called for what is
//     there already, makes all of it.
//   - create-refused-nothing-left: When the service refuses for good what a
//     Create asks for, from any call on, the rollback's Delete removes what it
//     made.
//   - create-never-ready-nothing-left: When what a Create waits for never
//     becomes ready, it fails, and the rollback's Delete removes what it made.
//   - create-cancelled-while-running: When a Create is cancelled while it
//     runs, the Delete with a made-up ID removes what it made: its ID is the
//     StableID, or Find finds it.
//   - stranger-holds-the-name: What somebody else has under the name that the
//     resource wants is never touched: Create answers AlreadyExists, and calls
//     Created only for what it has made.
//   - delete-twice: The Delete of what is gone succeeds: it returns nil, or
//     NotFound.
//   - delete-never-created: The Delete of what was never made succeeds.
//   - delete-lost-create: The Delete with a made-up ID removes what a Create
//     made whose answer never arrived: its ID is the StableID, or Find finds
//     it.
//   - delete-undecodable-properties: A Delete whose properties cannot be read
//     succeeds, and removes no more than it would otherwise.
//   - delete-failed-is-told: A Delete that did not remove the thing does not
//     succeed, and the next one removes it.
//   - delete-died-half-way-is-finished: A Delete whose process died is
//     finished by Lambda's next attempt.
//   - update-same-properties: An Update to the properties that there are
//     succeeds and changes nothing.
//   - update-keeps-id: An Update in place brings the thing to its properties,
//     and keeps the physical ID.
//   - update-redelivered: An Update that is delivered once more succeeds again
//     and changes nothing more.
//   - update-is-not-a-diff: An Update brings the thing to its properties
//     whatever the old properties say: they may never have been applied.
//   - update-died-half-way-is-finished: An Update whose process died is
//     finished by Lambda's next attempt.
//   - update-failed-then-rollback: The rollback of an Update that failed leads
//     back to the properties of before.
//   - updates-go-on: One Update after the other succeeds: what the earlier ones
//     leave does not add up.
//   - update-refused-then-rollback: When the service refuses for good what an
//     Update asks for, from any call on, the Update fails, and its rollback
//     leads back to the properties of before.
//   - update-never-ready-then-rollback: When what an Update waits for never
//     becomes ready, it fails, and its rollback leads back to the properties of
//     before.
//   - throttled-is-tried-again: What a busy service refuses once succeeds when
//     the dispatcher calls Update or Delete again: their errors keep the
//     service's code.
//   - update-not-updatable-then-rollback: An Update that cannot be made in place
//     answers CodeNotUpdatable and changes nothing, and its rollback succeeds.
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
//     the new thing leaves nothing of that: Create calls Created as soon as it
//     is made.
//   - replace-refused-nothing-left: A replacement that the service refuses for
//     good, from any call on, leaves nothing of the new thing: Create calls
//     Created as soon as it is made.
//   - replace-never-ready-nothing-left: A replacement whose wait never ends
//     leaves nothing of the new thing: Create calls Created before it waits.
//   - replace-failed-then-rollback-keeps-first: A replacement leaves the first
//     thing as it is, also when it fails: only CloudFormation's Delete removes
//     it.
//   - replace-then-rollback-returns-to-first: When a replacement that
//     succeeded is rolled back, the first thing is the stack's again, as it
//     was, and the new one is deleted.
//   - provider-upgrade-keeps-id: What an older program made keeps the ID which
//     that one gave it, and is updated, rolled back and deleted under it.
//   - thing-of-before: What the program before made is updated, rolled back and
//     deleted as what this one makes.
//   - update-of-what-is-gone: An Update of what somebody has removed makes it
//     again under its ID, or fails: it does not succeed over nothing.
//   - leads-where-create-does: What properties lead to does not depend on the
//     way there: after each Update, rollback or second try it is what a Create
//     of them makes, whichever of them has changed alone.
//   - find-reads-the-id-first: Find, asked with the ID of a thing that bears
//     the StableID, answers that ID, whatever a search shows.
//   - sibling-is-left-alone: Two resources of one stack are two things, and
//     what is done to one leaves the other as it is.
//   - siblings-at-once: Two resources of one stack that are worked on at once
//     become what they become one after the other.
//   - warm-process-serves-several: A process that works on one event after the
//     other, of several resources, does what new processes do.
//   - warm-process-recovers: A process in which a request failed does with the
//     next what a new process does.
//   - processes-take-turns: Two processes that get the events in turn do what one
//     does: what one remembers, the other may have changed since.
//   - time-passes: What is made can be updated and deleted hours, days and years
//     later, by a process that has lived as long and by a new one.
//   - use-outlives-updates: What users put into a thing is still there after an
//     Update, and after the rollback of a replacement, and a Delete that succeeds
//     leaves none of it.
//   - redelivered-does-no-more: An event that is delivered once more, or whose
//     process dies, has the effects that it has when it is delivered once, and
//     so has one that succeeds though the service fails.
//   - among-others: Among many things of other people's, made before and after,
//     all is as elsewhere, and theirs stay as they are.
//   - delete-leaves-neighbours: What is done to a resource leaves alone what
//     has a name that begins with its ID.
//   - long-names: In a stack of a long name, where StableIDs have 63
//     characters, all is as elsewhere.
//   - stringified-properties: Numbers and booleans arrive as strings, and mean
//     the same.
//   - data-same-after-update: Data is the same after an Update to the same
//     properties, and after a second delivery.
//   - answer-fits: An answer has at most 4096 bytes.
//   - context-ends-handler-returns: When its context ends, a method returns.
//   - secrets-stay-out-of-log: No secret is in the log, in a Reason, in a
//     physical ID, or in Data without NoEcho.
//   - recreate-after-delete: What was deleted can be made again by the same
//     stack.
//   - continue-goes-on: A method whose Poll is cut off by the end of the
//     invocation goes on in the next: it returns Poll's error.
//   - continue-succeeds-when-ready: A request succeeds only when what its Poll
//     waits for is ready, however many invocations that takes: each method waits
//     that can be called next.
//   - continue-makes-one-resource: A Create that takes several invocations makes
//     one thing: it calls Created before it waits, and Update, which is called
//     next, finishes that.
//   - continue-updates: An Update or a replacement that takes several
//     invocations does what it does in one.
//   - continue-deletes: A Delete that takes several invocations removes the
//     thing: what an earlier one removed is gone.
//   - continue-cancelled-nothing-left: What is cancelled after its first
//     invocation leaves nothing: Create calls Created before it waits.
//   - continue-failed-nothing-left: What fails after its first invocation leaves
//     nothing: Create calls Created before it waits.
//
// A failure says which rule does not hold, what happened until then, and what
// CloudFormation would have done. States are printed, properties are not.
//
// The checks of continue-… are of functions whose Options.Continue is set, and
// others are not asked. They have what a [cfnresource.Poll] waits for take three
// invocations; Contract.Timeout is the function's, of five minutes for instance.
//
// Each check has services of its own and runs in virtual time, unless the Contract says RealTime;
// checks run one after the other. A check that needs what the Contract does not have, or a service
// that calls [Step], is skipped, and says what to add. A check that fails where a simpler one has
// failed already is skipped as well: if a handler does not even create Properties, create-delete
// fails, and most others say nothing.
//
// What is written with the packages log and log/slog while a check is asked appears only if it
// fails. While secrets-stay-out-of-log is asked, what is printed on os.Stdout and os.Stderr does
// not appear. What a handler does with secrets in the service is not seen. What no handler can
// hold, such as two updates that overlap, is not asked for.
//
// Most checks play histories as [Explore] does, and fail with the line with which [Replay] plays one again. What
// no handler can prevent fails none of them: the test's log says what it is.
//
// A handler that panics in a goroutine of its own, or calls log.Fatal, ends the test's process.
// What is printed then has a label with the name of the check, or with the history that Explore
// played. os.Exit prints nothing: go test -v shows which check ran last.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	play.TestHandler(t, c.behind())
}
