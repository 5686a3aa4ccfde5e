// Package lifecycle names what CloudFormation does with a stack and with a
// custom resource in it, as data: the statuses, the steps from one to the next
// with what triggers them, and which requests a handler gets in which status.
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/cfnresource/sdk-go/lifecycle"
//	)
//
//	// It prints why a Delete comes, in each status of a stack in which it is sent.
//	func main() {
//		for _, status := range lifecycle.StackStatuses() {
//			if status.Sends(lifecycle.Delete) {
//				fmt.Println(status, lifecycle.PhaseOf(status, lifecycle.Delete, true))
//			}
//		}
//	}
//
// There are
//
//   - [StackStatus], [ResourceStatus]: in motion or at rest
//   - [Transitions], [ResourceTransitions]: what can follow what, and why
//   - [Runs]: which of Create, Update and Delete are sent in which status
//   - [PhaseOf]: why a request came, or that it came too late
//
// Each entry says how well it is known, since CloudFormation's documentation
// lists the statuses and leaves most of what lies between them open.
//
// # Where other pictures differ
//
// Widely read diagrams of the stack statuses are older than some of them, or
// guess. Against those, this table says:
//
//   - UPDATE_COMPLETE_CLEANUP_IN_PROGRESS leads to UPDATE_COMPLETE and nowhere
//     else. By then the update has succeeded: a Delete that fails in cleanup is
//     given up after three tries, and there is no rollback from there.
//   - The cleanup of a rollback likewise leads to UPDATE_ROLLBACK_COMPLETE only,
//     never to UPDATE_ROLLBACK_FAILED.
//   - A failed creation ends in ROLLBACK_COMPLETE, or in ROLLBACK_FAILED, also
//     when nothing was created. CREATE_FAILED is where it ends with
//     DisableRollback (OnFailure DO_NOTHING), and is not reached from
//     ROLLBACK_IN_PROGRESS.
//   - From ROLLBACK_COMPLETE and ROLLBACK_FAILED only DeleteStack leads out.
//   - UPDATE_FAILED exists: it is where an update with DisableRollback stops.
//     RollbackStack, another update with DisableRollback, and DeleteStack lead
//     on from it.
//   - DELETE_FAILED is no dead end: DeleteStack can be called again.
//   - A failed Delete is given up only in the two cleanup statuses. In
//     ROLLBACK_IN_PROGRESS and DELETE_IN_PROGRESS it ends the operation.
//   - A custom resource has no statuses of its own for a rollback: it shows
//     UPDATE_IN_PROGRESS and UPDATE_COMPLETE, or DELETE_IN_PROGRESS and
//     DELETE_COMPLETE, as it does on the way forward.
package lifecycle
