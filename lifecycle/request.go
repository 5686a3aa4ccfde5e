package lifecycle

import "slices"

// A RequestType is what CloudFormation asks of a custom resource's handler: the
// RequestType of its event.
type RequestType string

const (
	Create RequestType = "Create"
	Update RequestType = "Update"
	Delete RequestType = "Delete"
)

// A StatusRequest says that requests of a kind are sent while a stack has a status.
type StatusRequest struct {
	Status      StackStatus
	RequestType RequestType
	Why         string
	Confidence  Confidence
}

var statusRequests = []StatusRequest{
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

// StatusRequests returns which requests are sent in which status of the stack. In every
// other status handlers are left alone. A request that was sent may still run
// when the stack has gone on: nothing stops a handler.
func StatusRequests() []StatusRequest { return slices.Clone(statusRequests) }

// Sends reports whether CloudFormation sends requests of a kind while a stack has this status.
func (s StackStatus) Sends(r RequestType) bool {
	return slices.ContainsFunc(statusRequests, func(run StatusRequest) bool { return run.Status == s && run.RequestType == r })
}
