package play

// What helps, in tables: causes by signs of what went wrong, which sign.go finds in the requests of a history; cures by
// what was asked of the handler; changeCures by what a change of one property has done; and touchCures by the method that
// took another thing for the resource.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A scene is what is known of a harm.
type scene struct {
	harm     harm
	ops      history
	requests []simulate.Request
	id       string          // of the stack's resource
	left     []string        // the IDs of all things that are not other people's
	by       string          // the method that was seen to do it, along if it was called for another thing, or ""
	along    string          // that call, and for what it was, or ""
	blamed   string          // the method that is known to be at fault, or ""
	phantoms []simulate.Call // that named a thing that did not exist then
	changed  relation        // between what is there and what should be
	secret   string          // a sign of what became of a secret, or ""
	last     sighting        // the thing, at the end of the last call for it
	untagged any             // the properties of Replacing, if nothing that differs in it is tagged; or nil
}

// A row says what helps against one of some harms, or against any if it names none, if the scene shows all of its signs.
// In its text stand METHOD for the method at fault, THING for the thing that it is about, OTHER for one beside it, CALL for a
// call for another thing that did it, FAILED for what the service did, STRUCK for the method that met that, CODE for an
// error's code, PATH for a property, and LAG for what is said of searches that lag.
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
	denying = []harm{leftBehind, failsWithoutCause, answersDiffer}
)

// causes are what can be the cause of a harm. The first whose signs are all there is taken for it.
var causes = []row{
	// what was seen
	{nil, "untold-Find", "The service FAILED in Find, and Find returned no error: return the error of each call that is not tried again, since an empty ID means that there is nothing: docs/rules-for-a-handler.md#found"},
	{nil, "outlived", goesOn.cure},
	{leaving, "overlooked", "Create was still at work when its Delete had looked for the thing. Set Options.LostGrace to how long a Create can take, or leave it out: docs/recipes.md#slow-deletes-and-searches"},
	{[]harm{liveDeleted, wrongState}, "by-along", "The CALL also removed THING, or a part of it: touch only what has the physical ID, compared as a whole, and go by nothing that both share, such as the stack's name, the logical ID or a property: docs/rules-for-a-handler.md#delete"},

	// how what is there comes from what should be
	{wrongly, "doubled", "PATH has more than once what it should have once. Have METHOD set the whole of PATH, or look before adding. Against two that add at once, send the version that was read with the write, or pass IdempotencyToken: docs/recipes.md#client-tokens"},
	{wrongly, "merged", "PATH differs only in how often an entry is there: compare and set the whole list, with its repetitions, or have Validate refuse entries that are alike"},
	{wrongly, "altered", "PATH is cut, trimmed or in another case, unlike after a Create alone. Pass it on as it is, in Create and in Update"},
	{[]harm{wrongState, staleData, dataDiffers, remembered}, "reordered", "PATH has the same parts in another order. Pass on a list in its order, and give what comes from a map, which has none, one order. If the service keeps a set, have State sort it"},
	{[]harm{secretUnset}, "secret-altered", "The service accepts the secret of no version in this history. Have METHOD set it as it is: neither trimmed, nor cut, nor in another case"},
	{denying, "denied-to-exist", "METHOD returned NotFound of THING, but THING exists, or a part of it. Have METHOD ask for the thing with the physical ID, by no property, return NotFound only if the resource has none, and go on if a part of it is missing: docs/rules-for-a-handler.md#delete"},

	// the circumstance, without which there is no harm
	{leaving, "cut", "The name of the thing that is left is the beginning of THING. If a name was cut, cut none, and set Options.IDLength: docs/design/identity.md"},
	{[]harm{strangerTouched}, "crowd", strangerTouched.cure},
	{nil, "crowd", "If a method, or Find, goes by a list, read every page of it: an empty page need not be the last"},
	{failing, "age warm", keepNothing + ". If a process keeps a token, or a connection, renew it when it expires"},
	{wrongly, "use", "Update the thing in place: neither build it anew, nor remove what users have put there. In a replacement, copy what the new thing needs, and leave the old one to CloudFormation's Delete"},
	{nil, longName, "If a long name is cut, keep the StableID whole in it, and set Options.IDLength: docs/design/identity.md"},

	// what a process remembers
	{nil, "warm uncalled panicked", "No method was called for the last METHOD. If something before it is blocked, such as on a lock that the panicking call never released, release locks with defer"},
	{nil, "warm unasked failed", "The METHOD failed before it asked the service. If the process remembers an earlier failure, keep no error, as sync.Once does, and have a circuit close again. Lazy tries again"},
	{nil, "warm unasked", "The METHOD asked the service nothing. Do not go by what a process remembers of an event or a thing: another process may have changed or deleted the thing"},
	{nil, warm, keepNothing},

	// what removed the resource, or has its ID
	{append([]harm{liveDeleted}, failing...), "phantom-Create", "Create called Created with the ID of a thing that did not exist. A service that knows a client token answers as it did before, though the thing is deleted: pass IdempotencyToken, which each event has its own of. Call Created only for a thing that this call has made: docs/recipes.md#client-tokens"},
	{failing, "age", "If a date in the properties is compared with the present day, do that in Create alone: an Update or a rollback may come years later"},
	{deleted, "by-Delete", "THING was removed by its Delete, which the SDK calls if Create called Created with THING and failed: call Created only after the service has made the thing, and only if this call made it: docs/rules-for-a-handler.md#create"},
	{[]harm{madeNothing}, "elsewhere", "Create made OTHER, and named THING: call Created with the ID by which the thing can be read"},
	{[]harm{notReplaced}, "unsearched", "Tag createOnly the properties that identify the thing, and name it by the whole StableID, which changes with them: docs/rules-for-a-handler.md#create"},

	// what was named, and was not there
	{append([]harm{madeNothing, leftBehind}, anyFail...), "phantom-Find", "Find returned the ID of a thing that did not exist. Have Find read the thing before it returns the ID, and return no ID if there is none, or if it is being deleted: docs/rules-for-a-handler.md#found"},
	{anyFail, "by-Create", "Create removed THING, which was there before it: have Create undo only what the same call has made, and return AlreadyExists for what exists: docs/rules-for-a-handler.md#create"},
	{failing, "untagged Update erred", "No property that differs in Replacing is tagged createOnly, so the SDK called Update: tag those that the service cannot change, or return CodeNotUpdatable: docs/rules-for-a-handler.md#create"},

	// what became of the service's error
	{[]harm{wrongState, aroundTouched, dataMissing, dataShrinks}, "untold", "The service FAILED, and STRUCK returned no error: return the error of each call that is not tried again"},
	{anyFail, "recoded", "The service's error had the code Throttling, but STRUCK's has CODE: wrap errors with %w, not with %v, keep the code in errors of your own, and give a web API's reply its code with HTTPStatus"},

	// what had been done before
	{failing, "repeated", "The Update succeeded, and failed when it was delivered again: set values instead of adding to them, and succeed if the thing already has the new properties: docs/rules-for-a-handler.md#update"},
	{failing, "after-delete", "If Delete left a part of the thing behind, such as its name, have Delete remove that part, or wait until the name is free, or have Create take the part over"},
	{failing, "after-same", "The same Update has succeeded before. If what Updates leave adds up, have each remove what the ones before have left, such as old versions"},
	{failing, "after-create", "If Create failed because an earlier Create made the thing, return AlreadyExists for the thing: docs/rules-for-a-handler.md#create"},
	{wrongly, "retaken", "Create succeeded with what an earlier Create had made or begun. If that is unfinished, return AlreadyExists: the SDK then calls Update, which finishes it: docs/rules-for-a-handler.md#create"},
	{wrongly, "begun Update", "An earlier Create made the thing, perhaps in part, and Update finishes the thing. Have Update set all properties, not only the changed ones, also if Adopted is set, and remove what else the earlier call has left: docs/rules-for-a-handler.md#update"},

	// what did not become of a thing that is left
	{leaving, "vain before", "The Delete of THING returned no error, and did not remove a former program's thing. Delete the thing with the physical ID, also if it bears no mark: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain unasked", "The Delete of THING returned no error, did not remove the thing, and asked the service nothing. Delete the thing with the physical ID, whatever a process or a record remembers: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain unreadable", "The Delete of THING, whose properties could not be read, returned no error and did not remove the thing. If Delete compares a mark, compare it with StableIDOf of the name, which needs no properties, and have Create, Update and Find set and compare the same. Otherwise go by the physical ID alone: docs/rules-for-a-handler.md#found"},
	{leaving, "vain use", "The Delete of THING returned no error, and did not remove the thing, into which users had put something. Remove the contents first, page by page, or return the error: docs/rules-for-a-handler.md#delete"},
	{leaving, "vain", "The Delete of THING returned no error, and did not remove all of it. Delete the thing under PhysicalID with all its parts, also if one of them is gone or the properties cannot be read, and return the error if that fails: docs/rules-for-a-handler.md#delete"},
	{leaving, "beside", "The Delete of THING left OTHER: have Delete remove all things that Create made: docs/recipes.md#two-objects-behind-one-resource"},
	{leaving, "untold unnamed", "The service FAILED, and no method returned an error: a call that is repeated makes a second thing if the first has taken effect. Pass IdempotencyToken with the call, or look for the thing that the first try made: docs/recipes.md#client-tokens"},
	{leaving, "missed named", "Find did not find THING, which Create had named: have it search for the mark that Create sets and no method takes off, and go by nothing in memoryLAG"},
	{leaving, "missed", "Find did not see the thing that Create had made. If Create marks it later, or not at all, have it set the StableID in the call that makes the thing, and if Find goes by anything else, have it go by the mark alone. If the service has no marks, pass IdempotencyToken, and call Created in the next line: docs/recipes.md#client-tokensLAG"},
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
	{[]harm{deleteFails}, "unreadable", "A Delete whose properties cannot be read has none: have Find and Delete go by the physical ID and the StableID alone: docs/rules-for-a-handler.md#delete"},
	{append([]harm{leftBehind, notReplaced}, anyFail...), "Find-erred", "Find returned an error: have it return no ID and no error if there is nothing: docs/rules-for-a-handler.md#found"},
	{failing, "plain", ""},
	{append([]harm{leftBehind}, anyFail...), "waits-in-vain", "METHOD ended with CODE. If METHOD waits for what nobody else does, have it do that: remove a thing's contents, begin a deletion, or take over a dead process's lock. If CODE means that there is nothing to do, since the thing exists, is gone, or is so already, have Create return AlreadyExists, Delete NotFound, and Update no error. Otherwise put the call into Retry, read anew at each try, and give the function, or Options.LostGrace, more time: docs/recipes.md#throttling-and-conflicts"},
	{anyFail, "twice erred", "Two processes handled the event at once. Have METHOD accept what the other one has done, and undo none of that: docs/rules-for-a-handler.md#create. If the error passes, such as a conflict of two versions, give it a code that is tried again, such as ResourceConflict, and read anew at each try"},
	{failing, "unaccepted", ""}, // the answer says what is wrong with it
	{failing, oldUnreadable, "Have Update succeed if the thing already has the new properties. If OldPropertiesErr is set, have Update set all properties: docs/rules-for-a-handler.md#update"},
	{failing, "InvalidRequest", "METHOD refused with InvalidRequest what a Create alone accepts. If the service refuses it only until something is ready, wait for that with Poll, or give the error a code that is tried again. If another resource has what this one is to have, have Create refuse that too, and choose nothing in its place. Otherwise have METHOD refuse only what the service refuses, call the service in an order that it accepts, and return CodeNotUpdatable for a change that it cannot make: docs/rules-for-a-handler.md#update"},
	{failing, "unapart Update erred", "The SDK called Update, since Find did not tell the thing of the new properties from the old one: have Find return what bears the StableID of req.Properties, and nothing else, whatever has the PhysicalID: docs/rules-for-a-handler.md#found"},
	{failing, "NotUpdatable", "Have Update return CodeNotUpdatable only if the thing differs from the new properties, whatever OldProperties and IdentityChanged say, and have Create make another thing beside the old one: docs/rules-for-a-handler.md#update"},
	{failing, "undisturbed Update erred", "Nothing went wrong before the Update. If the service cannot make the change, tag the property createOnly, or return CodeNotUpdatable; otherwise have Update succeed, also if the thing already has the new properties: docs/rules-for-a-handler.md#update"},
	{failing, "Create AlreadyExists", "Create returned AlreadyExists of what the SDK does not take for the resource's. If there is no such thing, give the error another code, such as ResourceConflict. Otherwise name it by StableID, or have Find return it: docs/rules-for-a-handler.md#create"},
	{failing, "Create erred", "Have Create return AlreadyExists for an existing thing, and give errors that pass a code: docs/rules-for-a-handler.md#create"},
	{failing, "of-Create Update erred", "An earlier delivery, or Find, led from a Create to Update, which finishes the thing: Update must succeed without old properties, and whatever it finds: docs/rules-for-a-handler.md#update"},
	{[]harm{deleteFails}, "there", "THING existed when its Delete failed. Have Delete remove it with its contents, accept what an earlier try has removed, and give an error that passes a code, such as ResourceConflict: docs/rules-for-a-handler.md#delete"},
	{[]harm{aroundTouched}, "NotFound", "The last Delete returned NotFound, and left a part: remove the parts also if the thing itself is gone, or remove it last: docs/recipes.md#two-objects-behind-one-resource"},
	{wrongly, native, asWritten},
	{[]harm{liveDeleted, notReplaced}, removed, askFirst},
	{[]harm{liveDeleted, wrongState}, "by-Create", "Have Create leave the old thing unchanged, to which a rollback leads back, and make another one, under a name of its own where it names things: docs/rules-for-a-handler.md#create"},
	{wrongly, "left-in", "PATH has more than the new properties: have METHOD write PATH as a whole each time, whatever the other properties are, and remove all that the thing has and the new properties do not, from every page of a list, and not by OldProperties: docs/rules-for-a-handler.md#update"},
	{wrongly, "kept", "PATH is as another version of the template says. Have METHOD set PATH to what the new properties say, whatever OldProperties, an earlier delivery, or a list that may lag, show, and with no client token of an earlier request. If the service cannot change PATH, have Update refuse the change with CodeNotUpdatable: docs/rules-for-a-handler.md#update"},
	{deleted, "by-Update", "Have Update change the thing in place, and remove it neither first nor when a call fails. If the service cannot change it, tag the property createOnly, or return CodeNotUpdatable: docs/rules-for-a-handler.md#update"},
	{leaving, replacing + " unnamed", callCreated},
	{leaving, "searches undeleted", "At the end no Delete was called for THING: have Find go by the mark alone, and by no property or state that can change, have no Update take the mark off, and have Delete leave the mark until the thing is gone: docs/rules-for-a-handler.md#found"},
	{leaving, "undeleted", nameItYourself},
	{[]harm{answersDiffer}, "searches", oldestWins},
}

// causeOf returns the signs of the cause that the scene shows, and what helps against it, or "" and "".
func causeOf(s scene) (shows, text string) {
	if slices.Contains([]harm{unplayable, wrongBefore, oneForStacks, panics}, s.harm) {
		return "", "" // each says all that is known
	}
	return s.lookUp(causes)
}

// cure returns the same if the scene shows no cause: what helps is then known from what was asked, or from the harm alone.
func (s scene) cure() (shows, text string) {
	return s.lookUp(append(slices.Clip(cures), row{helps: s.harm.cure}))
}

// lookUp returns the signs and the text of the first row of a table that is for the scene.
func (s scene) lookUp(table []row) (shows, text string) {
	signs, words := s.signs()
	for _, r := range table {
		if r.isFor(s.harm) && hasAll(signs, strings.Fields(r.shows)) {
			return r.shows, words.Replace(r.helps)
		}
	}
	return "", ""
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

// Advice that several checks and Explore share.
const (
	nameItYourself = "If the handler or the template names the thing, name it by StableID and have Create return AlreadyExists if it exists. If the service gives the ID, mark the thing with StableID in the call that makes it, and implement Find: docs/rules-for-a-handler.md#three-kinds-of-handlers"
	oldestWins     = "Two Creates at once may find nothing, and so may one that comes before a search shows the thing. Pass IdempotencyToken to a service that takes a client token: docs/recipes.md#client-tokens. If it takes none, wait until a search shows what was just made, and let the oldest win: docs/recipes.md#no-client-tokens-the-oldest-wins"
	callCreated    = "Call Created in the line after the call that makes the thing: docs/rough_edges.md#updates-and-replacements. If a PUT does not say whether it made it, ask first whether it exists: docs/recipes.md#put-only"
	callAllSteps   = "Have each operation of the fake call cfntest.Step before its effect and after it, or wrap the client's transport in cfntest.Steps: docs/testing.md#the-service. " +
		"If the service cannot call Step, skip this check"
	keepNothing   = "Keep nothing of an earlier event in a process: neither its context, whose end stops a client, nor values that were read for another resource"
	asWritten     = "If the property's type has an UnmarshalJSON, have UnmarshalJSON accept \"14\" as it accepts 14. A property of type any or map[string]any holds texts only: give the property a type that tells a number from a text, or bring both to one form. If the numbers are the Contract's alone, write them there as texts"
	askFirst      = "Ask whether the thing under PhysicalID exists, even if no property differs, and return NotFound if the thing is missing. If IdentityChanged is set, do not make it there, and return NotFound or CodeNotUpdatable: docs/rules-for-a-handler.md#update"
	returnAllData = "Have METHOD return all Data, read after the last change, also where it finishes what an earlier delivery began: docs/rules-for-a-handler.md#update. " +
		"If the service shows a value only once, store it before you answer: docs/recipes.md#a-secret-that-is-shown-once"
)

// advice says, by the name of a check, what helps most handlers that fail it, and
// which document explains it.
var advice = map[string]string{
	"steps-around-effects":     callAllSteps,
	"throttled-is-tried-again": "Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#throttling-and-conflicts",
}

// writeOwnPart is what helps where what two requests write is a part of one thing.
const writeOwnPart = "Write only the resource's own part. If the service takes only the whole, send the version that was read along with the write, so that the service refuses to overwrite a newer one: docs/recipes.md#a-document-that-resources-share. Have each wait for its turn as long as it has time, and give passing errors a code that is tried again, such as ResourceConflict"

// touchCures say how a handler leaves alone a thing that is not the resource's, by the method that took it for the resource.
var touchCures = []row{
	{nil, "found", "Find returned the other thing. Have Find return only a thing that bears this resource's StableID"},
	{nil, "by-beginning", "Touch only the thing with the physical ID, and compare the whole ID, not its beginning"},
	{nil, "named", "Have Create return AlreadyExists if a thing has the name, and call Created only for a thing that this call made. If the service gives the ID, pass IdempotencyToken, and no client token that two resources share"},
	{nil, "held", writeOwnPart}, // without that it does no harm
	{nil, "by-Create", "Create did it, and has not named the thing as its own: have Create undo only what the same call has made, and touch nothing that exists: docs/rules-for-a-handler.md#create"},
	{nil, "", "Have Update and Delete touch only the thing with the physical ID, and, where the template chooses names, only if it bears the resource's mark. Have Create undo only its own work: docs/rules-for-a-handler.md#everywhere"},
}

// cureOfTouch returns the text of the first row for what some requests of a stack have done to the thing under an ID.
// method is the one that did it, or "" if that is not known.
func cureOfTouch(done []simulate.Request, id, method string) string {
	signs := append(touchSigns(done, id), "by-"+method)
	i := slices.IndexFunc(touchCures, func(r row) bool { return hasAll(signs, strings.Fields(r.shows)) })
	return touchCures[i].helps // the last is for all
}

// A changeRow says what helps if changes of some kinds do one of some harms; all kinds if it names none. In its text PATH
// stands for the property. What is told of a tag is for one property without a tag.
type changeRow struct {
	harms []harm
	kinds []string
	ofTag bool
	helps string
}

// Kinds of values that have cures in common.
var (
	otherOnes = []string{valueGiven, another}
	none      = []string{leftOut, "empty", "zero"}
	precision = []string{least, "most"}
	spellings = []string{"case", "spaces"}
	meanings  = []string{"endings", joined} // of characters
)

// changeCures are what helps if a change does harm: the first row for it.
var changeCures = []changeRow{
	{deleted, []string{"case"}, false, "If names that differ only in case are one name to the service, have Validate refuse upper case: to the SDK they are two resources, and the cleanup deletes the old one"},
	{[]harm{liveDeleted, secondThing}, nil, true, "If PATH belongs in the thing's name, tag it createOnly: docs/rules-for-a-handler.md#create. Otherwise leave it out of the name"},

	{failing, []string{entries}, false, "If the time is too short for so many entries, work on several at once, or give the Contract the function's Timeout. If the service takes fewer, return CodeInvalidRequest"},
	{failing, []string{"doubled"}, false, "If the service refuses two entries of PATH that are alike, have Create and Update refuse them with CodeInvalidRequest. Otherwise have them pass on both, or one"},
	{failing, nil, true, "If PATH cannot be changed, tag it createOnly, or return CodeNotUpdatable: docs/rules-for-a-handler.md#update. If the service refuses such a value, have Create refuse it too, with CodeInvalidRequest"},

	{wrongly, []string{"exchanged"}, false, "If Update compares PATH with what is there, compare what stands at each place: a list in its order, and what has names by the name. If the service keeps a set, have State sort it"},
	{wrongly, otherOnes, true, "Have Update set each property, whatever the others are. If PATH cannot be changed, tag it createOnly: docs/rules-for-a-handler.md#update"},
	{wrongly, none, false, "Have Update set a property that is left out, empty or zero as Create sets it: docs/rules-for-a-handler.md#update"},
	{wrongly, []string{entries}, false, "Have Update read and write all entries of PATH, page by page, as Create does"},
	{wrongly, slices.Concat(precision, spellings, meanings), false, "If Update compares PATH with what is there, have it compare all of PATH, as it is. Otherwise have Update pass on PATH as Create does: escaped, rounded and cut in the same way"},

	{[]harm{cutValue}, []string{entries}, false, "Pass all entries of PATH to the service, page by page, and have State show all of them. Have Validate refuse more than the service holds"},
	{[]harm{cutValue}, []string{"alike", "doubled", "exchanged"}, false, "Pass each entry of PATH to the service as a whole: do not keep entries by one of their members, as a map does. If the service does so, have Validate refuse two that it takes for one"},
	{[]harm{cutValue}, precision, false, "Pass PATH as it is, in a type that holds each value exactly: a text as a text, to its end and with its leading zeros; a whole number as an int64 and not as a float64; a time with its fraction and its zone; a duration with its days and its fraction. If the service is less precise, have Validate refuse what it would round"},
	{[]harm{cutValue}, []string{"zero"}, false, "Tell a PATH that is zero from one that is left out, such as by a pointer"},
	{[]harm{cutValue, madeNothing}, spellings, false, "Pass and compare the text of PATH as it is: neither trimmed, nor in another case. Escape it where it is a part of an ID. If the service changes the text, have Validate refuse such a text"},
	{[]harm{cutValue, madeNothing}, meanings, false, "Escape PATH where it becomes a part of something else, such as an ID, a URL, a path, a list in one text, or the input of a digest, where its characters may have a meaning, and pass all its lines"},
}

// cureOf says what helps if a change of some kind does harm, or "" if the finding has more to say. mayTag is set if the property
// can be tagged createOnly.
func cureOf(f *finding, ch change, mayTag bool) string {
	switch f.harm {
	case wrongState:
		if f.caused {
			return "" // what the requests show is more
		}
	case failsWithoutCause:
		if f.shows == string(cfnresource.CodeNotUpdatable) {
			return "" // what it would advise was done
		} else if f.at.What != again {
			break
		}
		return fmt.Sprintf("No property differs: if Update compares %s with what the service has, compare it with what the service makes of the value, or set it again", readable(ch.Path))
	}
	for _, r := range changeCures {
		if r.ofTag && !mayTag {
			continue
		}
		if slices.Contains(r.harms, f.harm) && r.isOf(ch.Kind) {
			return strings.ReplaceAll(r.helps, "PATH", readable(ch.Path))
		}
	}
	return ""
}

// isOf reports whether a row is for a kind of change.
func (r changeRow) isOf(kind string) bool { return len(r.kinds) == 0 || slices.Contains(r.kinds, kind) }
