package lifecycle

import (
	"slices"
	"strings"
)

// A StackStatus is what a stack is doing or where it came to rest: the
// StackStatus of DescribeStacks.
type StackStatus string

// The stack statuses of CloudFormation's API model.
const (
	// StackNone is no status of the API: the stack does not exist yet.
	StackNone StackStatus = ""

	StackReviewInProgress StackStatus = "REVIEW_IN_PROGRESS"

	StackCreateInProgress   StackStatus = "CREATE_IN_PROGRESS"
	StackCreateFailed       StackStatus = "CREATE_FAILED"
	StackCreateComplete     StackStatus = "CREATE_COMPLETE"
	StackRollbackInProgress StackStatus = "ROLLBACK_IN_PROGRESS"
	StackRollbackFailed     StackStatus = "ROLLBACK_FAILED"
	StackRollbackComplete   StackStatus = "ROLLBACK_COMPLETE"

	StackUpdateInProgress                        StackStatus = "UPDATE_IN_PROGRESS"
	StackUpdateFailed                            StackStatus = "UPDATE_FAILED"
	StackUpdateCompleteCleanupInProgress         StackStatus = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"
	StackUpdateComplete                          StackStatus = "UPDATE_COMPLETE"
	StackUpdateRollbackInProgress                StackStatus = "UPDATE_ROLLBACK_IN_PROGRESS"
	StackUpdateRollbackFailed                    StackStatus = "UPDATE_ROLLBACK_FAILED"
	StackUpdateRollbackCompleteCleanupInProgress StackStatus = "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"
	StackUpdateRollbackComplete                  StackStatus = "UPDATE_ROLLBACK_COMPLETE"

	StackDeleteInProgress StackStatus = "DELETE_IN_PROGRESS"
	StackDeleteFailed     StackStatus = "DELETE_FAILED"
	StackDeleteComplete   StackStatus = "DELETE_COMPLETE"

	StackImportInProgress         StackStatus = "IMPORT_IN_PROGRESS"
	StackImportComplete           StackStatus = "IMPORT_COMPLETE"
	StackImportRollbackInProgress StackStatus = "IMPORT_ROLLBACK_IN_PROGRESS"
	StackImportRollbackFailed     StackStatus = "IMPORT_ROLLBACK_FAILED"
	StackImportRollbackComplete   StackStatus = "IMPORT_ROLLBACK_COMPLETE"
)

// StackStatuses returns all 23 stack statuses, without StackNone.
func StackStatuses() []StackStatus {
	all := make([]StackStatus, len(phases))
	for i, row := range phases {
		all[i] = row.status
	}
	return all
}

// InMotion reports whether CloudFormation is working on the stack: the status
// ends in _IN_PROGRESS. REVIEW_IN_PROGRESS is in motion by its name only: the
// stack waits for somebody to execute its change set.
func (s StackStatus) InMotion() bool { return strings.HasSuffix(string(s), "_IN_PROGRESS") }

// AtRest reports whether the stack has come to rest: it keeps this status until
// somebody starts another operation.
func (s StackStatus) AtRest() bool { return s != StackNone && !s.InMotion() }

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

// Phase is the reason of a custom resource's request: what the stack was doing
// when CloudFormation sent it. The event does not have it: a rollback's
// Update or Delete has the same fields as any other.
type Phase string

const (
	// PhaseUnknown is the zero value: nobody asked for the stack's status, or that failed.
	PhaseUnknown Phase = ""
	// PhaseCreating is a Create while the stack is created.
	PhaseCreating Phase = "Creating"
	// PhaseUpdating is a Create or Update while the stack goes forward. It is also the Delete of
	// what an earlier operation with DisableRollback failed to create, before it is created again.
	PhaseUpdating Phase = "Updating"
	// PhaseReplacementCleanup is the Delete of what an update replaced.
	PhaseReplacementCleanup Phase = "ReplacementCleanup"
	// PhaseRemoval is the Delete of what an update removed from the template.
	PhaseRemoval Phase = "Removal"
	// PhaseCreateRollback is a Delete because the stack's creation failed.
	PhaseCreateRollback Phase = "CreateRollback"
	// PhaseUpdateRollback is an Update that leads back because an update failed.
	PhaseUpdateRollback Phase = "UpdateRollback"
	// PhaseUpdateRollbackCleanup is the Delete of what a failed update made.
	PhaseUpdateRollbackCleanup Phase = "UpdateRollbackCleanup"
	// PhaseDeleting is a Delete because the stack is deleted.
	PhaseDeleting Phase = "Deleting"

	// PhaseNotAwaited is a request of a type that does not run in the stack's
	// status: it came late, and CloudFormation no longer waits for its answer.
	PhaseNotAwaited Phase = "NotAwaited"
	// PhaseGivenUp is a Create or Update that CloudFormation no longer waits
	// for because the stack rolls back, is being deleted, or has
	// come to rest after that. What such a request makes stays behind.
	PhaseGivenUp Phase = "GivenUp"
)

// Awaited reports whether CloudFormation may still wait for the request's
// answer: the phase is neither PhaseNotAwaited nor PhaseGivenUp.
func (p Phase) Awaited() bool { return p != PhaseNotAwaited && p != PhaseGivenUp }

// PhaseOf returns why a request was sent, if the stack's status is s while a handler works on it. It
// is PhaseUnknown for a status or a request that CloudFormation did not have when this was written.
//
// The status is the present one. A request from before the stack's last step, such as an Update
// that a rollback overtook, looks like one of the new status.
//
// inTemplate reports whether the template still has the resource's logical ID.
// It matters only for a Delete in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: with true an update
// replaced the resource, otherwise it removed it.
func PhaseOf(s StackStatus, r RequestType, inTemplate bool) Phase {
	for _, row := range phases {
		if row.status != s {
			continue
		}
		switch r {
		case Create:
			return row.create
		case Update:
			return row.update
		case Delete:
			if row.delete == PhaseRemoval && inTemplate {
				return PhaseReplacementCleanup
			}
			return row.delete
		}
	}
	return PhaseUnknown
}

// The titles of the documents that the rows are from. They are chapters of the
// CloudFormation User Guide where no other document is named.
const (
	docStatusCodes = "Stack status codes"
	docMonitor     = "Monitor stack updates"
	docFailure     = "Stack failure options"
	docContinue    = "Continue rolling back an update"
	docImport      = "Resource type support"
	docChangeSet   = "API Reference, CreateChangeSet"
	docRollback    = "API Reference, RollbackStack"
	docDelete      = "API Reference, DeleteStack"
)

// A phaseRow says of one status of a stack what each request means in it. There is one for each status.
// PhaseNotAwaited and PhaseGivenUp stand where it is not sent (see statusRequests).
type phaseRow struct {
	status                 StackStatus
	create, update, delete Phase
	source                 string
}

var phases = []phaseRow{
	{StackReviewInProgress, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docChangeSet},

	{StackCreateInProgress, PhaseCreating, PhaseNotAwaited, PhaseNotAwaited, docStatusCodes},
	{StackCreateFailed, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docFailure},
	{StackCreateComplete, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docStatusCodes},
	{StackRollbackInProgress, PhaseGivenUp, PhaseGivenUp, PhaseCreateRollback, docStatusCodes},
	{StackRollbackFailed, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docStatusCodes},
	{StackRollbackComplete, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docStatusCodes},

	{StackUpdateInProgress, PhaseUpdating, PhaseUpdating, PhaseUpdating, docMonitor + "; " + docFailure + " for a Delete, which is inferred"},
	{StackUpdateFailed, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docFailure},
	{StackUpdateCompleteCleanupInProgress, PhaseNotAwaited, PhaseNotAwaited, PhaseRemoval, docMonitor},
	{StackUpdateComplete, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docMonitor},
	{StackUpdateRollbackInProgress, PhaseGivenUp, PhaseUpdateRollback, PhaseNotAwaited, docMonitor},
	{StackUpdateRollbackFailed, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docContinue},
	{StackUpdateRollbackCompleteCleanupInProgress, PhaseGivenUp, PhaseGivenUp, PhaseUpdateRollbackCleanup, docMonitor},
	{StackUpdateRollbackComplete, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docMonitor + "; " + docRollback},

	{StackDeleteInProgress, PhaseGivenUp, PhaseGivenUp, PhaseDeleting, docDelete},
	{StackDeleteFailed, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docDelete},
	{StackDeleteComplete, PhaseGivenUp, PhaseGivenUp, PhaseNotAwaited, docDelete},

	{StackImportInProgress, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docImport},
	{StackImportComplete, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docImport},
	{StackImportRollbackInProgress, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docImport},
	{StackImportRollbackFailed, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docImport},
	{StackImportRollbackComplete, PhaseNotAwaited, PhaseNotAwaited, PhaseNotAwaited, docImport},
}
