package history

import "github.com/cfnresource/sdk-go/internal/simulate"

// A Harm is something that a history must not do: its name, the rule that it breaks, and
// what CloudFormation would have done.
type Harm struct{ Name, Rule, Consequence string }

// All harm that a history can do.
var (
	BadAnswer          = Harm{"an event that is not answered as CloudFormation accepts it", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own."}
	NotReady           = Harm{"an answer before it was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "gone on to what needs it, or taken for whole what is not."}
	NeverReturns       = Harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while it works: what it makes then is left behind, and what it changes then is wrong."}
	Unplayable         = Harm{"a history that cannot be played", "an operation can be played to its end.", "refused it."}
	FailsWithoutCause  = Harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails, and Lambda's next try cures what a dead process did.", "rolled back a deployment that nothing was wrong with, or been stuck in UPDATE_ROLLBACK_FAILED."}
	DeleteFails        = Harm{"a Delete that fails without a cause", "what is gone is deleted, and a Delete that failed succeeds when it comes again.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries."}
	StackStuck         = Harm{"a stack that nothing leads out of its state", "what failed once because of a fault succeeds when it is tried again.", "left a stack that nobody can update or delete."}
	NotRefused         = Harm{"properties that are not refused", "what Contract.Refused holds is refused.", "deployed it."}
	LiveDeleted        = Harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "gone on with a stack whose resource is gone, with all that was in it."}
	WrongState         = Harm{"not in the state that the template says", "after each operation the resource is what the properties of the settled template say, whatever was half done before.", "shown a template that the resource does not have."}
	NeedlesslyReplaced = Harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup."}
	NotReplaced        = Harm{"not replaced", "Contract.Replacing belongs to another physical resource.", "shown the old resource under the new properties."}
	IdNotRestored      = Harm{"another physical ID after the rollback", "a rollback leads back to the resource of before.", "changed what Ref gives to other resources, and deleted the one of before."}
	LeftBehind         = Harm{"left behind", "when the stack is deleted, nothing is left of it.", "forgotten it: it stays in the account, and on its bill."}
)

// HarmOf returns the harm of a violation.
func HarmOf(v simulate.Violation) Harm {
	if v.TooSoon {
		return NotReady
	}
	return BadAnswer
}
