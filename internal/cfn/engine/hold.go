package engine

// waitForRootCleanup delays a nested stack's cleanup until the root's, which begins
// once all stacks have been updated or rolled back [D].
func (m *Machine) waitForRootCleanup(status string) {
	m.endOperation(status, "")
	m.stack.Operation.Held = true
	if m.parent == nil {
		m.release()
	}
}

func (s *Stack) waitsForRootCleanup() bool { return s.Operation != nil && s.Operation.Held }

// release begins the cleanup of a stack and of its nested stacks.
func (m *Machine) release() {
	m.stack.Operation.Held = false
	if m.stack.Status == "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS" {
		m.reorder()
		m.cleanUp(m.stable)
	} else {
		m.leaveAdded()
		m.cleanUp(m.target)
	}
	if m.parent != nil {
		m.advance()
	}
}

// rollBackSucceededNested rolls back a nested stack's update that succeeded, because
// another stack's failed: the resources that it replaced or removed still exist.
func (m *Machine) rollBackSucceededNested(retainExceptOnCreate bool) {
	m.beginOperation(m.top.now, "RollbackStack")
	m.stack.Operation.RollingBack, m.stack.Operation.RetainExceptOnCreate = true, retainExceptOnCreate
	m.startRollbackWalk("")
	m.advance()
}
