package engine

import "strings"

func (m *Machine) finishForward() {
	s, o := m.stack, m.stack.Operation
	if len(o.Failures) > 0 {
		m.stopWithoutRollback(o.failures() + " ")
		return
	}
	outputs, err := m.outputs(m.target)
	if err == nil && m.top.KeepExports != nil {
		err = m.top.KeepExports(s, outputs)
	}
	if err != nil {
		rows := len(s.Events)
		reason, place := explain(err)
		if o.DisableRollback {
			m.stopWithoutRollback(reason)
		} else {
			m.rollBack(reason)
		}
		s.place(rows, strings.TrimSuffix(reason, "."), place)
		return
	}
	s.Outputs = outputs
	if kind := strings.TrimSuffix(s.Status, "_IN_PROGRESS"); kind != "UPDATE" { // CREATE or IMPORT: there is nothing to clean up
		m.reorder()
		m.markStable()
		m.endOperation(kind+"_COMPLETE", "")
		return
	}
	m.waitForRootCleanup("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS") // [V] always
}

// stopWithoutRollback ends an operation with DisableRollback that failed.
func (m *Machine) stopWithoutRollback(reason string) {
	if m.stack.Status == "CREATE_IN_PROGRESS" {
		m.endOperation("CREATE_FAILED", reason)
	} else {
		m.endOperation("UPDATE_FAILED", reason)
	}
}

// reorder puts the resources in the target template's order, and moves those that
// it no longer declares to Leaving.
func (m *Machine) reorder() {
	s := m.stack
	kept := make([]*StackResource, 0, len(m.target.Resources))
	for i := range m.target.Resources {
		r := m.byID[m.target.Resources[i].LogicalID]
		kept = append(kept, r)
		delete(m.byID, r.LogicalID)
	}
	for _, r := range s.Resources {
		if m.byID[r.LogicalID] == r {
			r.Policy = r.DeletionPolicy
			s.Leaving = append(s.Leaving, r)
		}
	}
	clear(m.byID)
	for _, r := range kept {
		m.byID[r.LogicalID] = r
	}
	s.Resources = kept
}

// markStable makes the stack's present state its last stable one.
func (m *Machine) markStable() {
	for _, r := range m.stack.Resources {
		r.reset()
	}
	m.stack.Stable, m.stable = m.stack.Target, m.target
	m.stack.Leaving = nil
}
