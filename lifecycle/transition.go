package lifecycle

import "slices"

// A Confidence is how well a fact about CloudFormation is known.
type Confidence string

const (
	Documented Confidence = "documented" // AWS says so
	Recorded   Confidence = "recorded"   // in events recorded from real AWS
	Observed   Confidence = "observed"   // reported by users of AWS
	Inferred   Confidence = "inferred"   // follows from other facts; no report of it is known
)

// A Transition is one step of a stack from one status to another.
type Transition struct {
	From, To   StackStatus
	Trigger    string // the API call, or what happened
	Confidence Confidence
}

// updatable is where a stack rests that UpdateStack accepts without conditions: the
// last known stable states of CloudFormation's documentation. It accepts CREATE_FAILED
// and UPDATE_FAILED too, with DisableRollback.
var updatable = []StackStatus{
	StackCreateComplete, StackUpdateComplete, StackUpdateRollbackComplete, StackImportComplete, StackImportRollbackComplete,
}

// transitions are those that are listed one by one.
var transitions = []Transition{
	{StackNone, StackCreateInProgress, "CreateStack", Documented},
	{StackNone, StackReviewInProgress, "CreateChangeSet of a new stack", Documented},
	{StackReviewInProgress, StackCreateInProgress, "ExecuteChangeSet", Documented},
	{StackReviewInProgress, StackImportInProgress, "ExecuteChangeSet, import", Documented},
	{StackReviewInProgress, StackDeleteInProgress, "DeleteStack", Documented},

	{StackCreateInProgress, StackCreateComplete, "everything is created, the outputs are known", Documented},
	{StackCreateInProgress, StackRollbackInProgress, "a failure, an output without value", Documented},
	{StackCreateInProgress, StackCreateFailed, "a failure, with DisableRollback", Documented},
	{StackCreateInProgress, StackDeleteInProgress, "a failure, with OnFailure DELETE; DeleteStack", Documented},
	{StackRollbackInProgress, StackRollbackComplete, "everything is deleted or skipped", Documented},
	{StackRollbackInProgress, StackRollbackFailed, "a delete failed", Recorded},
	{StackRollbackInProgress, StackDeleteComplete, "everything is deleted, after RollbackStack of what was never stable", Inferred},
	{StackRollbackComplete, StackDeleteInProgress, "DeleteStack", Documented},
	{StackRollbackFailed, StackDeleteInProgress, "DeleteStack", Documented},
	{StackCreateFailed, StackUpdateInProgress, "UpdateStack with DisableRollback", Documented},
	{StackCreateFailed, StackRollbackInProgress, "RollbackStack", Documented},
	{StackCreateFailed, StackDeleteInProgress, "DeleteStack", Documented},

	{StackUpdateInProgress, StackUpdateCompleteCleanupInProgress, "everything is created and updated", Recorded},
	{StackUpdateInProgress, StackUpdateRollbackInProgress, "a failure; CancelUpdateStack", Documented},
	{StackUpdateInProgress, StackUpdateFailed, "a failure, with DisableRollback", Documented},
	{StackUpdateCompleteCleanupInProgress, StackUpdateComplete, "always: a delete that failed three times is given up", Documented},
	{StackUpdateFailed, StackUpdateInProgress, "UpdateStack with DisableRollback", Documented},
	{StackUpdateFailed, StackUpdateRollbackInProgress, "RollbackStack", Documented},
	{StackUpdateFailed, StackDeleteInProgress, "DeleteStack; RollbackStack of what was never stable", Documented},
	{StackUpdateRollbackInProgress, StackUpdateRollbackCompleteCleanupInProgress, "everything is rolled back", Documented},
	{StackUpdateRollbackInProgress, StackUpdateRollbackFailed, "an update of the rollback failed", Recorded},
	{StackUpdateRollbackCompleteCleanupInProgress, StackUpdateRollbackComplete, "always: a delete that failed three times is given up", Documented},
	{StackUpdateRollbackFailed, StackUpdateRollbackInProgress, "ContinueUpdateRollback", Documented},
	{StackUpdateRollbackFailed, StackDeleteInProgress, "DeleteStack", Documented},

	{StackDeleteInProgress, StackDeleteComplete, "everything is deleted or skipped", Documented},
	{StackDeleteInProgress, StackDeleteFailed, "a delete failed", Recorded},
	{StackDeleteFailed, StackDeleteInProgress, "DeleteStack", Documented},

	{StackImportInProgress, StackImportComplete, "everything is imported", Documented},
	{StackImportInProgress, StackImportRollbackInProgress, "a failure", Documented},
	{StackImportRollbackInProgress, StackImportRollbackComplete, "everything is let go", Documented},
	{StackImportRollbackInProgress, StackImportRollbackFailed, "something could not be let go", Documented},
	{StackImportRollbackFailed, StackDeleteInProgress, "DeleteStack", Inferred},
}

func fromEach(from []StackStatus, to StackStatus, trigger string) (all []Transition) {
	for _, s := range from {
		all = append(all, Transition{s, to, trigger, Documented})
	}
	return all
}

// Transitions returns every step that a stack can take.
func Transitions() []Transition {
	return slices.Concat(transitions,
		fromEach(updatable, StackUpdateInProgress, "UpdateStack, ExecuteChangeSet"),
		fromEach(updatable, StackImportInProgress, "ExecuteChangeSet, import"),
		fromEach(updatable, StackDeleteInProgress, "DeleteStack"),
	)
}

// CanBecome reports whether a stack can go from s to next in one step.
func (s StackStatus) CanBecome(next StackStatus) bool {
	return slices.ContainsFunc(Transitions(), func(t Transition) bool { return t.From == s && t.To == next })
}
