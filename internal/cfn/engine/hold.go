package engine

// waitForRootCleanup keeps a stack from its cleanup: that of nested stacks begins with the
// root's, once all of them have been updated or rolled back [D].
func (m *Machine) waitForRootCleanup(status string) {
	m.endOperation(status, "")
	m.stack.Operation.Held = true
	if m.parent == nil {
		m.release()
	}
}

// waitsForRootCleanup reports whether a nested stack waits for the root's cleanup.
func (s *Stack) waitsForRootCleanup() bool { return s.Operation != nil && s.Operation.Held }

// release begins the cleanup of a stack, and of those that are nested in it.
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

// rollBackSucceededNested rolls back the update of a nested stack that had succeeded, since
// another one's did not: what it replaced or removed is still there.
func (m *Machine) rollBackSucceededNested(retainExceptOnCreate bool) {
	m.beginOperation(m.top.now, "RollbackStack")
	m.stack.Operation.RollingBack, m.stack.Operation.RetainExceptOnCreate = true, retainExceptOnCreate
	m.startRollbackWalk("")
	m.advance()
}
