package lifecycle

import (
	"slices"
	"strings"
)

// A ResourceStatus is what CloudFormation is doing with a resource, as the rows
// of DescribeStackEvents show it.
type ResourceStatus string

// The statuses that a custom resource shows. CloudFormation's API model has others: a custom
// resource cannot be imported or refactored, and those named ROLLBACK belong to nested stacks.
const (
	// ResourceNone is no status of the API: the resource does not exist yet.
	ResourceNone ResourceStatus = ""

	ResourceCreateInProgress ResourceStatus = "CREATE_IN_PROGRESS"
	ResourceCreateFailed     ResourceStatus = "CREATE_FAILED"
	ResourceCreateComplete   ResourceStatus = "CREATE_COMPLETE"

	ResourceUpdateInProgress ResourceStatus = "UPDATE_IN_PROGRESS"
	ResourceUpdateFailed     ResourceStatus = "UPDATE_FAILED"
	ResourceUpdateComplete   ResourceStatus = "UPDATE_COMPLETE"

	ResourceDeleteInProgress ResourceStatus = "DELETE_IN_PROGRESS"
	ResourceDeleteFailed     ResourceStatus = "DELETE_FAILED"
	ResourceDeleteComplete   ResourceStatus = "DELETE_COMPLETE"
	ResourceDeleteSkipped    ResourceStatus = "DELETE_SKIPPED"
)

// InMotion reports whether CloudFormation is working on the resource: the
// status ends in _IN_PROGRESS.
func (s ResourceStatus) InMotion() bool { return strings.HasSuffix(string(s), "_IN_PROGRESS") }

// A ResourceTransition is one step of a custom resource, as its rows in DescribeStackEvents show
// it. It concerns one physical resource: where one was replaced, the rows of the old resource's
// Delete follow those of the new one, under the same logical ID.
type ResourceTransition struct {
	From, To   ResourceStatus
	Trigger    string
	Confidence Confidence
}

// resourceTransitions are those that are listed one by one.
var resourceTransitions = []ResourceTransition{
	{ResourceNone, ResourceCreateInProgress, "Create is sent", Recorded},
	{ResourceNone, ResourceCreateFailed, "its properties cannot be resolved: nothing is sent", Observed},
	{ResourceCreateInProgress, ResourceCreateInProgress, "the answer was read: Resource creation Initiated", Recorded},
	{ResourceCreateInProgress, ResourceCreateComplete, "SUCCESS", Recorded},
	{ResourceCreateInProgress, ResourceCreateFailed, "FAILED, no usable answer, or cancelled", Recorded},
	{ResourceCreateFailed, ResourceDeleteInProgress, "rollback, or the next operation: Delete is sent", Recorded},
	{ResourceCreateFailed, ResourceDeleteSkipped, "DeletionPolicy or RetainResources", Documented},
	{ResourceCreateFailed, ResourceDeleteComplete, "nothing was ever sent, so there is nothing to delete", Inferred},

	{ResourceUpdateInProgress, ResourceUpdateInProgress, "the answer has another physical ID: a replacement", Observed},
	{ResourceUpdateInProgress, ResourceUpdateComplete, "SUCCESS", Recorded},
	{ResourceUpdateInProgress, ResourceUpdateFailed, "FAILED, no usable answer, or cancelled", Recorded},
	{ResourceUpdateInProgress, ResourceDeleteInProgress, "the answer had another physical ID: the cleanup deletes the former one", Observed},
	{ResourceUpdateInProgress, ResourceDeleteSkipped, "the answer had another physical ID, and UpdateReplacePolicy keeps the former one", Observed},
	{ResourceUpdateFailed, ResourceUpdateInProgress, "rollback, or the next operation: Update is sent", Documented},
	{ResourceUpdateFailed, ResourceUpdateComplete, "led back without a request, or skipped by ContinueUpdateRollback", Documented},
	{ResourceUpdateFailed, ResourceUpdateFailed, "its properties cannot be resolved again", Inferred},

	{ResourceDeleteInProgress, ResourceDeleteComplete, "SUCCESS", Recorded},
	{ResourceDeleteInProgress, ResourceDeleteFailed, "FAILED or no usable answer", Recorded},
	{ResourceDeleteFailed, ResourceDeleteInProgress, "another try of a cleanup, or DeleteStack again", Recorded},
	{ResourceDeleteFailed, ResourceDeleteSkipped, "RetainResources or FORCE_DELETE_STACK", Recorded},
	{ResourceDeleteComplete, ResourceCreateInProgress, "created again after a failed creation with DisableRollback", Inferred},
	{ResourceDeleteComplete, ResourceCreateFailed, "created again, but its properties cannot be resolved", Inferred},
	{ResourceDeleteSkipped, ResourceCreateInProgress, "created again while a policy keeps what failed to be created", Inferred},
	{ResourceDeleteSkipped, ResourceCreateFailed, "created again, but its properties cannot be resolved", Inferred},

	{ResourceUpdateFailed, ResourceDeleteInProgress, "DeleteStack", Documented},
	{ResourceUpdateFailed, ResourceDeleteSkipped, "DeleteStack, and a policy keeps it", Inferred},
}

func resourceFromEach(to ResourceStatus, trigger string, c Confidence) (all []ResourceTransition) {
	for _, from := range []ResourceStatus{ResourceCreateComplete, ResourceUpdateComplete} {
		all = append(all, ResourceTransition{from, to, trigger, c})
	}
	return all
}

// ResourceTransitions returns every step that a custom resource can take.
func ResourceTransitions() []ResourceTransition {
	return slices.Concat(resourceTransitions,
		resourceFromEach(ResourceUpdateInProgress, "a property changed: Update is sent", Recorded),
		resourceFromEach(ResourceUpdateFailed, "refused without a request: ServiceToken changed, or properties cannot be resolved", Observed),
		resourceFromEach(ResourceDeleteInProgress, "Delete is sent", Recorded),
		resourceFromEach(ResourceDeleteSkipped, "a policy keeps it", Recorded),
	)
}

// CanBecome reports whether a custom resource can go from s to next in one step.
func (s ResourceStatus) CanBecome(next ResourceStatus) bool {
	return slices.ContainsFunc(ResourceTransitions(), func(t ResourceTransition) bool { return t.From == s && t.To == next })
}

// A RequestType is what CloudFormation asks of a custom resource's handler: the
// RequestType of its event.
type RequestType string

const (
	Create RequestType = "Create"
	Update RequestType = "Update"
	Delete RequestType = "Delete"
)

// A StatusRequest states that CloudFormation sends requests of a kind while a stack has a status.
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

// StatusRequests returns which requests CloudFormation sends in which status of the stack. In every
// other status it sends none. A handler may still run when the stack has moved on: nothing
// stops it.
func StatusRequests() []StatusRequest { return slices.Clone(statusRequests) }

// Sends reports whether CloudFormation sends requests of a kind while a stack has this status.
func (s StackStatus) Sends(r RequestType) bool {
	return slices.ContainsFunc(statusRequests, func(run StatusRequest) bool { return run.Status == s && run.RequestType == r })
}
