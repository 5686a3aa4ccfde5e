package engine

import (
	"slices"
	"strings"
)

// settleNested settles a task whose nested stack has finished, and reports whether there was one.
func (m *Machine) settleNested() bool {
	if len(m.children) == 0 {
		return false
	}
	w := m.walk()
	for i, t := range w.Tasks {
		if t.State != running {
			continue
		}
		r := m.taskResource(i)
		c := m.child(r)
		if c == nil {
			continue
		}
		if over, ok := nestedResult(w.Kind, c.stack); over {
			v := verdict{outcome: Succeeded, physicalID: r.PhysicalID}
			if !ok {
				v.outcome, v.reason = Failed, c.stack.nestedFailureReason()
			}
			m.settleTask(i, nil, v)
			return true
		}
	}
	return false
}

// nestedResult reports whether a nested stack has finished what a task of a walk started, and
// whether it succeeded. A failed update is over when its rollback begins [O]; an update that
// succeeded or was rolled back is over when only the cleanup is left.
func nestedResult(walk string, s *Stack) (over, ok bool) {
	switch s.Status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "DELETE_COMPLETE":
		return true, true
	case "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		return s.waitsForRootCleanup(), true
	case "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS":
		return s.waitsForRootCleanup(), walk != forward
	case "UPDATE_ROLLBACK_IN_PROGRESS":
		return walk == forward, false
	}
	return strings.HasSuffix(s.Status, "_FAILED"), false
}

// nestedFailureReason is the reason in the row of a nested stack that failed [O].
func (s *Stack) nestedFailureReason() string {
	text, verb := "Embedded stack "+s.ID+" was not successfully ", s.Status[:strings.IndexByte(s.Status, '_')]
	reason := s.StatusReason
	switch verb {
	case "CREATE", "DELETE":
		return strings.TrimSpace(text + strings.ToLower(verb) + "d: " + reason)
	}
	for _, e := range s.Events {
		if s.StatusReason == "" && e.OfStack() && e.ResourceStatus == "UPDATE_ROLLBACK_IN_PROGRESS" { // its rollback is over already
			reason = e.ResourceStatusReason
		}
	}
	return strings.TrimSpace(text + "updated. Currently in " + s.Status + " with reason: " + reason)
}

func (m *Machine) inProgress() bool {
	return slices.ContainsFunc(m.nested(), func(c *Machine) bool { return c.walk() != nil })
}
