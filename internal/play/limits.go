package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A harm is something that a history must not do: its name, the rule that it breaks, what
// CloudFormation would have done, and what helps most handlers that do it, if anything does.
type harm struct{ Name, Rule, Consequence, cure string }

// All harm that a history can do.
var (
	badAnswer          = harm{"an event that is not answered as CloudFormation accepts it", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own.", ""}
	notReady           = harm{"an answer before it was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "gone on to what needs it, or taken for whole what is not.", "Return Poll's error, in each method that can be called next: docs/testing.md#a-function-that-continues. " + pollWaits}
	cutOff             = harm{"a wait that ends with its invocation", "a method whose Poll is cut off by the end of the invocation goes on in the next.", "read FAILED when the first invocation ended, and rolled back.", "Return Poll's error, wrapped with %w or as it is, and joined with no other: docs/testing.md#a-function-that-continues"}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while it works: what it makes then is left behind, and what it changes then is wrong.", "Pass ctx to every call, and return when it ends: docs/rules-for-a-handler.md#everywhere"}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it.", ""}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails, and Lambda's next try cures what a dead process did.", "rolled back a deployment that nothing was wrong with, or been stuck in UPDATE_ROLLBACK_FAILED.", "Have Update make what is missing, and give what passes a code: docs/rules-for-a-handler.md#update"}
	deleteFails        = harm{"a Delete that fails without a cause", "what is gone is deleted, and a Delete that failed succeeds when it comes again.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries.", "Return nil, or NotFound, for what is gone: docs/rules-for-a-handler.md#delete"}
	stackStuck         = harm{"a stack that nothing leads out of its state", "what failed once because of a fault succeeds when it is tried again.", "left a stack that nobody can update or delete.", "Have Update make what is missing, and Delete succeed if nothing is there: docs/rules-for-a-handler.md#update"}
	notRefused         = harm{"properties that are not refused", "what Contract.Refused holds is refused.", "deployed it.", ""}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "gone on with a stack whose resource is gone, with all that was in it.", "Delete what PhysicalID names and nothing else, change in Update what is there, and call Created only for what the call made: docs/rules-for-a-handler.md#delete"}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource is what the properties of the settled template say, whatever was half done before.", "shown a template that the resource does not have.", "Bring the thing to the new properties, and not by what differs from the old ones: docs/rules-for-a-handler.md#update"}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup.", "Tag createOnly only what makes it another thing, and have Find answer the PhysicalID of what bears the StableID: docs/physical-ids.md"}
	notReplaced        = harm{"not replaced", "Contract.Replacing belongs to another physical resource.", "shown the old resource under the new properties.", "Tag createOnly what makes it another thing, and have Find return what Properties describe, which the thing under PhysicalID with the mark of its own name is not: docs/rules-for-a-handler.md#create"}
	changedByItself    = harm{"a resource that changes by itself", "what is there when a request is answered stays as it is until the next one.", "gone on with a resource that was not ready.", "Wait with Poll until it is what it shall be, before you answer. If State shows an age or a status, leave that out: docs/testing.md#the-service"}
	blindState         = harm{"a State that shows too little", "State shows what Contract.InPlace and Service.Use change.", "done what no check can see.", "Have State show what InPlace changes, or have the handler pass it on: docs/testing.md#the-service"}
	idInState          = harm{"a State that holds the ID", "State shows what properties can change, and no IDs.", "done as it should: the handler was not judged.", "Leave IDs out of State: docs/testing.md#the-service"}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the resource of before.", "changed what Ref gives to other resources, and deleted the one of before.", "Have Find answer the PhysicalID of what bears the StableID: docs/rules-for-a-handler.md#found"}
	answersDiffer      = harm{"an event that is answered in two ways", "an event that is delivered once more is answered in the same way.", "read the second answer over the first, or never learned of the second thing: Lambda delivers an event at least once.", nameItYourself}
	dataMissing        = harm{"Data that is missing", "an event that is delivered once more is answered with all of Data.", "given nothing to whatever reads it with Fn::GetAtt.", returnAllData}
	leftBehind         = harm{"left behind", "when the stack is deleted, nothing is left of it.", "forgotten it: it stays in the account, and on its bill.", nameItYourself}
)

// harmOf returns the harm of a violation.
func harmOf(v simulate.Violation) harm {
	if v.TooSoon {
		return notReady
	}
	return badAnswer
}

// cureIn returns what helps in a history: what a replacement leaves was not named, and what goes wrong in a circumstance
// does so because of it.
func (h harm) cureIn(ops history) string {
	switch {
	case h == failsWithoutCause && len(ops) == 1 && ops[0].Fault == nil:
		return "" // a plain Create
	case h != strangerTouched && (ops.has(crowd) || ops.has(largeCrowd)):
		return "Have Find read every page of a list"
	case h == failsWithoutCause && ops.ages() && ops.has(warm):
		return "Renew what ends while a process lives, such as a token"
	case h == failsWithoutCause && ops.ages():
		return "Compare no date in the properties with today, but in Create: an Update and a rollback come years later"
	case h == wrongState && ops.ages():
		return "If State shows an age or a time, leave it out: docs/testing.md#the-service. " + h.cure
	case ops.use() != "" && h == wrongState:
		return "Change what differs, and leave the rest of the thing as it is. A replacement copies what it needs, and leaves the old thing to CloudFormation's Delete"
	case ops.has(longName):
		return "Do not cut the StableID, and set Options.IDLength: docs/design/identity.md"
	}
	if h == leftBehind && slices.ContainsFunc(ops, func(op operation) bool { return op.Variant == cancelled && op.What != replacing }) {
		return h.cure + ". If Create makes things after a Delete of them, as it may as long as it has time, set Options.LostGrace: docs/recipes.md#slow-deletes-and-searches"
	}
	if h == leftBehind && slices.ContainsFunc(ops, func(op operation) bool { return op.What == replacing }) {
		return callCreated
	}
	return h.cure
}

// A limit is harm that no handler can prevent. Its name is that in docs/rough_edges.md.
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
	Replaces   bool // it is, or may be, of another identity than what there is
	Overwrites bool // Create puts over what is there, and cannot call Created
	Neither    bool // nothing leads from an event to what the handler makes
	Request    simulate.Request
}

// limits are about what a replacement leaves, and about the kind "neither". An Update that failed
// is answered with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	name: "a replacement that is cancelled leaves its new resource",
	holds: func(d limitCase) bool {
		return d.Op.Variant == cancelled || d.Overwrites && d.ended(simulate.EndsCancelled)
	},
}, {
	name: "a replacement whose process dies, or whose answer is lost, leaves its new resource",
	holds: func(d limitCase) bool {
		// A retry adopts it. What is adopted is not undone if the retry fails.
		return d.ended(simulate.EndsUnknown) || d.Op.What == refused && d.ended(simulate.EndsFound)
	},
}, {
	name: "of two deliveries of one replacement, the one that fails undoes, or leaves, what the other one answered",
	holds: func(d limitCase) bool {
		// What the first undoes the other makes again, since it has adopted it, and is refused.
		return d.Op.What == refused && d.Request.FaultHit && d.Request.Fault.Kind == simulate.Twice
	},
}, {
	name:  "a replacement that fails after its effect and before Created leaves its new resource",
	holds: func(d limitCase) bool { return d.ended(simulate.EndsFailed) && d.unnamed() }, once: true,
}, {
	name:  "a replacement that runs out of time leaves what it made",
	holds: func(d limitCase) bool { return d.ended(simulate.EndsOutOfTime) && d.unnamed() }, once: true,
}, {
	name: "what a Create made before it said Created is lost with its answer",
	holds: func(d limitCase) bool {
		return d.Op.Variant == cancelled || d.ended(simulate.EndsUnknown) || d.ended(simulate.EndsCancelled) ||
			(d.ended(simulate.EndsFailed) || d.ended(simulate.EndsOutOfTime)) && d.unnamed()
	}, neither: true, once: true,
}, {
	name:  "a Create that is delivered again meets its own work, or makes another one",
	holds: func(d limitCase) bool { return d.ended(simulate.EndsWell) || d.ended(simulate.EndsFound) }, neither: true,
}}

// ended reports whether a fault ended the request in a way.
func (d limitCase) ended(end simulate.End) bool {
	return d.Request.FaultHit && d.Request.Fault.Kind.End() == end
}

// unnamed reports whether Create could not call Created: the fault came before, or it overwrites.
func (d limitCase) unnamed() bool {
	return (d.Overwrites || d.Request.Fault.Kind.AtStep()) &&
		!slices.ContainsFunc(d.Request.Calls(), func(c simulate.Call) bool { return c.Created != "" })
}

// limitOf returns the name of the limit that excuses what a deployment left, or "".
func limitOf(d limitCase) string {
	i := slices.IndexFunc(limits, func(l limit) bool {
		if l.neither {
			return d.Neither && d.Request.Type == "Create" && l.holds(d)
		}
		return d.Replaces && l.holds(d)
	})
	if i < 0 {
		return ""
	}
	return limits[i].name
}

// limitNames returns the names of the limits of replacements, or of the kind "neither".
func limitNames(neither bool) (names []string) {
	for _, l := range limits {
		if l.neither == neither {
			names = append(names, l.name)
		}
	}
	return names
}

// oneStepEarlier returns the history whose fault comes one step earlier, if the limit of
// that name applies only to the first of the steps at which it holds.
func (h history) oneStepEarlier(limitName string) (earlier history, ok bool) {
	op, at := h.faulty()
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == limitName })
	if i < 0 || !limits[i].once || at < 0 || op.Variant == cancelled || op.Fault.Step < 2 {
		return nil, false
	}
	m := *op.Fault
	m.Step--
	earlier = slices.Clone(h)
	earlier[at].Fault = &m
	return earlier, true
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
	return status == lifecycle.StackUpdateRollbackFailed || status == lifecycle.StackRollbackFailed || status == lifecycle.StackDeleteFailed
}

// failureText says what became of a request that did not succeed.
func failureText(r simulate.Request) string {
	if r.Outcome == string(engine.TimedOut) {
		return "was not answered"
	}
	return "did not succeed: " + r.Reason
}

// cured reports whether a fault is none to CloudFormation: Lambda's next try, or the
// next invocation, does what was not done.
func cured(k simulate.FaultKind) bool {
	switch k.End() {
	case simulate.EndsWell, simulate.EndsFound, simulate.EndsCancelled:
		return true
	}
	return false
}

// createOverwrites reports whether Create succeeded twice, though its thing existed
// the second time, and did not call Created. This is right if the service creates and
// updates by PUT and cannot be asked what exists. Such a Create does not know what it
// has made, so what it leaves when it fails counts as a limit.
func createOverwrites(calls []simulate.Call) bool {
	creates := 0
	for _, c := range calls {
		switch {
		case c.Method != "Create":
		case c.Error != "" || c.Created != "":
			return false
		default:
			creates++
		}
	}
	return creates > 1
}
