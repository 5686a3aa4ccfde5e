package lifecycle

import "slices"

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
