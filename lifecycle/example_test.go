package lifecycle_test

import (
	"fmt"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// One status and one type of request say why the request came.
func ExamplePhaseOf() {
	fmt.Println(lifecycle.PhaseOf(lifecycle.StackUpdateRollbackInProgress, lifecycle.Update, true))
	fmt.Println(lifecycle.PhaseOf(lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.Delete, true))  // replaced
	fmt.Println(lifecycle.PhaseOf(lifecycle.StackUpdateCompleteCleanupInProgress, lifecycle.Delete, false)) // removed
	late := lifecycle.PhaseOf(lifecycle.StackRollbackComplete, lifecycle.Create, true)
	fmt.Println(late, late.Awaited())
	// Output:
	// UpdateRollback
	// ReplacementCleanup
	// Removal
	// GivenUp false
}

// Updates come in two statuses.
func ExampleStatusRequests() {
	for _, run := range lifecycle.StatusRequests() {
		if run.RequestType == lifecycle.Update {
			fmt.Println(run.Status, run.Confidence)
		}
	}
	// Output:
	// UPDATE_IN_PROGRESS documented
	// UPDATE_ROLLBACK_IN_PROGRESS documented
}

// What leads out of a stack whose creation was rolled back.
func ExampleTransitions() {
	for _, step := range lifecycle.Transitions() {
		if step.From == lifecycle.StackRollbackComplete {
			fmt.Println(step.To, "by", step.Trigger)
		}
	}
	// Output: DELETE_IN_PROGRESS by DeleteStack
}

// What can follow on a Delete that failed.
func ExampleResourceTransitions() {
	for _, step := range lifecycle.ResourceTransitions() {
		if step.From == lifecycle.ResourceDeleteFailed {
			fmt.Println(step.To)
		}
	}
	// Output:
	// DELETE_IN_PROGRESS
	// DELETE_SKIPPED
}

// The statuses in which an update that succeeded sends a Delete, and why.
func ExampleStackStatuses() {
	for _, status := range lifecycle.StackStatuses() {
		if status.Sends(lifecycle.Delete) && status.CanBecome(lifecycle.StackUpdateComplete) {
			fmt.Println(status, lifecycle.PhaseOf(status, lifecycle.Delete, true))
		}
	}
	// Output: UPDATE_COMPLETE_CLEANUP_IN_PROGRESS ReplacementCleanup
}
