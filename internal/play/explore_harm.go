package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/hint"
	"github.com/cfnresource/sdk-go/internal/history"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A harm is something that a history must not do: its name, the rule that it breaks, what
// CloudFormation would have done, and what helps most handlers that do it, if anything does.
type harm struct{ name, rule, consequence, cure string }

var (
	badAnswer          = harm{"an event that is not answered as CloudFormation accepts it", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own.", ""}
	notReady           = harm{"an answer before it was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "gone on to what needs it, or taken for whole what is not.", "Return Poll's error, in each method that can be called next: docs/testing.md#a-function-that-continues"}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while it works: what it makes then is left behind, and what it changes then is wrong.", "Pass ctx to every call, and return when it ends: docs/rules-for-a-handler.md#everywhere"}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it.", ""}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails, and Lambda's next try cures what a dead process did.", "rolled back a deployment that nothing was wrong with, or been stuck in UPDATE_ROLLBACK_FAILED.", "Have Update make what is missing, and give what passes a code: docs/rules-for-a-handler.md#update"}
	deleteFails        = harm{"a Delete that fails without a cause", "what is gone is deleted, and a Delete that failed succeeds when it comes again.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries.", "Return nil, or NotFound, for what is gone: docs/rules-for-a-handler.md#delete"}
	stackStuck         = harm{"a stack that nothing leads out of its state", "what failed once because of a fault succeeds when it is tried again.", "left a stack that nobody can update or delete.", "Have Update make what is missing, and Delete succeed if nothing is there: docs/rules-for-a-handler.md#update"}
	notRefused         = harm{"properties that are not refused", "what Contract.Refused holds is refused.", "deployed it.", ""}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "gone on with a stack whose resource is gone, with all that was in it.", "Delete what PhysicalID names and nothing else, and call Created only for what the call made: docs/rules-for-a-handler.md#delete"}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource is what the properties of the settled template say, whatever was half done before.", "shown a template that the resource does not have.", "Bring the thing to the new properties, and not by what differs from the old ones: docs/rules-for-a-handler.md#update"}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup.", "Tag createOnly only what makes it another thing, and have Find answer the PhysicalID of what bears the StableID: docs/physical-ids.md"}
	notReplaced        = harm{"not replaced", "Contract.Replacing belongs to another physical resource.", "shown the old resource under the new properties.", "Tag createOnly what makes it another thing: docs/rules-for-a-handler.md#create"}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the resource of before.", "changed what Ref gives to other resources, and deleted the one of before.", "Have Find answer the PhysicalID of what bears the StableID: docs/rules-for-a-handler.md#found"}
	leftBehind         = harm{"left behind", "when the stack is deleted, nothing is left of it.", "forgotten it: it stays in the account, and on its bill.", hint.OwnName}
)

// harmOf returns the harm of a violation.
func harmOf(v simulate.Violation) harm {
	if v.TooSoon {
		return notReady
	}
	return badAnswer
}

// cureIn returns what helps in a history: what a replacement leaves was not named.
func (h harm) cureIn(ops history.History) string {
	if h == leftBehind && slices.ContainsFunc(ops, func(op history.Operation) bool { return op.What == history.Replacing }) {
		return hint.CallCreated
	}
	return h.cure
}
