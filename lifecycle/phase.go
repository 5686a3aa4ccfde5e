package lifecycle

// Phase is the reason of a custom resource's request: what the stack was doing
// when CloudFormation sent it. The event does not have it: a rollback's
// Update or Delete has the same fields as any other.
type Phase string

const (
	// PhaseUnknown is the zero value: nobody asked the stack, or it could not be asked.
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
// The status is that of the moment. A request from before the stack's last step, such as an Update
// that a rollback overtook, looks like those of the new status.
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

// A phaseRow says of one status of a stack what each request means in it.
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
