// Package lifecycle describes, as data, what CloudFormation does with a stack and with a
// custom resource in it: the statuses, the steps from one to the next
// with their triggers, and the requests that a handler gets in each status.
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
//   - [StackStatus], [ResourceStatus]: what CloudFormation is doing
//   - [Transitions], [ResourceTransitions]: what can follow what, and why
//   - [StatusRequests]: which of Create, Update and Delete are sent in which status
//   - [PhaseOf]: why a request was sent, or that it came too late
//
// Each entry has a label for how well it is known, because CloudFormation's documentation
// lists the statuses, but hardly the steps between them.
//
// # Differences to other diagrams
//
// Widely read diagrams of the stack statuses lack the newer ones, or guess. In this table:
//
//   - CloudFormation gives up a Delete that fails in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS after
//     three tries, and the stack goes to UPDATE_COMPLETE: there is no way back.
//   - The cleanup of a rollback leads to UPDATE_ROLLBACK_COMPLETE only.
//   - A failed creation ends in ROLLBACK_COMPLETE or ROLLBACK_FAILED, where
//     only DeleteStack is possible; with DisableRollback it ends in CREATE_FAILED.
//   - A failed update with DisableRollback stops in UPDATE_FAILED, where RollbackStack,
//     another update with DisableRollback, and DeleteStack are possible.
//   - After DELETE_FAILED, you can call DeleteStack again.
//   - A custom resource has no statuses of its own for a rollback: it shows
//     UPDATE_IN_PROGRESS or DELETE_IN_PROGRESS, as on the way forward.
package lifecycle
