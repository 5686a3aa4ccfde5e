package engine

import (
	"maps"
	"slices"
	"time"
)

// cleanupTries is how often a cleanup tries a Delete that fails [D].
const cleanupTries = 3

func (m *Machine) taskResource(i int) *StackResource {
	w := m.walk()
	t := w.Tasks[i]
	switch {
	case w.Kind == forward || w.Kind == rollback:
		return m.byID[t.LogicalID]
	case t.Index < 0:
		return nil
	case t.Leaving:
		return m.stack.Leaving[t.Index]
	default:
		return m.stack.Resources[t.Index]
	}
}

// deleteAll starts the walk that deletes everything, dependents first [D].
func (m *Machine) deleteAll() {
	w := &Walk{Kind: remove}
	for i, r := range slices.Backward(m.stack.Resources) {
		if !r.Gone {
			w.Tasks = append(w.Tasks, &Task{LogicalID: r.LogicalID, Index: i})
		}
	}
	for i, r := range slices.Backward(m.stack.Leaving) {
		if !r.Gone {
			w.Tasks = append(w.Tasks, &Task{LogicalID: r.LogicalID, Index: i, Leaving: true})
		}
	}
	m.stack.Operation.Walk = w
	m.reverseDependencies(w, nil)
	m.startWalk(w)
}

// cleanUp starts the walk that deletes what is leaving and cleans up nested
// stacks, in the reverse order of the template that it came from [I].
func (m *Machine) cleanUp(graph *Template) {
	w := &Walk{Kind: cleanup}
	m.stack.Operation.Walk = w
	leaving := make(map[string]bool, len(m.stack.Leaving))
	for i, r := range slices.Backward(m.stack.Leaving) {
		leaving[r.LogicalID] = true
		w.Tasks = append(w.Tasks, &Task{LogicalID: r.LogicalID, Index: i, Leaving: true})
	}
	for i, r := range slices.Backward(m.stack.Resources) {
		if c := m.child(r); c != nil && c.stack.waitsForRootCleanup() {
			leaving[r.LogicalID] = true
			w.Tasks = append(w.Tasks, &Task{LogicalID: r.LogicalID, Index: i, Release: true})
		}
	}
	if len(w.Tasks) > 0 {
		if graph != nil {
			for _, r := range slices.Backward(graph.Resources) {
				if !leaving[r.LogicalID] { // what stays passes the order on
					w.Tasks = append(w.Tasks, &Task{LogicalID: r.LogicalID, Index: -1})
				}
			}
		}
		m.reverseDependencies(w, graph)
	}
	m.startWalk(w)
}

// reverseDependencies makes each task wait for those of the resources that depend on its own.
func (m *Machine) reverseDependencies(w *Walk, graph *Template) {
	tasks := make(map[string][]int, len(w.Tasks))
	for i, t := range w.Tasks {
		tasks[t.LogicalID] = append(tasks[t.LogicalID], i)
	}
	needs := map[string][]string{}
	if graph != nil {
		for _, r := range graph.Resources {
			needs[r.LogicalID] = r.DependsOn
		}
	}
	for i, t := range w.Tasks {
		dependencies, declared := needs[t.LogicalID]
		if r := m.taskResource(i); r != nil && !declared {
			dependencies = r.DependsOn
		}
		for _, d := range dependencies {
			for _, j := range tasks[d] {
				w.Tasks[j].Needs = append(w.Tasks[j].Needs, i)
			}
		}
	}
}

func (m *Machine) startDelete(i int) {
	switch r := m.taskResource(i); {
	case r == nil:
		m.complete(i)
	case m.walk().Tasks[i].Release:
		m.child(r).release()
	default:
		m.deleteOrSkip(i, r)
	}
}

// deleteOrSkip deletes a physical resource unless it is to be kept.
func (m *Machine) deleteOrSkip(i int, r *StackResource) {
	o := m.stack.Operation
	if m.walk().Kind == remove && !m.walk().Tasks[i].Leaving {
		r.Policy = r.DeletionPolicy
	}
	switch {
	case !r.Sent: // [I] it failed before anything was sent
		m.addResourceEvent(r, "DELETE_COMPLETE", "")
		m.finishDeleted(i, r)
	case slices.Contains(o.Retain, r.LogicalID): // [V]
		m.skipDelete(i, r, "RetainResources names it", true)
	case m.isRetained(r): // [D]
		m.skipDelete(i, r, "its policy is "+r.Policy, true)
	default:
		m.tryDelete(i)
	}
}

// isRetained reports whether a policy keeps a resource. RetainExceptOnCreate, of the resource or of
// the operation, does not keep what was created in the operation that is rolled back [D].
func (m *Machine) isRetained(r *StackResource) bool {
	o := m.stack.Operation
	created := o.RollingBack && (r.New || o.Undoing)
	switch r.Policy {
	case "Retain":
		exempt := created && o.RetainExceptOnCreate
		return !exempt
	case "RetainExceptOnCreate":
		return !created
	}
	return false // Snapshot: custom resources have none, and are deleted [?]
}

func (m *Machine) tryDelete(i int) {
	r, t := m.taskResource(i), m.walk().Tasks[i]
	m.markTask(i)
	t.State = running
	t.Tries++
	m.addResourceEvent(r, "DELETE_IN_PROGRESS", "")
	switch c := m.child(r); {
	case c != nil:
		m.deleteNested(i, r, c)
	case m.provider(r.Type) != nil:
		m.send(i, "Delete", r)
	default:
		if m.hadHandler(r) {
			m.recordLeft(r, "it has no handler any more, so that no Delete was sent")
		}
		m.performStandIn(i, "Delete", r)
	}
}

// hadHandler reports whether a handler made a resource, which is a stand-in by now.
func (m *Machine) hadHandler(r *StackResource) bool {
	return slices.ContainsFunc(m.stack.Requests, func(q *Request) bool {
		isItsOwn := q.LogicalID == r.LogicalID && q.Type == r.Type
		return isItsOwn && q.Outcome == Succeeded
	})
}

func (m *Machine) settleDelete(i int, v verdict) {
	w, o := m.walk(), &m.stack.Options
	r, t := m.taskResource(i), w.Tasks[i]
	if t.Release {
		m.complete(i)
		return
	}
	if v.ok() {
		m.addResourceEvent(r, "DELETE_COMPLETE", "")
		m.finishDeleted(i, r)
		return
	}
	m.addResourceEvent(r, "DELETE_FAILED", v.reason)
	tries, pause := o.DeleteTries, time.Duration(0)
	if m.child(r) != nil && o.RetryNested {
		tries = cleanupTries
	}
	if w.Kind == cleanup {
		tries, pause = cleanupTries, o.CleanupPause
		if v.outcome == TimedOut && !o.RetryTimeouts {
			tries = 1
		}
	}
	switch {
	case t.Tries < tries:
		t.State, t.NotBefore = paused, m.top.now.Add(pause)
		if pause == 0 {
			m.tryDelete(i)
		} else {
			m.timers.add(t.NotBefore, nil)
		}
	case w.Kind == cleanup: // [D] it is no longer the stack's
		m.stack.Operation.Orphans = true
		m.recordLeft(r, "its Delete failed in the cleanup: "+v.reason)
		m.finishDeleted(i, r)
	case m.stack.Operation.Force: // [D] that what fails again is kept, [O] that it is tried
		m.skipDelete(i, r, "its Delete failed, and the deletion was forced", false)
	default:
		m.failTask(i, "delete")
	}
}

// skipDelete drops a resource from the stack without deleting it: on purpose, if it is kept.
func (m *Machine) skipDelete(i int, r *StackResource, why string, kept bool) {
	m.addResourceEvent(r, "DELETE_SKIPPED", "")
	m.recordLeft(r, why)
	m.stack.Left[len(m.stack.Left)-1].Kept = kept
	m.finishDeleted(i, r)
}

func (m *Machine) recordLeft(r *StackResource, why string) {
	m.stack.Left = append(m.stack.Left, Left{LogicalID: r.LogicalID, PhysicalID: r.PhysicalID, Type: r.Type, Properties: r.Properties, Why: why})
}

// finishDeleted ends a task whose resource no longer belongs to the stack. In a
// forward walk the resource is then created again.
func (m *Machine) finishDeleted(i int, r *StackResource) {
	r.Gone = true
	if m.walk().Kind != forward {
		m.complete(i)
		return
	}
	delete(m.byID, r.LogicalID)
	m.startForward(i)
}

func (m *Machine) finishDelete() {
	s, o := m.stack, m.stack.Operation
	s.Resources = slices.DeleteFunc(s.Resources, func(r *StackResource) bool { return r.Gone })
	s.Leaving = slices.DeleteFunc(s.Leaving, func(r *StackResource) bool { return r.Gone })
	rolling := s.Status == "ROLLBACK_IN_PROGRESS"
	maps.DeleteFunc(m.byID, func(_ string, r *StackResource) bool { return r.Gone })
	switch {
	case len(o.Failures) > 0 && rolling:
		m.endOperation("ROLLBACK_FAILED", o.failures()+" ")
	case len(o.Failures) > 0:
		m.endOperation("DELETE_FAILED", o.failures()+" ")
	case rolling && !o.Removing:
		s.Outputs = nil
		m.endOperation("ROLLBACK_COMPLETE", "")
	default:
		s.Outputs = nil
		m.endOperation("DELETE_COMPLETE", "")
	}
}

func (m *Machine) finishCleanup() {
	s := m.stack
	reason := ""
	if s.Operation.Orphans {
		reason = "Update successful. One or more resources could not be deleted." // [D]
	}
	if s.Status == "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS" {
		m.markStable()
		m.endOperation("UPDATE_COMPLETE", reason)
		return
	}
	s.Target, m.target = s.Stable, m.stable
	m.markStable()
	m.endOperation("UPDATE_ROLLBACK_COMPLETE", reason)
}
