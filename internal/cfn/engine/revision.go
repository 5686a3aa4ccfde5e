package engine

import "slices"

// revise notes which template a task has led its resource to, also if nothing had to
// be changed. What a walk makes another resource of, what it adds, and what it leaves
// for the cleanup keep the template that made them: the code and the environment of a
// function are those of its revision, whichever way the stack goes.
func (m *Machine) revise(w *Walk, t *Task) {
	switch w.Kind {
	case forward:
		m.byID[t.LogicalID].Revision = m.stack.Target
	case rollback:
		m.byID[t.LogicalID].Revision = m.stack.Stable
	}
}

// Keeps reports whether a revision of the stack's template is needed: a rollback may
// lead to it, or a resource is what that revision made it.
func (s *Stack) Keeps(revision int) bool {
	of := func(r *StackResource) bool { return !r.Gone && r.Revision == revision }
	return revision == s.Stable || revision == s.Target || slices.ContainsFunc(s.Resources, of) || slices.ContainsFunc(s.Leaving, of)
}
