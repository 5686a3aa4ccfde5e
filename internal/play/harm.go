package play

// The harm that a history can do, and what is told of it.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/page"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A harm is something that a history must not do: its name, the rule that it breaks, what
// CloudFormation would have done, and what helps most handlers that do it, if anything does.
type harm struct{ Name, Rule, Consequence, cure string }

// All harm that a history can do.
var (
	// What an operation, and its requests, come to.
	badAnswer          = harm{"an event without a valid answer", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own.", ""}
	notReady           = harm{"an answer before the resource was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "continued with what needs this resource to be ready, or to be gone.", "Have each method wait that can be called next, also if Adopted is set. Return the error of each Poll and, from the function that Poll calls, each error of the service: docs/testing.md#a-function-that-continues"}
	cutOff             = harm{"a wait that ends with its invocation", "a method whose Poll is cut off by the end of the invocation continues in the next one.", "read FAILED when the first invocation ended, and rolled back.", "Return Poll's error, wrapped with %w or as it is, and joined with no other: docs/testing.md#a-function-that-continues"}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while the handler still works. The things that the handler makes from then on are left behind, and its changes are wrong.", "Pass ctx to every call, and return when it ends: docs/rules-for-a-handler.md#everywhere"}
	goesOn             = harm{"work that goes on after the answer", "when a method returns, all that it has begun has ended.", "sent the next request while the handler still works. The things that the handler makes from then on are left behind, and its changes are wrong.", "Wait for all goroutines before returning, also when one of them fails: docs/rules-for-a-handler.md#everywhere"}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it.", ""}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails; a process that dies is no cause, since Lambda tries again.", "rolled back a correct deployment, or been stuck in UPDATE_ROLLBACK_FAILED.", "Have METHOD read anew at each try what it goes by, leave out what an earlier request has put away, and succeed whether the thing already has the new properties, is unfinished, or was changed. If the error passes by itself, give it a code: docs/rules-for-a-handler.md#update"}
	panics             = harm{"a method that panics", "a method returns, whatever its properties are: an error, if it does not accept them.", "read FAILED, with the panic for a reason, and rolled back.", "The SDK logs the panic with its stack. Allow for lists and maps of any length, none included, and for pointers that are nil, also in what a call returns that failed, and refuse with CodeInvalidRequest only what the service refuses"}
	deleteFails        = harm{"a Delete that fails without a cause", "the Delete of a thing that does not exist succeeds, and so does the next try of a failed Delete.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries.", "Return nil, or NotFound, for a thing that does not exist, whatever its ID looks like: docs/rules-for-a-handler.md#delete"}
	stackStuck         = harm{"a stuck stack", "an operation that a fault made fail succeeds when it is tried again.", "left a stack that nobody can update or delete.", "Have Update make what is missing, and Delete succeed if the thing does not exist: docs/rules-for-a-handler.md#update"}
	notRefused         = harm{"properties that are not refused", "the handler refuses the properties in Contract.Refused.", "deployed the wrong properties.", "If a call failed, or the service shows a failure later, return that. If none did, the service was sent what it accepts: see what becomes of the properties on their way to it, such as by a unit, a rounding or a default, and whether a client token is that of another request. Otherwise have Validate refuse the properties"}
	takesNotUpdatable  = harm{"a change that Update should have refused", "an Update that cannot be made in place returns CodeNotUpdatable and changes nothing.", "ended in UPDATE_COMPLETE or UPDATE_ROLLBACK_COMPLETE with a thing that differs from the template.", "Have Update compare the thing with the new properties before the first change, and return CodeNotUpdatable: docs/rules-for-a-handler.md#update"}
	keptDeleted        = harm{"a kept thing deleted", "a Delete with unreadable properties removes no more than a Delete with readable ones.", "deleted a thing that its properties keep.", "If the properties cannot be read, keep everything that any properties keep"}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "continued with a stack whose resource was deleted, with its contents.", "Have Delete remove only the thing under PhysicalID, Update change the thing in place, Find change nothing, and Create call Created only for a thing that it made: docs/rules-for-a-handler.md#delete"}
	madeNothing        = harm{"a Create that makes nothing", "a Create that succeeds makes a resource.", "continued with a resource that does not exist.", "Have METHOD return an error if it makes nothing, and have State look for the thing by the ID that Create named. If the service has nothing for such properties, have State show an empty thing: docs/testing.md#the-service"}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource matches the settled template, whatever an earlier operation left unfinished.", "shown a template that the resource does not match.", "Have METHOD set all new properties as a Create alone sets them, also if they are zero or left out, and remove what earlier requests have left: docs/rules-for-a-handler.md#update"}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup.", "Tag createOnly only the properties that identify the thing. Have Find return PhysicalID if the thing there bears the StableID. Have Update keep the mark that Create has set: docs/physical-ids.md"}
	notReplaced        = harm{"not replaced", "the properties in Contract.Replacing belong to another physical resource.", "shown the old resource under the new properties.", "Tag createOnly the properties that identify the thing, and have Find go by the StableID of the new properties: the thing under PhysicalID is the old one. If Find found nothing though the thing is there, have Find look under the name that Create gave, or for the mark that no method takes off, and set Options.FindLag if searches lag: docs/rules-for-a-handler.md#create"}
	changedByItself    = harm{"a resource that changes by itself", "the resource stays as it is from the answer to a request until the next request.", "continued with a resource that was not ready.", "Before you answer, wait with Poll until the resource is ready. If State shows an age or a status, leave it out: docs/testing.md#the-service"}
	wrongBefore        = harm{"a Before that makes another thing than Create", "Before and Create make the thing that the properties describe, and State shows it under the ID that Before returns.", "done nothing wrong: no request has reached the handler yet.", "If State does not know the ID that Before returns, or the thing is not ready by then, mend Before. If Before makes what the properties say, and Create does not, mend Create: docs/testing.md#the-service"}
	blindState         = harm{"a State that shows too little", "State shows what Contract.InPlace and Service.Use change.", "continued with changes that no check can see.", "Have State show what InPlace changes, or have the handler pass it on: docs/testing.md#the-service"}
	answersEarly       = harm{"an answer before the service is done", "a request is answered after the service has finished the work.", "continued with the resources that need this one, before it was ready.", "Wait with Poll until the service is done, before you answer, and take no error of a service that is busy for success"}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the old resource.", "changed what Ref gives to other resources, and deleted the old resource.", "Have Find return PhysicalID if the thing there bears the StableID, and have no Update take the mark off, or change it, even between two calls: docs/rules-for-a-handler.md#found"}
	answersDiffer      = harm{"one event with two answers", "each delivery of an event is answered in the same way.", "read the second answer over the first, or never learned of the second thing: Lambda delivers an event at least once.", nameItYourself}
	dataMissing        = harm{"Data that is missing", "each delivery of an event is answered with all of Data.", "given no value to the resources that read the attribute with Fn::GetAtt.", returnAllData}
	effectsDiffer      = harm{"effects that differ from the effects of one event", "an event has the same effects if it is delivered twice, if its process dies, and if it succeeds though the service fails.", "had a mail sent, or a job run, twice or not at all: Lambda delivers an event at least once.",
		"Pass IdempotencyToken, by which the service recognises a second delivery of the event, or store the last token in the service, in the call that has the effect: docs/recipes.md#client-tokens"}
	noEffect    = harm{"an Update without an effect", "an Update to other properties does something that Effects or Data shows.", "continued as if the Update had worked.", "Go by the event, as IdempotencyToken does, and not by the properties"}
	dataDiffers = harm{"Data that differs from answer to answer", "Data is the same after an Update to the same properties, and after a second delivery.", "given other values to the resources that read Data with Fn::GetAtt, and updated or replaced those resources.", "Return what the service stores, in one form from each method: no time, and no random value"}
	dataShrinks = harm{"Data that is missing in an answer", "Data is the same after an Update to the same properties, and after a second delivery.", "given no value to the resources that read the attribute with Fn::GetAtt.", returnAllData}
	leftBehind  = harm{"left behind", "a deleted stack leaves nothing behind.", "forgotten the thing, which stays in the account, and on the bill.", "THING is there, though Delete was called with its ID. Have Delete return an error unless the thing and all its parts are gone, and have no other call make the thing again: docs/rules-for-a-handler.md#delete"}

	// What is seen where one property alone has changed.
	staleData      = harm{"Data of other properties", "Data is what a Create of the same properties returns.", "given the readers of Fn::GetAtt a value of other properties.", "If Update has not made the change, such as one with IdentityChanged that the service cannot make, have it return CodeNotUpdatable. Otherwise read what Data needs after the change, and return it from Update as from Create: docs/rules-for-a-handler.md#update"}
	secretUnset    = harm{"a secret that differs from the template's", "the service accepts each secret of the settled template, and no other one.", "shown a template whose secret the service does not accept.", "Set the secret in each Update, in place of the former one, whatever OldProperties say: the service does not show its secret, and an earlier update may have failed half way"}
	cutValue       = harm{"one state for two values", "two values of a property lead to two states, or one is refused.", "shown a template that the resource does not match.", "Pass the value to the service as it is, and have State show all of it. Have Validate refuse a value that the service cannot hold, or takes for another one"}
	oneID          = harm{"one ID for two things", "two values of a createOnly property have two physical IDs.", "taken one resource for the other, and deleted both at once.", "Do not cut the values in a name, and join them with a separator that no value contains: docs/physical-ids.md"}
	acceptsRefused = harm{"an Update to properties with which Create fails", "an Update refuses the properties that a Create refuses.", "accepted a template from which it cannot make the resource again, in a replacement or in another account.", "If the service accepts the properties, have Create succeed, and else check them in Validate, through which Create and Update go. If only a Create has such a rule, name the property in the Contract's Fixed"}
	secondThing    = harm{"a second thing", "an update in place leaves one thing, under the physical ID.", "kept one of the two things in the stack, and left the other one behind.", "Have Update change the thing under PhysicalID, and make no other one. If a property that changed belongs in the thing's name, tag it createOnly; otherwise leave it out of the name: docs/physical-ids.md"}

	// What is said.
	answerTooLarge = harm{"an answer that is too large", "an answer has at most 4096 bytes.", "refused the answer (\"Response object is too long.\"), or the SDK has to answer FAILED, and the stack rolls back.",
		"Return less Data, or refuse so large a property with the code InvalidRequest"}
	codeLost = harm{"an error that has lost its code", "an error of the service keeps its code, or has another one.", "rolled back a deployment that attaches the permission: a new permission takes effect after some seconds.",
		"Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#new-permissions"}
	secretTold = harm{"a secret that is shown", "no secret is in the log, in a Reason, in a physical ID, or in Data without NoEcho.", "shown the secret to all readers of the stack's events, or Lambda to all readers of the log.",
		"Tag secrets, and pass those that no property has to cfnresource.Secret. Keep them, and parts of them, out of your own logs, of IDs and of errors: log the request, and not its properties: docs/secrets.md"}

	// What happens to a twin, or to the thing of an older program.
	findsTwin = harm{"a Find that returns a twin", "Find, called with the ID of a thing that Create has marked with the StableID, returns that ID, whatever a search shows.", "gone on with a twin, or replaced the resource, because a search lags or shows another one with the same tag.",
		"Read the thing under the event's PhysicalID before searching, and have no Update take the mark off, or change it: docs/recipes.md#lists-that-lag"}
	twinTouched = harm{"a twin touched", "an Update changes the thing under its physical ID.", "shown a template that the resource does not match, and changed the twin.",
		"Have Update change the thing under req.PhysicalID alone: neither the one with the ID that this program would give, nor what another resource has, such as the only thing of its kind"}
	changesNothing = harm{"an Update that changes nothing", "an Update that succeeds brings the thing under its physical ID to its properties.", "shown a template that the resource does not match.",
		"Have Update change the thing under req.PhysicalID, which need not be the ID that this program would give"}

	// What happens to what is not the resource's.
	strangerTouched = harm{"somebody else's thing touched", "other people's things in the service stay unchanged.", "had a thing changed or deleted that has nothing to do with the stack.",
		"Touch only what Create has made, under its physical ID, and go by no place in a list: docs/rules-for-a-handler.md#everywhere"}
	aroundTouched = harm{"a change around the resource", "Service.Around shows the same after the stack's deletion as before its creation.", "left the resource's part in a document that others share, or changed what is theirs.",
		"Have each method touch the resource's own part alone, and Delete remove what Create has added: docs/recipes.md#a-document-that-resources-share"}
	oneForStacks = harm{"one thing for two stacks", "resources of two stacks are two things.", "taken one stack's resource for another stack's, or failed one stack because of another one.",
		"Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"}
	siblingTouched  = harm{"another resource of the stack touched", "a request for one resource leaves the others of its stack unchanged.", "taken one resource for another one of the stack, and changed or deleted both.", ""}
	oneForResources = harm{"one thing for two resources", "two resources of one stack are two things.", "taken one resource for another one of the stack, and deleted both.", ""}
	wrongContract   = harm{"a Contract that does not fit the handler", "Contract.Others has properties that their handlers accept, and Service.Occupy makes what State shows.", "done nothing wrong: the fault is in the Contract.", ""}
	remembered      = harm{"Data that a process remembers", "a process that has handled other events returns the Data that a new one returns.", "given the readers of Fn::GetAtt old values, or another resource's values.", keepNothing}
	nameTaken       = harm{"somebody else's thing taken", strangerTouched.Rule, strangerTouched.Consequence, ""}
	otherDelete     = harm{"a resource touched by the Delete of another ID", "a Delete removes the thing with its physical ID, and nothing else.", "deleted a resource with the Delete of another one, or with one that came late.",
		"Delete only the thing with exactly the physical ID, neither another one that bears the mark, nor one whose ID begins with the physical ID: docs/rules-for-a-handler.md#delete"}
)

// inAnswers is the harm that is in what is said alone, or in what cannot be undone, with the check that reports it. If the
// Contract skips that check, it is none.
var inAnswers = map[harm]string{
	dataDiffers:   "data-same-after-update",
	dataShrinks:   "data-same-after-update",
	effectsDiffer: "redelivered-does-no-more",
	noEffect:      "redelivered-does-no-more",
	secretTold:    secretsCheck,
}

// harmOf returns the harm of a violation.
func harmOf(v simulate.Violation) harm {
	switch {
	case v.TooSoon:
		return notReady
	case v.GoesOn:
		return goesOn
	}
	return badAnswer
}

// record records the first harm that a history does. Harm that is in answers alone does not end the history, and counts if it
// does no other: of that it records the first of each kind.
func (h *historyRun) record(what harm, at operation, format string, args ...any) {
	if check, isInAnswers := inAnswers[what]; isInAnswers {
		isKnown := slices.ContainsFunc(h.inAnswers, func(f *finding) bool { return f.harm == what })
		switch {
		case isKnown, h.c.Skip[check] != "":
		default:
			h.inAnswers = append(h.inAnswers, h.newFinding(what, at, fmt.Sprintf(format, args...)))
		}
		return
	}

	// Only the first counts: what follows may come of it.
	switch {
	case h.found != nil:
		return
	case what == unplayable:
	case h.runsBefore(): // so nothing is the handler's
		if what = wrongBefore; h.History.isChanged() { // which it need not know how to make
			what = unplayable
		}
	}
	h.found = h.newFinding(what, at, fmt.Sprintf(format, args...))
}

// runsBefore reports whether the program before still runs.
func (h *historyRun) runsBefore() bool { return h.History.has(before) && !h.over.Load() }

// newFinding returns what is told of a harm.
func (h *historyRun) newFinding(what harm, at operation, detail string) *finding {
	mayBeRight := lastStopped(h.stack.Requests()).Text(h.c.timeout())
	if mayBeRight != "" {
		detail += "\n" + mayBeRight + "."
	}
	f := &finding{assume: h.o.Assume, history: h.History, harm: what, at: at, detail: detail, story: h.stack.Story()}
	f.helps, f.shows, f.caused = h.helpWith(what, at, mayBeRight != "")
	if h.how.log != nil {
		f.log = h.how.log.Last(h)
	}
	if h.o.HTML != "" {
		f.page = pageOf(h.stack)
	}
	return f
}

// A finding is a history that did harm.
type finding struct {
	assume  []string
	history history
	harm    harm
	at      operation // that did it
	detail  string
	story   string
	log     string      // the end of what was logged, if that is kept
	helps   string      // the line about it, or ""
	shows   string      // the signs by which that was chosen, or ""
	caused  bool        // they show the cause
	written bool        // it is in what the handler writes
	page    *page.Story // nil unless pages are asked for
}

func (f finding) String() string {
	head := fmt.Sprintf("%s, by the history %q\nAfter %s: %s\nThe rule: %s", f.harm.Name, f.line(), f.at, f.detail, f.harm.Rule)
	return tell(head, f.harm.Consequence, f.story, f.helps, f.line())
}

// again is the line that Replay plays again, or "" if what the handler writes shows the harm: Replay lets that be seen.
func (f finding) again() string {
	if f.written {
		return ""
	}
	return f.line()
}

// line is what Replay plays.
func (f finding) line() string {
	if len(f.assume) == 0 {
		return f.history.String()
	}
	return strings.Join(f.assume, " ") + ": " + f.history.String()
}

// is reports whether there is a finding, and it is one of some kinds of harm.
func (f *finding) is(kinds ...harm) bool { return f != nil && slices.Contains(kinds, f.harm) }

// A ruleError is the error of a check that fails.
type ruleError struct {
	seen  string // what is wrong
	story string // the events that led there
	log   string // the end of the log
	would string // what CloudFormation would have done
	helps string // from whatHelps
	again string // the history that Replay plays again, or ""
}

func (e *ruleError) Error() string { return e.seen }

// failure is the error of a check that has found a history that does harm.
func (s *suite) failure(f *finding) *ruleError {
	return &ruleError{
		seen:  fmt.Sprintf("After %s, by the history %q: %s", f.at, f.line(), strings.TrimSuffix(f.detail, ".")),
		story: f.story,
		log:   f.log,
		helps: f.helps,
		would: f.harm.Consequence,
		again: f.again(),
	}
}

// A missingError is the error of a check for which the Contract lacks something. It says
// what to add.
type missingError string

func (e missingError) Error() string { return string(e) }

// report returns the text of a failure.
func (k *check) report(err error) string {
	found, ok := errors.AsType[*ruleError](err)
	if !ok {
		return err.Error()
	}
	helps := found.helps
	if found.again == "" {
		helps = cmp.Or(helps, whatHelps(advice[k.name]))
	}
	return tell(fmt.Sprintf("%s\n%v.", k.rule, err), found.would, found.story, helps, found.again)
}

// tell returns the text of a failure. helps is from whatHelps, and line is what Replay plays; any of them may be "".
func tell(head, consequence, story, helps, line string) string {
	text := head + "\nCloudFormation would have " + consequence
	if story != "" {
		text += "\n\nWhat happened:\n" + strings.TrimRight(story, "\n") + "\n"
	}
	text += helps
	if line != "" {
		text += fmt.Sprintf("\nTo play it again: cfntest.Replay(t, contract, %q)", line)
	}
	return text
}

// whatHelps returns the line with which a failure ends, or "" if no advice is given.
func whatHelps(advice ...string) string {
	advice = slices.DeleteFunc(advice, func(text string) bool { return text == "" })
	if len(advice) == 0 {
		return ""
	}
	return "\nWhat helps: " + strings.Join(advice, ". ") + "."
}

// helpWith returns what helps against a harm, the signs by which it was chosen, and whether these show the cause. If the
// handler may be right, only what an error says is told.
func (h *historyRun) helpWith(what harm, at operation, mayBeRight bool) (helps, shows string, caused bool) {
	seen := scene{harm: what, ops: h.played(), requests: h.stack.Requests(), id: h.id, left: h.remaining(), phantoms: h.phantomsOf(), untagged: h.c.untaggedReplacing()}
	seen.last = h.lastSight(seen.about())
	seen.changed, seen.secret = h.relationOf(what), h.secretSign(what)
	seen.by, seen.along = h.doneBy(seen.about())
	if what == dataShrinks {
		seen.blamed = h.blamed
	}

	hint := ""
	shows, helps = causeOf(seen)
	if caused = helps != ""; !caused {
		hint = uncodedHint(seen.calls())
		shows, helps = seen.cure()
	}
	isFailure := slices.Contains(append([]harm{stackStuck}, anyFail...), what)
	findsOthers := slices.ContainsFunc(seen.calls(), func(c simulate.Call) bool { return h.isOthers(c.Returned) })

	// What is known for certain comes before what helps most.
	switch {
	case mayBeRight:
		helps = ""
	case at.isAtOnce():
		helps = writeOwnPart
	case findsOthers:
		helps = "Have Find return only a thing that bears this resource's StableID"
	case hint != "" && isFailure:
		helps = "" // the hint is about the cause
	}
	return whatHelps(hint, helps), shows, caused
}
