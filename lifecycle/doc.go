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
//   - [StackStatus], [ResourceStatus]: what CloudFormation is doing
//   - [Transitions], [ResourceTransitions]: what can follow what, and why
//   - [StatusRequests]: which of Create, Update and Delete are sent in which status
//   - [PhaseOf]: why a request came, or that it came too late
//
// Each entry says how well it is known, since CloudFormation's documentation
// lists the statuses and leaves most of what lies between them open.
//
// # Differences to other diagrams
//
// Widely read diagrams of the stack statuses are older than some of them, or guess. In this table:
//
//   - A Delete that fails in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS is given up after
//     three tries, and the stack goes to UPDATE_COMPLETE: there is no way back.
//   - The cleanup of a rollback leads to UPDATE_ROLLBACK_COMPLETE only.
//   - A failed creation ends in ROLLBACK_COMPLETE or ROLLBACK_FAILED, from which
//     only DeleteStack leads out; with DisableRollback it ends in CREATE_FAILED.
//   - An update with DisableRollback stops in UPDATE_FAILED. RollbackStack,
//     another update with DisableRollback, and DeleteStack lead on from it.
//   - After DELETE_FAILED, DeleteStack can be called again.
//   - A custom resource has no statuses of its own for a rollback: it shows
//     UPDATE_IN_PROGRESS or DELETE_IN_PROGRESS, as on the way forward.
package lifecycle
