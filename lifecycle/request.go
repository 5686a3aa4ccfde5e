package lifecycle

import "slices"

// A Request is what CloudFormation asks of a custom resource's handler: the
// RequestType of its event.
type Request string

const (
	Create Request = "Create"
	Update Request = "Update"
	Delete Request = "Delete"
)

// A Run says that requests of a kind are sent while a stack has a status.
type Run struct {
	Status     StackStatus
	Request    Request
	Why        string
	Confidence Confidence
}

var runs = []Run{
	{StackCreateInProgress, Create, "the stack is created", Documented},
	{StackRollbackInProgress, Delete, "its creation failed", Documented},
	{StackUpdateInProgress, Create, "the update added the resource, or creates again what failed to be created", Documented},
	{StackUpdateInProgress, Update, "a property of the resource changed", Documented},
	{StackUpdateInProgress, Delete, "its creation failed in an operation with DisableRollback: it is deleted, then created again", Inferred},
	{StackUpdateCompleteCleanupInProgress, Delete, "the update replaced or removed the resource", Documented},
	{StackUpdateRollbackInProgress, Update, "the resource is led back: the properties of before, with those of the failed update as the old ones", Documented},
	{StackUpdateRollbackCompleteCleanupInProgress, Delete, "the failed update made the resource", Recorded},
	{StackDeleteInProgress, Delete, "the stack is deleted", Documented},
}

// Runs returns which requests are sent in which status of the stack. In every
// other status handlers are left alone. A request that was sent may still run
// when the stack has gone on: nothing stops a handler.
func Runs() []Run { return slices.Clone(runs) }

// Sends reports whether CloudFormation sends requests of a kind while a stack
// has this status.
func (s StackStatus) Sends(r Request) bool {
	return slices.ContainsFunc(runs, func(run Run) bool { return run.Status == s && run.Request == r })
}
