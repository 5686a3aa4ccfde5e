package lifecycle

// Phase says why a custom resource's request came: what the stack was doing
// when CloudFormation sent it. An event does not say so itself: a rollback's
// Update or Delete has the same fields as any other.
type Phase string

const (
	// PhaseUnknown is the zero value: nobody asked, or nobody could tell.
	PhaseUnknown Phase = ""
	// PhaseCreating is a Create while the stack is created.
	PhaseCreating Phase = "Creating"
	// PhaseUpdating is a Create or Update while the stack goes forward.
	PhaseUpdating Phase = "Updating"
	// PhaseReplacementCleanup is the Delete of what an update replaced.
	PhaseReplacementCleanup Phase = "ReplacementCleanup"
	// PhaseRemoval is the Delete of what an update took out of the template.
	PhaseRemoval Phase = "Removal"
	// PhaseCreateRollback is a Delete because the stack's creation failed.
	PhaseCreateRollback Phase = "CreateRollback"
	// PhaseUpdateRollback is an Update that leads back because an update failed.
	PhaseUpdateRollback Phase = "UpdateRollback"
	// PhaseUpdateRollbackCleanup is the Delete of what a failed update made.
	PhaseUpdateRollbackCleanup Phase = "UpdateRollbackCleanup"
	// PhaseDeleting is a Delete because the stack is deleted.
	PhaseDeleting Phase = "Deleting"
)
