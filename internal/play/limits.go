package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A harm is something that a history must not do: its name, the rule that it breaks, what
// CloudFormation would have done, and what helps most handlers that do it, if anything does.
type harm struct{ Name, Rule, Consequence, cure string }

// All harm that a history can do.
var (
	badAnswer          = harm{"an event without a valid answer", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own.", ""}
	notReady           = harm{"an answer before the resource was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "continued with the resources that need this one, before it was ready.", "Return Poll's error, in each method that can be called next: docs/testing.md#a-function-that-continues"}
	cutOff             = harm{"a wait that ends with its invocation", "a method whose Poll is cut off by the end of the invocation continues in the next one.", "read FAILED when the first invocation ended, and rolled back.", "Return Poll's error, wrapped with %w or as it is, and joined with no other: docs/testing.md#a-function-that-continues"}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while the handler still works. The things that the handler makes from then on are left behind, and its changes are wrong.", "Pass ctx to every call, and return when it ends: docs/rules-for-a-handler.md#everywhere"}
	goesOn             = harm{"work that goes on after the answer", "when a method returns, all that it has begun has ended.", "sent the next request while the handler still works. The things that the handler makes from then on are left behind, and its changes are wrong.", "Wait for all goroutines before returning, also when one of them fails: docs/rules-for-a-handler.md#everywhere"}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it.", ""}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails; a process that dies is no cause, since Lambda tries again.", "rolled back a correct deployment, or been stuck in UPDATE_ROLLBACK_FAILED.", "Have Update succeed whether the thing already has the new properties, is unfinished, or was changed. Give errors that pass a code: docs/rules-for-a-handler.md#update"}
	deleteFails        = harm{"a Delete that fails without a cause", "the Delete of a thing that does not exist succeeds, and so does the next try of a failed Delete.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries.", "Return nil, or NotFound, for a thing that does not exist, whatever its ID looks like: docs/rules-for-a-handler.md#delete"}
	stackStuck         = harm{"a stuck stack", "an operation that a fault made fail succeeds when it is tried again.", "left a stack that nobody can update or delete.", "Have Update make what is missing, and Delete succeed if the thing does not exist: docs/rules-for-a-handler.md#update"}
	notRefused         = harm{"properties that are not refused", "the handler refuses the properties in Contract.Refused.", "deployed the wrong properties.", ""}
	takesNotUpdatable  = harm{"a change that Update should have refused", "an Update that cannot be made in place returns CodeNotUpdatable and changes nothing.", "ended in UPDATE_COMPLETE or UPDATE_ROLLBACK_COMPLETE with a thing that differs from the template.", "Have Update compare the thing with the new properties before the first change, and return CodeNotUpdatable: docs/rules-for-a-handler.md#update"}
	keptDeleted        = harm{"a kept thing deleted", "a Delete with unreadable properties removes no more than a Delete with readable ones.", "deleted a thing that its properties keep.", "If the properties cannot be read, keep everything that any properties keep"}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "continued with a stack whose resource was deleted, with its contents.", "Delete only the thing under PhysicalID, have Update change the thing in place, and call Created only for a thing that the call made: docs/rules-for-a-handler.md#delete"}
	madeNothing        = harm{"a Create that makes nothing", "a Create that succeeds makes a resource.", "continued with a resource that does not exist.", "Have Create return an error if it makes nothing, and have State look for the thing by the ID that Create named. If the service has nothing for such properties, have State show an empty thing: docs/testing.md#the-service"}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource matches the settled template, whatever an earlier operation left unfinished.", "shown a template that the resource does not match.", "Have Update set all new properties, not only the changed ones: docs/rules-for-a-handler.md#update"}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup.", "Tag createOnly only the properties that identify the thing. Have Find return PhysicalID if the thing there bears the StableID. Have Update keep the mark that Create has set: docs/physical-ids.md"}
	notReplaced        = harm{"not replaced", "the properties in Contract.Replacing belong to another physical resource.", "shown the old resource under the new properties.", "Tag createOnly the properties that identify the thing, and have Find return the one with the StableID of the new properties: the one under PhysicalID is the old one: docs/rules-for-a-handler.md#create"}
	changedByItself    = harm{"a resource that changes by itself", "the resource stays as it is from the answer to a request until the next request.", "continued with a resource that was not ready.", "Before you answer, wait with Poll until the resource is ready. If State shows an age or a status, leave it out: docs/testing.md#the-service"}
	wrongBefore        = harm{"a Before that makes the wrong thing", "Before makes the thing that its properties describe, and State shows it under the ID that Before returns.", "done nothing wrong: no request has reached the handler yet.", "Have State know the ID that Before returns, and have Before return when the thing is ready: docs/testing.md#the-service"}
	blindState         = harm{"a State that shows too little", "State shows what Contract.InPlace and Service.Use change.", "continued with changes that no check can see.", "Have State show what InPlace changes, or have the handler pass it on: docs/testing.md#the-service"}
	answersEarly       = harm{"an answer before the service is done", "a request is answered after the service has finished the work.", "continued with the resources that need this one, before it was ready.", "Wait with Poll until the service is done, before you answer"}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the old resource.", "changed what Ref gives to other resources, and deleted the old resource.", "Have Find return PhysicalID if the thing there bears the StableID: docs/rules-for-a-handler.md#found"}
	answersDiffer      = harm{"one event with two answers", "each delivery of an event is answered in the same way.", "read the second answer over the first, or never learned of the second thing: Lambda delivers an event at least once.", nameItYourself}
	dataMissing        = harm{"Data that is missing", "each delivery of an event is answered with all of Data.", "given no value to the resources that read the attribute with Fn::GetAtt.", returnAllData}
	effectsDiffer      = harm{"effects that differ from the effects of one event", "an event has the same effects if it is delivered twice, if its process dies, and if it succeeds though the service fails.", "had a mail sent, or a job run, twice or not at all: Lambda delivers an event at least once.",
		"Pass IdempotencyToken, by which the service recognises a second delivery of the event, or store the last token in the service, in the call that has the effect: docs/recipes.md#client-tokens"}
	noEffect    = harm{"an Update without an effect", "an Update to other properties does something that Effects or Data shows.", "continued as if the Update had worked.", "Go by the event, as IdempotencyToken does, and not by the properties"}
	dataDiffers = harm{"Data that differs from answer to answer", "Data is the same after an Update to the same properties, and after a second delivery.", "given other values to the resources that read Data with Fn::GetAtt, and updated or replaced those resources.", "Return what the service stores: no time, and no random value"}
	dataShrinks = harm{"Data that is missing in an answer", "Data is the same after an Update to the same properties, and after a second delivery.", "given no value to the resources that read the attribute with Fn::GetAtt.", returnAllData}
	leftBehind  = harm{"left behind", "a deleted stack leaves nothing behind.", "forgotten the thing, which stays in the account, and on the bill.", nameItYourself}
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

// A limit is harm that no handler can prevent. Its name is that in docs/rough_edges.md. Those of a function that changes,
// of skipped rollbacks and of preserved replacements are not here: a history has one program, and none of these.
type limit struct {
	name string
	// holds reports whether a deployment meets it.
	holds func(d limitCase) bool
	// neither is set if it is one of handlers of that kind, in a Create; else it is one of
	// replacements.
	neither bool
	// once is set if the limit applies only to the first of the steps at which it holds. At a later
	// step the handler had the service's reply, and could have called Created.
	once bool
}

// limitCase is a deployment in a history, and its first request.
type limitCase struct {
	Op         operation
	Replaces   bool // it is, or may be, of another identity than the existing thing
	Overwrites bool // Create overwrites an existing thing, and cannot call Created
	Neither    bool // nothing leads from an event to what the handler makes
	Request    simulate.Request
}

// limits are about things that a replacement leaves, and about the kind "neither". An Update that failed
// is answered with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	name: "a cancelled replacement",
	holds: func(d limitCase) bool {
		if d.Overwrites && d.ended(simulate.EndsCancelled) {
			return true
		}
		return d.Op.Variant == cancelled
	},
}, {
	name: "a replacement whose process or answer is lost",
	holds: func(d limitCase) bool {
		switch {
		case d.Op.What == refused && d.ended(simulate.EndsFound): // a retry adopts the new resource, and does not undo it if the retry fails
			return true
		case hitBy(d.Request) == fault.LinkDiesForGood:
			return d.lateCreated()
		}
		return d.ended(simulate.EndsUnknown)
	},
}, {
	name: "two deliveries at once, one of which fails",
	holds: func(d limitCase) bool {
		// The other delivery has adopted the resource: it makes again what the first undoes, and is refused.
		return d.Op.What == refused && hitBy(d.Request) == fault.Twice
	},
}, {
	name:  "a replacement that fails before Created",
	holds: func(d limitCase) bool { return d.unnamed(simulate.EndsFailed) }, once: true,
}, {
	name:  "a replacement that runs out of time",
	holds: func(d limitCase) bool { return d.unnamed(simulate.EndsOutOfTime) }, once: true,
}, {
	name: "an unmarked thing that no answer names",
	holds: func(d limitCase) bool {
		if d.Op.Variant == cancelled {
			return true
		}
		return d.ended(simulate.EndsUnknown, simulate.EndsCancelled) || d.unnamed(simulate.EndsFailed, simulate.EndsOutOfTime)
	}, neither: true, once: true,
}, {
	name:  "an unmarked thing whose Create is delivered again",
	holds: func(d limitCase) bool { return d.ended(simulate.EndsWell, simulate.EndsFound) }, neither: true,
}}

// ended reports whether a fault ended the request in one of some ways.
func (d limitCase) ended(ends ...simulate.End) bool {
	return d.Request.FaultHit && slices.Contains(ends, simulate.EndOf(d.Request.Fault.Kind))
}

// lateCreated reports whether Created was called in the last of several invocations, which nobody has heard of.
func (d limitCase) lateCreated() bool {
	calls := d.Request.Calls()
	first := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Method == "Create" })
	return first >= 0 && calls[first].Created == ""
}

// unnamed reports whether the request ended in one of some ways, and Create could not call Created: the fault came before,
// or it overwrites.
func (d limitCase) unnamed(ends ...simulate.End) bool {
	hasNamed := func(c simulate.Call) bool { return c.Created != "" }
	if slices.ContainsFunc(d.Request.Calls(), hasNamed) {
		return false
	}
	couldNot := d.Overwrites || simulate.AtStep(d.Request.Fault.Kind)
	return couldNot && d.ended(ends...)
}

// limitOf returns the name of the limit that excuses what a deployment left, or "".
func limitOf(d limitCase) string {
	i := slices.IndexFunc(limits, func(l limit) bool {
		isOfKind := d.Replaces
		if l.neither {
			isOfKind = d.Neither && d.Request.Type == "Create"
		}
		return isOfKind && l.holds(d)
	})
	if i < 0 {
		return ""
	}
	return limits[i].name
}

// oneStepEarlier returns the history whose fault comes one step earlier, if the limit of
// that name applies only to the first of the steps at which it holds.
func (h history) oneStepEarlier(limitName string) (earlier history, ok bool) {
	op, at := h.faulty()
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == limitName })
	switch {
	case i < 0, at < 0, op.Variant == cancelled:
		return nil, false
	case op.Fault.Step < 2:
		return nil, false
	}
	m := *op.Fault
	m.Step--
	earlier = slices.Clone(h)
	earlier[at].Fault = &m
	return earlier, limits[i].once
}

// abandoned returns the name of a method that had not returned when its event was answered, or "".
func abandoned(r simulate.Request) string {
	for _, c := range r.Calls() {
		if c.Abandoned {
			return c.Method
		}
	}
	return ""
}

// stuck reports whether a stack needs an operator before it can be updated again.
func stuck(status lifecycle.StackStatus) bool {
	return slices.Contains([]lifecycle.StackStatus{lifecycle.StackUpdateRollbackFailed, lifecycle.StackRollbackFailed, lifecycle.StackDeleteFailed}, status)
}

// failureText says what became of a request that did not succeed.
func failureText(r simulate.Request) string {
	if r.Outcome == string(engine.TimedOut) {
		return "was not answered"
	}
	return "did not succeed: " + r.Reason
}

// cured reports whether CloudFormation notices nothing of a fault: Lambda's next try, or the
// next invocation, does the rest of the work.
func cured(k fault.Kind) bool {
	switch simulate.EndOf(k) {
	case simulate.EndsWell, simulate.EndsFound, simulate.EndsCancelled:
		return true
	}
	return false
}

// createOverwrites reports whether Create succeeded twice, though its thing existed
// the second time, and did not call Created. This is right if the service creates and
// updates by PUT and cannot be asked what exists. Such a Create does not know what it
// has made, so a thing that it leaves when it fails counts as a limit.
func createOverwrites(calls []simulate.Call) bool {
	creates := 0
	for _, c := range calls {
		switch {
		case c.Method != "Create":
		case c.Error+c.Created != "":
			return false
		default:
			creates++
		}
	}
	return creates > 1
}
