package lifecycle

import "strings"

// A StackStatus is what a stack is doing or where it came to rest, as the
// StackStatus of DescribeStacks says it.
type StackStatus string

// The stack statuses of CloudFormation's API model.
const (
	// StackNone is no status of the API: the stack does not exist yet.
	StackNone StackStatus = ""

	StackReviewInProgress StackStatus = "REVIEW_IN_PROGRESS"

	StackCreateInProgress   StackStatus = "CREATE_IN_PROGRESS"
	StackCreateFailed       StackStatus = "CREATE_FAILED"
	StackCreateComplete     StackStatus = "CREATE_COMPLETE"
	StackRollbackInProgress StackStatus = "ROLLBACK_IN_PROGRESS"
	StackRollbackFailed     StackStatus = "ROLLBACK_FAILED"
	StackRollbackComplete   StackStatus = "ROLLBACK_COMPLETE"

	StackUpdateInProgress                        StackStatus = "UPDATE_IN_PROGRESS"
	StackUpdateFailed                            StackStatus = "UPDATE_FAILED"
	StackUpdateCompleteCleanupInProgress         StackStatus = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"
	StackUpdateComplete                          StackStatus = "UPDATE_COMPLETE"
	StackUpdateRollbackInProgress                StackStatus = "UPDATE_ROLLBACK_IN_PROGRESS"
	StackUpdateRollbackFailed                    StackStatus = "UPDATE_ROLLBACK_FAILED"
	StackUpdateRollbackCompleteCleanupInProgress StackStatus = "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"
	StackUpdateRollbackComplete                  StackStatus = "UPDATE_ROLLBACK_COMPLETE"

	StackDeleteInProgress StackStatus = "DELETE_IN_PROGRESS"
	StackDeleteFailed     StackStatus = "DELETE_FAILED"
	StackDeleteComplete   StackStatus = "DELETE_COMPLETE"

	StackImportInProgress         StackStatus = "IMPORT_IN_PROGRESS"
	StackImportComplete           StackStatus = "IMPORT_COMPLETE"
	StackImportRollbackInProgress StackStatus = "IMPORT_ROLLBACK_IN_PROGRESS"
	StackImportRollbackFailed     StackStatus = "IMPORT_ROLLBACK_FAILED"
	StackImportRollbackComplete   StackStatus = "IMPORT_ROLLBACK_COMPLETE"
)

var stackStatuses = []StackStatus{
	StackReviewInProgress,
	StackCreateInProgress, StackCreateFailed, StackCreateComplete,
	StackRollbackInProgress, StackRollbackFailed, StackRollbackComplete,
	StackUpdateInProgress, StackUpdateFailed, StackUpdateCompleteCleanupInProgress, StackUpdateComplete,
	StackUpdateRollbackInProgress, StackUpdateRollbackFailed, StackUpdateRollbackCompleteCleanupInProgress, StackUpdateRollbackComplete,
	StackDeleteInProgress, StackDeleteFailed, StackDeleteComplete,
	StackImportInProgress, StackImportComplete,
	StackImportRollbackInProgress, StackImportRollbackFailed, StackImportRollbackComplete,
}

// StackStatuses returns all 23 stack statuses, without StackNone.
func StackStatuses() []StackStatus { return append([]StackStatus(nil), stackStatuses...) }

// InMotion reports whether CloudFormation is working on the stack: the status
// ends in _IN_PROGRESS. REVIEW_IN_PROGRESS is in motion by its name only: the
// stack waits for somebody to execute its change set.
func (s StackStatus) InMotion() bool { return strings.HasSuffix(string(s), "_IN_PROGRESS") }

// AtRest reports whether the stack has come to rest: it keeps this status until
// somebody starts another operation.
func (s StackStatus) AtRest() bool { return s != StackNone && !s.InMotion() }

// A ResourceStatus is what CloudFormation is doing with a resource, as the rows
// of DescribeStackEvents say it.
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
