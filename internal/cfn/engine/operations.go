package engine

import (
	"strings"
	"time"
)

// StackStatuses are all that a stack can have, and those that a StackStatusFilter may name
// [D StackSummary].
var StackStatuses = []string{
	"CREATE_IN_PROGRESS", "CREATE_FAILED", "CREATE_COMPLETE", "ROLLBACK_IN_PROGRESS", "ROLLBACK_FAILED", "ROLLBACK_COMPLETE",
	"DELETE_IN_PROGRESS", "DELETE_FAILED", "DELETE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
	"UPDATE_COMPLETE", "UPDATE_FAILED", "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED",
	"UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS", "IMPORT_IN_PROGRESS",
	"IMPORT_COMPLETE", "IMPORT_ROLLBACK_IN_PROGRESS", "IMPORT_ROLLBACK_FAILED", "IMPORT_ROLLBACK_COMPLETE",
}

// Review makes the stack that a change set of a new stack makes: one without
// resources, in REVIEW_IN_PROGRESS. Create goes on from there [D].
func (m *Machine) Review(now time.Time) error {
	if m.stack.Status != "" {
		return refuse("Stack [%s] already exists and cannot be created again with the changeSet", m.stack.Name)
	}
	m.beginOperation(now, "CreateChangeSet")
	m.addFirstEvent("REVIEW_IN_PROGRESS")
	return nil
}

// Create starts CreateStack.
func (m *Machine) Create(now time.Time, d Deployment) error {
	if s := m.stack; s.Status != "" && s.Status != "REVIEW_IN_PROGRESS" {
		return AlreadyExists(s.Name)
	}
	if err := m.validate(d); err != nil {
		return err
	}
	m.beginDeployment(now, "CreateStack", d)
	m.addFirstEvent("CREATE_IN_PROGRESS")
	m.goForward()
	return nil
}

// Update starts UpdateStack.
func (m *Machine) Update(now time.Time, d Deployment) error {
	s := m.stack
	switch s.Status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE":
	case "CREATE_FAILED", "UPDATE_FAILED":
		rollsBackInExpress := !d.Express || d.ExpressRollback
		if rollsBackInExpress && !d.DisableRollback { // [O]
			return refuse("This stack is currently in a non-terminal [%s] state. To update the stack from this state, please use the disable-rollback parameter with update-stack API. To rollback to the last known good state, use the rollback-stack API", s.Status)
		}
	case "":
		return refuse("Stack [%s] does not exist", s.Name)
	default: // [O]
		if !s.waitsForRootCleanup() { // else it is nested in one with DisableRollback, whose update failed elsewhere [?]
			return refuse("Stack:%s is in %s state and can not be updated.", s.ID, s.Status)
		}
	}
	// What the update must leave alone.
	if err := m.validate(d); err != nil {
		return err
	}
	var changed []string
	for _, t := range d.Template.Resources {
		if r := m.byID[t.LogicalID]; r != nil && r.Type != t.Type {
			changed = append(changed, t.LogicalID)
		}
	}
	if len(changed) > 0 { // [O]
		return &ValidationError{Kind: ErrTypeChanged,
			Message: "Update of resource type is not permitted. The new template modifies resource type of the following resources: [" + strings.Join(changed, ", ") + "]"}
	}
	for _, t := range d.Template.Resources {
		r := m.byID[t.LogicalID]
		isMade := r != nil && r.PhysicalID != "" && r.Type == StackType
		if isMade && (t.Nested != nil) != (m.child(r) != nil) {
			return refuse("%s is a nested stack here or a stand-in for one, and the update makes it the other: delete the stack first, or deploy it as before", t.LogicalID)
		}
	}
	// There is something to do.
	m.top.now = now
	if !m.hasChanges(d.Template) {
		return &ValidationError{Message: "No updates are to be performed.", Kind: ErrNoUpdate} // [D]
	}
	m.stack.Updated = now
	m.beginDeployment(now, "UpdateStack", d)
	m.addFirstEvent("UPDATE_IN_PROGRESS")
	m.goForward()
	return nil
}

// Delete starts DeleteStack. retain are its RetainResources and force its
// DeletionMode FORCE_DELETE_STACK, both for stacks in DELETE_FAILED only [D].
func (m *Machine) Delete(now time.Time, retain []string, force bool) error {
	s := m.stack
	switch s.Status {
	case "", "DELETE_COMPLETE", "DELETE_IN_PROGRESS":
		return nil // [O] accepted, and nothing happens
	case "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS", "ROLLBACK_IN_PROGRESS",
		"UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS": // [I]
		return refuse("Stack [%s] cannot be deleted while in status %s", s.Name, s.Status)
	}
	if s.TerminationProtection { // [D] that it is refused
		return refuse("Stack [%s] cannot be deleted while TerminationProtection is enabled", s.Name)
	}
	if (len(retain) > 0 || force) && s.Status != "DELETE_FAILED" { // [D] the rule, [?] the text
		return &ValidationError{Kind: ErrNotDeleteFailed,
			Message: "Invalid operation on stack [" + s.ID + "]. Resources can only be retained, and a deletion forced, for stacks in the DELETE_FAILED state"}
	}
	for _, id := range retain {
		if m.byID[id] == nil {
			return refuse("The specified resources to retain must be in a valid state: there is no resource %s", id)
		}
	}
	m.top.now = now
	if why := m.exportsInUse(); why != "" {
		former := s.Status
		m.addFirstEvent("DELETE_IN_PROGRESS")
		m.addStackEvent(former, "Delete canceled. "+why) // [O] aws/aws-cdk#604, serverless/serverless#2984
		m.markAllChanged()
		return nil
	}
	m.deleteStack(Operation{Retain: retain, Force: force})
	return nil
}

// exportsInUse says that other stacks import what this stack exports, or one nested in it, or returns "".
func (m *Machine) exportsInUse() string {
	if m.KeepExports == nil {
		return ""
	}
	for _, s := range m.stack.All() {
		if err := m.KeepExports(s, nil); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Protect is UpdateTerminationProtection.
func (m *Machine) Protect(on bool) error {
	switch s := m.stack; s.Status { // [D] that all others take it, [?] the texts
	case "", "DELETE_COMPLETE":
		return refuse("Stack [%s] does not exist", s.Name)
	case "DELETE_IN_PROGRESS":
		return refuse("Termination protection of stack [%s] cannot be changed while in status %s", s.Name, s.Status)
	}
	m.stack.TerminationProtection = on
	m.markAllChanged()
	return nil
}

// deleteStack starts the deletion of a stack, as o says.
func (m *Machine) deleteStack(o Operation) {
	s := m.stack
	underWay := m.walk() != nil
	if underWay {
		m.cancelTasks() // [I] it ends as with a failure
	}
	m.beginOperation(m.top.now, "DeleteStack")
	m.reserve(len(s.Resources))
	o.ID, o.Kind = s.Operation.ID, s.Operation.Kind
	s.Operation = &o
	m.addFirstEvent("DELETE_IN_PROGRESS")
	m.deleteAll()
	if underWay {
		m.delayWalk()
	}
	m.advance()
}

// Cancel is CancelUpdateStack: the update in progress is rolled back, and what is under way is no
// longer waited for. Of a stack that was never stable nothing is left but the stack [?].
func (m *Machine) Cancel(now time.Time) error {
	if m.stack.Status != "UPDATE_IN_PROGRESS" { // [D] the rule, [O] the text
		return refuse("CancelUpdateStack cannot be called from current stack status")
	}
	m.top.now = now
	m.cancelTasks()
	m.stack.Operation.Cancelled = true
	m.rollBack(userInitiated) // [O]
	m.advance()
	return nil
}

// Rollback is RollbackStack: it leads a stack that failed with DisableRollback
// back to its last stable state, or deletes it if there is none [D].
func (m *Machine) Rollback(now time.Time, retainExceptOnCreate bool) error {
	s := m.stack
	if s.Status != "CREATE_FAILED" && s.Status != "UPDATE_FAILED" { // [D] the rule, [?] the text
		return refuse("Stack:%s is in %s state and can not be rolled back", s.ID, s.Status)
	}
	if s.Operation.Express { // [D] the rule, [?] the text
		return refuse("RollbackStack is not supported for a stack in the deployment mode EXPRESS: deploy a template that works")
	}
	m.beginOperation(now, "RollbackStack")
	s.Operation.RollingBack, s.Operation.RetainExceptOnCreate = true, retainExceptOnCreate
	switch {
	case s.Status == "CREATE_FAILED":
		s.Operation.Removing = true
		m.addStackEvent("ROLLBACK_IN_PROGRESS", userInitiated)
		m.deleteAll()
	case s.Stable == 0: // [I]
		m.addFirstEvent("DELETE_IN_PROGRESS")
		m.deleteAll()
	default:
		m.startRollbackWalk(userInitiated)
	}
	m.advance()
	return nil
}

// Continue is ContinueUpdateRollback. skip are its ResourcesToSkip: they count
// as rolled back without a request.
func (m *Machine) Continue(now time.Time, skip []string) error {
	s := m.stack
	if s.Status != "UPDATE_ROLLBACK_FAILED" { // [D] the rule, [?] the text
		return refuse("Stack:%s is in %s state and can not continue rollback.", s.ID, s.Status)
	}
	for _, id := range skip {
		if !m.skippable(id) { // [O]
			return refuse("Only the resources failed during UpdateRollback are allowed to be skipped")
		}
	}
	former := s.Operation
	m.beginOperation(now, "ContinueUpdateRollback")
	s.Operation.RollingBack, s.Operation.Skip = true, skip
	s.Operation.Cancelled, s.Operation.RetainExceptOnCreate = former.Cancelled, former.RetainExceptOnCreate // [I] it is the same rollback
	m.addStackEvent("UPDATE_ROLLBACK_IN_PROGRESS", userInitiated)
	m.startWalkToStable()
	m.advance()
	return nil
}

// skippable reports whether a resource failed in the rollback. Of a nested stack
// that is said of what is within it, as NESTED.RESOURCE [D].
func (m *Machine) skippable(id string) bool {
	nested, _, dotted := strings.Cut(id, ".")
	for _, r := range m.stack.Resources {
		if !r.LostBack || r.Status != "UPDATE_FAILED" {
			continue
		}
		c := m.child(r)
		isItself := r.LogicalID == id && !dotted
		if isItself && c == nil {
			return true
		}
		if c != nil && (nested == r.LogicalID || nested == c.stack.Name) {
			names := namesInNested([]string{id}, r, c.stack)
			return len(names) == 1 && c.skippable(names[0])
		}
	}
	return false
}

func (m *Machine) beginOperation(now time.Time, kind string) {
	m.top.now = now
	m.markAllChanged()
	m.stack.Operation = &Operation{ID: m.stack.uuid(4), Kind: kind}
}
