package play

import "github.com/cfnresource/sdk-go/internal/simulate"

// A harm is something that a history must not do: its name, the rule that it breaks, and
// what CloudFormation would have done.
type harm struct{ name, rule, consequence string }

var (
	badAnswer          = harm{"an event that is not answered as CloudFormation accepts it", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own."}
	notReady           = harm{"an answer before it was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "gone on to what needs it, or taken for whole what is not."}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while it works: what it makes then is left behind, and what it changes then is wrong."}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it."}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails, and Lambda's next try cures what a dead process did.", "rolled back a deployment that nothing was wrong with, or been stuck in UPDATE_ROLLBACK_FAILED."}
	deleteFails        = harm{"a Delete that fails without a cause", "what is gone is deleted, and a Delete that failed succeeds when it comes again.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries."}
	stackStuck         = harm{"a stack that nothing leads out of its state", "what failed once because of a fault succeeds when it is tried again.", "left a stack that nobody can update or delete."}
	notRefused         = harm{"properties that are not refused", "what Contract.Refused holds is refused.", "deployed it."}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "gone on with a stack whose resource is gone, with all that was in it."}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource is what the properties of the settled template say, whatever was half done before.", "shown a template that the resource does not have."}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup."}
	notReplaced        = harm{"not replaced", "Contract.Replacing belongs to another physical resource.", "shown the old resource under the new properties."}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the resource of before.", "changed what Ref gives to other resources, and deleted the one of before."}
	leftBehind         = harm{"left behind", "when the stack is deleted, nothing is left of it.", "forgotten it: it stays in the account, and on its bill."}
)

// harmOf returns the harm of a violation.
func harmOf(v simulate.Violation) harm {
	if v.TooSoon {
		return notReady
	}
	return badAnswer
}
