package play

// A check is one test of a handler.
type check struct {
	name   string
	after  string // the check that this one builds on, or "": if that fails, this one is unjudged
	needs  need
	verify func(s *suite) error // nil if the rule holds
	rule   string               // what a handler must do
	harm   string               // what CloudFormation would have done otherwise
}

// A need is something that a check requires of the Contract or the function.
type need uint8

const (
	needState need = 1 << iota
	needInPlace
	needReplacing
	needTraceable   // something leads from an event to what was made: the kind is not "neither"
	needContinue    // only for functions whose Options.Continue is set
	needVirtualTime // it would last, in real time
)

// checks run in this order, each after the one that it builds on.
var checks = []check{
	{
		"create-delete", "", 0, createDelete,
		"Create makes the thing, and Delete removes it.",
		"left a thing in the account that no stack knows.",
	}, {
		"steps-around-effects", "create-delete", 0, stepsAroundEffects,
		"The service calls Step before each of its effects and after it.",
		"met what no check can play here: green says less than it seems to.",
	}, {
		"create-redelivered-one-resource", "create-delete", needTraceable, createRedelivered,
		"A Create that is delivered once more makes nothing more and is answered in the same way: it answers AlreadyExists with its StableID, or Find finds the first one.",
		"read the second answer over the first, or never learned of the second thing: Lambda delivers an event at least once.",
	}, {
		"create-failed-nothing-left", "create-delete", 0, createFailed,
		"When a Create that the service refuses is rolled back, nothing is left.",
		"ended in ROLLBACK_COMPLETE, and what the Create had begun would stay for good.",
	}, {
		"create-error-after-making", "create-delete", needTraceable, createErrorAfter,
		"When a Create fails after it has made something, the rollback's Delete removes it: Create has called Created, or it can be found.",
		"deleted what the answer names, and what was made would stay, in no stack.",
	}, {
		"create-panics-after-making", "create-delete", 0, createPanicsAfter,
		"When a Create panics after it has made something, the rollback's Delete removes it.",
		"deleted what the answer names, and what was made would stay, in no stack.",
	}, {
		"create-out-of-time-nothing-left", "create-delete", needTraceable, createOutOfTime,
		"When a Create runs out of time after it has made something, the rollback's Delete removes it.",
		"deleted what the answer names, and what was made would stay, in no stack.",
	}, {
		"create-died-half-way-is-finished", "create-delete", needTraceable, createDied,
		"A Create whose process died is finished by Lambda's next attempt: Update, which is called for what is there already, makes all of it.",
		"rolled back over what the first attempt had made, or taken half a thing for a whole one.",
	}, {
		"create-refused-nothing-left", "create-error-after-making", needTraceable, createRefused,
		"When the service refuses for good what a Create asks for, from any call on, the rollback's Delete removes what it made.",
		"deleted what the answer names, and what was made would stay, in no stack.",
	}, {
		"create-never-ready-nothing-left", "create-error-after-making", 0, createNeverReady,
		"When what a Create waits for never becomes ready, it fails, and the rollback's Delete removes what it made.",
		"ended in CREATE_COMPLETE with what does not work, or deleted what the answer names, and what was made would stay, in no stack.",
	}, {
		"create-cancelled-while-running", "create-delete", needTraceable, createCancelled,
		"When a Create is cancelled while it runs, the Delete with a made-up ID removes what it made: its ID is the StableID, or Find finds it.",
		"ignored the Create's answer and sent a Delete with an ID that it made up: the thing would stay, in no stack.",
	}, {
		"stranger-holds-the-name", "create-delete", needState, strangerHoldsTheName,
		"What somebody else has under the name that the resource wants is never touched: Create answers AlreadyExists, and calls Created only for what it has made.",
		"had a thing changed or deleted that has nothing to do with the stack.",
	}, {
		"delete-twice", "create-delete", 0, deleteTwice,
		"The Delete of what is gone succeeds: it returns nil, or NotFound.",
		"ended in DELETE_FAILED or ROLLBACK_FAILED over a thing that is gone.",
	}, {
		"delete-never-created", "", 0, deleteNeverCreated,
		"The Delete of what was never made succeeds.",
		"ended in ROLLBACK_FAILED: it deletes also what failed to be made.",
	}, {
		"delete-lost-create", "create-delete", needTraceable, deleteLostCreate,
		"The Delete with a made-up ID removes what a Create made whose answer never arrived: its ID is the StableID, or Find finds it.",
		"waited for an hour, sent a Delete with an ID that it made up, and the thing would stay, in no stack.",
	}, {
		"delete-undecodable-properties", "create-delete", 0, deleteUndecodable,
		"A Delete whose properties cannot be read succeeds, and removes no more than it would otherwise.",
		"failed to delete a stack that an older program deployed, or had deleted what was to be kept.",
	}, {
		"delete-failed-is-told", "create-delete", 0, deleteFailedIsTold,
		"A Delete that did not remove the thing does not succeed, and the next one removes it.",
		"ended in DELETE_COMPLETE, and nobody would look for what is left.",
	}, {
		"delete-died-half-way-is-finished", "create-delete", 0, deleteDied,
		"A Delete whose process died is finished by Lambda's next attempt.",
		"ended in DELETE_FAILED, or left half of the thing behind.",
	}, {
		"update-same-properties", "create-delete", 0, updateSame,
		"An Update to the properties that there are succeeds and changes nothing.",
		"failed a deployment that is tried again, or had changed what nobody asked to change.",
	}, {
		"update-keeps-id", "create-delete", needInPlace, updateKeepsID,
		"An Update in place brings the thing to its properties, and keeps the physical ID.",
		"taken another ID for a replacement and deleted the thing under the old one, or reported as done what was not.",
	}, {
		"update-redelivered", "update-keeps-id", needInPlace, updateRedelivered,
		"An Update that is delivered once more succeeds again and changes nothing more.",
		"read the second answer over the first: Lambda delivers an event at least once.",
	}, {
		"update-is-not-a-diff", "update-keeps-id", needState | needInPlace, updateIsNotADiff,
		"An Update brings the thing to its properties whatever the old properties say: they may never have been applied.",
		"ended in UPDATE_COMPLETE or UPDATE_ROLLBACK_COMPLETE, with a thing that is not as the template says.",
	}, {
		"update-died-half-way-is-finished", "update-keeps-id", needInPlace, updateDied,
		"An Update whose process died is finished by Lambda's next attempt.",
		"ended in UPDATE_COMPLETE with half an update, or rolled back one that was possible.",
	}, {
		"update-failed-then-rollback", "update-keeps-id", needInPlace, updateFailed,
		"The rollback of an Update that failed leads back to the properties of before.",
		"ended in UPDATE_ROLLBACK_FAILED, or in UPDATE_ROLLBACK_COMPLETE with a thing that is not as the template says.",
	}, {
		"update-refused-then-rollback", "update-failed-then-rollback", needInPlace, updateRefused,
		"When the service refuses for good what an Update asks for, from any call on, the Update fails, and its rollback leads back to the properties of before.",
		"ended in UPDATE_COMPLETE, or in UPDATE_ROLLBACK_COMPLETE, with a thing that is not as the template says.",
	}, {
		"update-never-ready-then-rollback", "update-failed-then-rollback", needInPlace, updateNeverReady,
		"When what an Update waits for never becomes ready, it fails, and its rollback leads back to the properties of before.",
		"ended in UPDATE_COMPLETE with what does not work, or in UPDATE_ROLLBACK_COMPLETE with a thing that is not as the template says.",
	}, {
		"update-not-updatable-then-rollback", "create-delete", 0, updateNotUpdatable,
		"An Update that cannot be made in place answers CodeNotUpdatable and changes nothing, and its rollback succeeds.",
		"ended in UPDATE_COMPLETE or UPDATE_ROLLBACK_COMPLETE with a thing that is not as the template says, or in UPDATE_ROLLBACK_FAILED.",
	}, {
		"update-old-undecodable", "update-keeps-id", 0, updateOldUndecodable,
		"An Update succeeds though the old properties cannot be read: OldPropertiesErr is no reason to fail.",
		"failed every update, and every rollback, of a stack that an older program deployed.",
	}, {
		"update-replaces", "create-delete", needReplacing, updateReplaces,
		"An Update to another identity makes another thing under another ID, and the Delete of the old ID removes the old one.",
		"gone on with the old thing, or with both.",
	}, {
		"delete-old-leaves-new", "update-replaces", needReplacing, deleteOldLeavesNew,
		"After a replacement, the Delete of the old thing leaves the new one as it is.",
		"ended in UPDATE_COMPLETE, with a resource that is gone.",
	}, {
		"replace-redelivered-one-resource", "delete-old-leaves-new", needReplacing, replaceRedelivered,
		"A replacement whose process died after making the new thing is finished by Lambda's next attempt, and makes no second one.",
		"learned of one of the two new things, and the other would stay, in no stack.",
	}, {
		"replace-failed-nothing-left", "update-replaces", needReplacing, replaceFailedNothingLeft,
		"A replacement that fails after it has made the new thing leaves nothing of that: Create calls Created as soon as it is made.",
		"gone back to the first thing, and the new one would stay, in no stack.",
	}, {
		"replace-refused-nothing-left", "replace-failed-nothing-left", needReplacing, replaceRefused,
		"A replacement that the service refuses for good, from any call on, leaves nothing of the new thing: Create calls Created as soon as it is made.",
		"gone back to the first thing, and the new one would stay, in no stack.",
	}, {
		"replace-never-ready-nothing-left", "replace-failed-nothing-left", needReplacing, replaceNeverReady,
		"A replacement whose wait never ends leaves nothing of the new thing: Create calls Created before it waits.",
		"gone back to the first thing, and the new one would stay, in no stack.",
	}, {
		"replace-failed-then-rollback-keeps-first", "update-replaces", needReplacing, replaceFailedKeepsFirst,
		"A replacement leaves the first thing as it is, also when it fails: only CloudFormation's Delete removes it.",
		"gone back to a thing that is gone or changed.",
	}, {
		"replace-then-rollback-returns-to-first", "update-replaces", needReplacing, replaceRolledBack,
		"When a replacement that succeeded is rolled back, the first thing is the stack's again, as it was, and the new one is deleted.",
		"deleted the first thing, with all that is in it, because a deployment failed.",
	}, {
		"provider-upgrade-keeps-id", "", 0, upgradeKeepsID,
		"What an older program made keeps the ID which that one gave it, and is updated, rolled back and deleted under it.",
		"taken another ID for a replacement and deleted the thing under the old one, or left the thing behind.",
	}, {
		"update-of-what-is-gone", "update-keeps-id", needState, updateOfWhatIsGone,
		"An Update of what somebody has removed makes it again under its ID, or fails: it does not succeed over nothing.",
		"ended in UPDATE_COMPLETE, with a resource that is gone.",
	}, {
		"update-each-property", "update-keeps-id", needState | needInPlace, updateEachProperty,
		"Each property that an Update in place can change is applied also when it changes alone, or is left out.",
		"ended in UPDATE_COMPLETE, with a thing that is not as the template says.",
	}, {
		"find-reads-the-id-first", "update-replaces", needReplacing, findReadsTheID,
		"Find, asked with the ID of a thing that bears the StableID, answers that ID, whatever a search shows.",
		"gone on with a twin, or replaced the resource, because a search lags or shows another one with the same tag.",
	}, {
		"sibling-is-left-alone", "update-keeps-id", 0, siblingLeftAlone,
		"Two resources of one stack are two things, and what is done to one leaves the other as it is.",
		"taken one resource for another one of its stack, and deleted both with it.",
	}, {
		"siblings-at-once", "sibling-is-left-alone", needVirtualTime, siblingsAtOnce,
		"Two resources of one stack that are worked on at once become what they become one after the other.",
		"ended in UPDATE_COMPLETE, with a part that the other resource's request has overwritten.",
	}, {
		"warm-process-serves-several", "sibling-is-left-alone", 0, warmServesSeveral,
		"A process that works on one event after the other, of several resources, does what new processes do.",
		"sent what belongs to one resource to another: Lambda keeps a process for the next event.",
	}, {
		"delete-leaves-neighbours", "create-delete", needState, deleteLeavesNeighbours,
		"What is done to a resource leaves alone what has a name that begins with its ID.",
		"deleted a thing that has nothing to do with the stack.",
	}, {
		"long-names", "delete-old-leaves-new", 0, longNames,
		"In a stack of a long name, where StableIDs have 63 characters, all is as elsewhere.",
		"failed in a stack of a longer name, or taken a resource for the one that it replaces.",
	}, {
		"stringified-properties", "", 0, stringifiedProperties,
		"Numbers and booleans arrive as strings, and mean the same.",
		"failed the resource, or had set what a template says as true or 14 to something else.",
	}, {
		"data-same-after-update", "", 0, dataSame,
		"Data is the same after an Update to the same properties, and after a second delivery.",
		"given other values to whatever reads it with Fn::GetAtt, and updated or replaced that as well.",
	}, {
		"answer-fits", "", 0, answerFits,
		"An answer has at most 4096 bytes.",
		"refused the answer (\"Response object is too long.\"), or the SDK has to answer FAILED, and the stack rolls back.",
	}, {
		"context-ends-handler-returns", "", 0, contextEnds,
		"When its context ends, a method returns.",
		"rolled back while the handler goes on, and makes or changes things after that.",
	}, {
		"secrets-stay-out-of-log", "", 0, secretsStayOut,
		"No secret is in the log, in a Reason, in a physical ID, or in Data without NoEcho.",
		"shown it to everybody who may read the stack's events, or Lambda to those who may read the log.",
	}, {
		"recreate-after-delete", "create-delete", 0, recreateAfterDelete,
		"What was deleted can be made again by the same stack.",
		"failed the deployment that puts the resource back.",
	}, {
		"continue-goes-on", "create-delete", needContinue, continuesInNextInvocation,
		"A method whose Poll is cut off by the end of the invocation goes on in the next: it returns Poll's error.",
		"read FAILED when the first invocation ended, and rolled back.",
	}, {
		"continue-succeeds-when-ready", "continue-goes-on", needContinue, continueSucceedsWhenReady,
		"A request succeeds only when what its Poll waits for is ready, however many invocations that takes: each method waits that can be called next.",
		"gone on to what needs it, while it is not ready.",
	}, {
		"continue-makes-one-resource", "continue-succeeds-when-ready", needContinue, continueMakesOne,
		"A Create that takes several invocations makes one thing: it calls Created before it waits, and Update, which is called next, finishes that.",
		"learned of one thing, and each invocation would have left another, in no stack.",
	}, {
		"continue-updates", "continue-succeeds-when-ready", needContinue, continueUpdates,
		"An Update or a replacement that takes several invocations does what it does in one.",
		"ended in UPDATE_COMPLETE with a thing that is not as the template says, or rolled back an update that was possible.",
	}, {
		"continue-deletes", "continue-succeeds-when-ready", needContinue, continueDeletes,
		"A Delete that takes several invocations removes the thing: what an earlier one removed is gone.",
		"ended in DELETE_FAILED over a thing that is gone, or left it.",
	}, {
		"continue-cancelled-nothing-left", "continue-succeeds-when-ready", needContinue, continueCancelled,
		"What is cancelled after its first invocation leaves nothing: Create calls Created before it waits.",
		"gone back, and sent no Delete for what the first invocation made.",
	}, {
		"continue-failed-nothing-left", "continue-succeeds-when-ready", needContinue, continueFailed,
		"What fails after its first invocation leaves nothing: Create calls Created before it waits.",
		"gone back, and sent no Delete for what the first invocation made.",
	},
}
