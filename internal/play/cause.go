package play

// What the requests of a history show of the cause of a harm. Each question that is asked of them is answered by a sign,
// and two tables say what helps: causes by signs of what went wrong, and cures by what was asked of the handler.

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A scene is what is known of a harm.
type scene struct {
	harm     harm
	ops      history
	requests []simulate.Request
	id       string   // of the stack's resource
	left     []string // the IDs of all things that are not other people's
	by       string   // the method that was seen to do it, along if it was one for another thing, or ""
}

// A row says what helps against one of some harms, or against any if it names none, if the scene shows all of its signs.
// In its text stand METHOD for the method at fault, THING for the thing that it is about, OTHER for one beside it, FAILED for
// what the service did, CODE for an error's code, and LAG for what is said of searches that lag.
type row struct {
	harms []harm
	shows string // signs, with spaces between them
	helps string
}

// Groups of harms that have causes in common.
var (
	failing = []harm{failsWithoutCause, answersDiffer}
	anyFail = []harm{failsWithoutCause, answersDiffer, deleteFails}
	wrongly = []harm{wrongState}
	deleted = []harm{liveDeleted}
	leaving = []harm{leftBehind}
)

// causes are what can be the cause of a harm. The first whose signs are all there is taken for it.
var causes = []row{
	// the circumstance, without which there is no harm
	{leaving, "cut", "The name of the thing that is left is the beginning of THING. Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"},
	{leaving, "spelled", "Have Find and Delete look up the name that the service made of the property: in lower case, and without spaces around it, if the service does that"},
	{[]harm{strangerTouched}, "crowd", strangerTouched.cure},
	{leaving, "crowd missed", "Have Find read every page of a list"},
	{nil, "crowd", "Have each method, and Find if there is one, read every page of a list"},
	{failing, "age warm", "Renew what expires while a process lives, such as a token"},
	{failing, "age", "Compare a date in the properties with today's only in Create: an Update or a rollback may come years later"},
	{wrongly, "age", "If State shows an age or a time, leave it out: docs/testing.md#the-service. " + wrongState.cure},
	{wrongly, "use", "Update the thing in place, and do not build it anew. In a replacement, copy what the new thing needs, and leave the old one to CloudFormation's Delete"},
	{nil, longName, "Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"},

	// what a process remembers
	{nil, "warm uncalled panicked", "No method was called for the last METHOD: something before it is blocked, such as on a lock that the panicking call never released. Release locks with defer"},
	{nil, "warm unasked failed", "The METHOD failed before it asked the service: the process remembers an earlier failure. Keep no error, as sync.Once does, and have a circuit close again. Lazy tries again"},
	{nil, "warm unasked", "The METHOD asked the service nothing. Do not go by what a process remembers of an event or a thing: another process may have changed or deleted the thing"},
	{nil, warm, keepNothing},

	// what removed the resource, or has its ID
	{deleted, "by-Delete", "Create called Created with THING and then failed, so the SDK deleted it: call Created only after the service has made the thing, and only if this call made it: docs/rules-for-a-handler.md#create"},
	{deleted, "by-along", "The Delete of OTHER also removed THING: delete only what has the physical ID, compared as a whole, and go by nothing that both share, such as the stack's name: docs/rules-for-a-handler.md#delete"},
	{[]harm{madeNothing}, "elsewhere", "Create made OTHER, and named THING: call Created with the ID by which the thing can be read"},
	{[]harm{notReplaced}, "unsearched", "Tag createOnly the properties that identify the thing, and name it by StableID, which changes with them: docs/rules-for-a-handler.md#create"},

	// what became of the service's error
	{wrongly, "untold", "The service FAILED, and METHOD returned no error: return the error of each call"},
	{anyFail, "recoded coded", "The service's error had the code Throttling, but METHOD's has the code CODE: wrap errors with %w, and give no other code to one that has a code"},
	{anyFail, "recoded", "The service's error had the code Throttling, but METHOD's has no code that is tried again: wrap errors with %w, not with %v, and keep the code in errors of your own"},

	// what had been done before
	{failing, "repeated", "The Update succeeded, and failed when it was delivered again: set values instead of adding to them, and succeed if the thing already has the new properties: docs/rules-for-a-handler.md#update"},
	{failing, "after-delete", "Delete left a part of the thing behind, such as its name. Have Delete remove that part, or wait until the name is free, or have Create take the part over"},
	{failing, "after-same", "The same Update has succeeded before, so what Updates leave adds up: have each remove what the ones before have left, such as old versions"},
	{failing, "after-create", "If Create failed because an earlier Create made the thing, return AlreadyExists for the thing: docs/rules-for-a-handler.md#create"},
	{wrongly, "retaken", "Create took an existing thing for its own new one. Return AlreadyExists for an existing thing: the SDK then calls Update, which finishes it: docs/rules-for-a-handler.md#create"},
	{wrongly, "begun Create", "Create was called again, and took an unfinished thing for complete. Return AlreadyExists for an existing thing: the SDK then calls Update, which finishes it: docs/rules-for-a-handler.md#create"},
	{wrongly, "begun Update", "An earlier Create made the thing, perhaps in part, and Update finishes the thing. Have Update set all properties, not only the changed ones: docs/rules-for-a-handler.md#update"},

	// what did not become of a thing that is left
	{leaving, "vain before", "The Delete of THING returned no error, and did not remove a former program's thing. Delete the thing with the physical ID, whatever mark it bears: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain unasked", "The Delete of THING returned no error, did not remove the thing, and asked the service nothing. Delete the thing with the physical ID, whatever a process or a record remembers: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain use", "The Delete of THING returned no error, and did not remove the thing, into which users had put something. Remove the contents first, page by page, or return the error: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain", "The Delete of THING returned no error, and did not remove the thing: delete the thing under PhysicalID, and return the error if that fails: docs/rules-for-a-handler.md#delete"},
	{leaving, "beside", "The Delete of THING left OTHER: have Delete remove all things that Create made: docs/recipes.md#two-objects-behind-one-resource"},
	{leaving, "untold unnamed", "The service FAILED after it had made a thing, and no method returned an error: a call that is repeated makes a second thing. Pass IdempotencyToken with the call, or look for the thing that the first try made: docs/recipes.md#client-tokens"},
	{leaving, "missed named", "Find did not find THING, which Create had named: have it search for the mark that Create sets, and go by nothing in memoryLAG"},
	{leaving, "missed", "Find did not see the thing that Create had made: set the mark in the call that makes the thing. If the service cannot, pass IdempotencyToken, and call Created in the next line: docs/recipes.md#client-tokensLAG"},
}

// mayLag says what else can keep a Find from finding a thing, unless it was called an hour later.
func (s scene) mayLag() string {
	if slices.ContainsFunc(s.requests, func(q simulate.Request) bool { return q.Outcome == string(engine.TimedOut) }) {
		return ""
	}
	return ". If searches show a new thing only after a while, set Options.FindLag to that time: docs/recipes.md#lists-that-lag"
}

// cures say what helps where no cause is seen, by the request and the method. Where none is for it, the harm's own does.
var cures = []row{
	{failing, "Find erred", "Find returned an error: have it return no ID and no error if there is nothing: docs/rules-for-a-handler.md#found"},
	{failing, "plain", ""},
	{failing, "twice erred", "Two processes handled the event at once: have METHOD take the other's work for its own, and remove nothing of the work: docs/rules-for-a-handler.md#create"},
	{failing, "unaccepted", ""}, // the answer says what is wrong with it
	{failing, oldUnreadable, "Have Update succeed if the thing already has the new properties. If OldPropertiesErr is set, have Update set all properties: docs/rules-for-a-handler.md#update"},
	{failing, "InvalidRequest", "METHOD refused the properties with the code InvalidRequest: have METHOD refuse only what the service refuses, whatever exists there"},
	{failing, "Create NotUpdatable", "Create has to make another thing beside the old one: return CodeNotUpdatable in Update alone: docs/rules-for-a-handler.md#update"},
	{failing, "Create erred", "Have Create return AlreadyExists for an existing thing, and give errors that pass a code: docs/rules-for-a-handler.md#create"},
	{failing, "of-Create Update erred", "An earlier delivery, or Find, led from a Create to Update, which finishes the thing: Update must succeed without old properties, and whatever it finds: docs/rules-for-a-handler.md#update"},
	{[]harm{deleteFails}, "unreadable", "A Delete whose properties cannot be read has none: have Find and Delete go by the physical ID and the StableID alone: docs/rules-for-a-handler.md#delete"},
	{[]harm{deleteFails}, "there", "THING existed when its Delete failed: have Delete remove THING with its contents, and accept what an earlier try has removed: docs/rules-for-a-handler.md#delete"},
	{wrongly, native, asWritten},
	{nil, removed, askFirst},
	{wrongly, "by-Create", "Create was called to replace THING: have Create make a thing under a name of its own, and leave the old thing unchanged, since a rollback leads back to the old thing: docs/rules-for-a-handler.md#create"},
	{deleted, "by-Create", "Have Create leave the old thing unchanged: CloudFormation sends its Delete when the replacement can no longer be rolled back: docs/rules-for-a-handler.md#create"},
	{deleted, "by-Update", "Have Update change the thing in place. If the service cannot do that, tag the property createOnly, or return CodeNotUpdatable: docs/rules-for-a-handler.md#update"},
	{leaving, replacing, callCreated},
	{leaving, cancelled, nameItYourself + ". If a Create can still make things after their Delete, set Options.LostGrace to how long a Create can take: docs/recipes.md#slow-deletes-and-searches"},
}

// causeOf returns what helps if the scene shows the cause, or "".
func causeOf(s scene) string {
	if slices.Contains([]harm{unplayable, wrongBefore, oneForStacks}, s.harm) {
		return "" // each says all that is known
	}
	text, _ := s.lookUp(causes)
	return text
}

// cure returns what helps if the scene shows no cause.
func (s scene) cure() string {
	if text, found := s.lookUp(cures); found {
		return text
	}
	return s.harm.cure
}

// lookUp returns the text of the first row of a table that is for the scene.
func (s scene) lookUp(table []row) (text string, found bool) {
	signs, words := s.signs()
	for _, r := range table {
		if r.isFor(s.harm) && hasAll(signs, strings.Fields(r.shows)) {
			return words.Replace(r.helps), true
		}
	}
	return "", false
}

// isFor reports whether a row is for a harm.
func (r row) isFor(h harm) bool { return len(r.harms) == 0 || slices.Contains(r.harms, h) }

// hasAll reports whether each sign of some is among all.
func hasAll(all, some []string) bool {
	for _, sign := range some {
		if slices.Contains(all, sign) {
			continue
		}
		return false
	}
	return true
}
