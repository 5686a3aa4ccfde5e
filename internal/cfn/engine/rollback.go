package engine

import (
	"cmp"
	"slices"
	"strings"
)

// cancelTasks cancels the running tasks. Nothing waits for their requests any more,
// but their handlers keep running [O].
func (m *Machine) cancelTasks() {
	w := m.walk()
	for i, t := range w.Tasks {
		if t.State != running && t.State != paused {
			continue
		}
		t.State = failed
		r := m.taskResource(i)
		c := m.child(r)
		if c != nil {
			c.cancelNested()
		}
		switch r.Status {
		case "", "CREATE_IN_PROGRESS":
			hasID := c != nil || r.PhysicalID != ""
			switch {
			case hasID, !r.Sent:
			case m.registered(r.Type):
				r.Sent = false // [I] nothing is deleted that has no name
			default:
				r.PhysicalID = m.stack.generateID(r.LogicalID) // [O]
			}
			m.addResourceEvent(r, "CREATE_FAILED", "Resource creation cancelled")
			m.cancelled(r, "create")
		case "UPDATE_IN_PROGRESS":
			m.addResourceEvent(r, "UPDATE_FAILED", "Resource update cancelled")
			m.abandonReplacement(i, r)
			m.cancelled(r, "update")
		case "DELETE_IN_PROGRESS":
			m.addResourceEvent(r, "DELETE_FAILED", "Resource deletion cancelled") // [?]
			m.cancelled(r, "delete")
		case "UPDATE_FAILED": // the Update that restores it
			m.cancelled(r, "update")
		}
	}
	for _, q := range m.pending {
		q.Outcome, q.ClosedAt = Cancelled, m.top.now
	}
	clear(m.pending)
	m.immediate = nil
}

// abandonReplacement schedules the deletion of what a replacing Create has made.
func (m *Machine) abandonReplacement(i int, r *StackResource) {
	for _, q := range m.pending {
		if q.Task != i || q.RequestType != "Create" {
			continue
		}
		if q.Made != "" {
			m.leaveReplacement(r, q.Made)
		}
		r.restoreBefore()
	}
}

// cancelled counts a resource among those that failed, as CloudFormation's reasons do [V].
func (m *Machine) cancelled(r *StackResource, verb string) {
	m.stack.Operation.Failures = append(m.stack.Operation.Failures, Failure{r.LogicalID, verb})
}

// rollBack starts the rollback of the present operation. why is its reason, or "" for
// the resources that failed.
func (m *Machine) rollBack(why string) {
	s, o := m.stack, m.stack.Operation
	failures := o.failures()
	o.RollingBack = true
	o.ID = s.uuid(4) // [D] of its own
	requested := " Rollback requested by user."
	switch {
	case s.Status == "CREATE_IN_PROGRESS" && m.parent != nil: // [I] what it is nested in deletes it
		m.endOperation("CREATE_FAILED", cmp.Or(why, failures))
		return
	case s.Status == "CREATE_IN_PROGRESS" && o.OnFailure == "DELETE":
		m.addStackEvent("DELETE_IN_PROGRESS", cmp.Or(why, failures)+" . Delete requested by user.") // [O]
		m.deleteAll()
	case s.Status == "CREATE_IN_PROGRESS" && why != "":
		m.addStackEvent("ROLLBACK_IN_PROGRESS", strings.TrimSuffix(why, ".")+"."+requested) // [V]
		m.deleteAll()
	case s.Status == "CREATE_IN_PROGRESS":
		m.addStackEvent("ROLLBACK_IN_PROGRESS", failures+requested) // [V]
		m.deleteAll()
	case why != "":
		m.startRollbackWalk(why)
	default:
		m.startRollbackWalk(failures + " ") // [O]
	}
	m.delayWalk()
}

func (m *Machine) delayWalk() {
	if g := m.stack.Options.CancelGrace; g > 0 {
		w := m.walk()
		w.NotBefore = m.top.now.Add(g)
		m.timers.add(w.NotBefore, nil)
	}
}

// startRollbackWalk starts the walk back to the stable template, in the order of its dependencies
// [I]. What the failed update was going to delete stays; what it made is deleted in the cleanup.
func (m *Machine) startRollbackWalk(reason string) {
	m.addStackEvent("UPDATE_ROLLBACK_IN_PROGRESS", reason)
	m.stack.Leaving = slices.DeleteFunc(m.stack.Leaving, func(r *StackResource) bool { return !r.Remade })
	m.startWalkToStable()
}

func (m *Machine) startWalkToStable() {
	w := &Walk{Kind: rollback}
	if m.stable != nil {
		w.Tasks = m.stable.tasks()
	}
	m.startWalk(w)
}

func (m *Machine) startRollback(i int) {
	t := &m.stable.Resources[i]
	r := m.byID[t.LogicalID]
	res, err := m.resolve(t)
	skip := slices.Contains(m.stack.Operation.Skip, r.LogicalID)
	remade := r.Remade && r.Before != nil
	switch {
	case skip: // [D] no request; the stack takes it for what the template says
		if err == nil {
			r.applyResolved(res)
		}
		m.loseOriginal(r, "an update replaced it, and the rollback to it was skipped")
		m.completeWithoutRequest(i, r, t, true)
	case remade && !IsCustomResource(r.Type): // [I] the one of before is still there
		m.scheduleDelete(r, r.PhysicalID, "")
		m.stack.Leaving[len(m.stack.Leaving)-1].Properties = r.Properties
		before := *r.Before
		before.Status, before.Before = r.Status, r.Before
		*r = before
		m.completeWithoutRequest(i, r, t, true)
	case m.child(r) != nil && r.Touched:
		m.rollBackNested(i, r, t, res, err == nil)
	case m.child(r) != nil:
		m.completeWithoutRequest(i, r, t, r.Status == "UPDATE_FAILED")
	case err != nil && r.Touched: // [O]
		m.failed(i, err)
	case err != nil, !r.Touched && res.properties == r.Properties: // [I] nothing was sent, so nothing is led back
		m.completeWithoutRequest(i, r, t, r.Status == "UPDATE_FAILED")
	default:
		old := r.Properties // of the failed update: they may never have been applied in full
		if r.LostBack {
			old = r.Old // [I] as in the try before
		}
		r.remember()
		m.updatePolicies(r, t)
		r.Old, r.Touched = old, true
		r.applyResolved(res)
		m.update(i, r)
	}
}

// completeWithoutRequest completes a task that needed no request. With tell it adds an event.
func (m *Machine) completeWithoutRequest(i int, r *StackResource, t *Resource, tell bool) {
	m.updatePolicies(r, t)
	r.Touched, r.LostBack = false, false
	if tell {
		m.addResourceEvent(r, "UPDATE_COMPLETE", "")
	}
	m.complete(i)
}

func (m *Machine) settleRollback(i int, q *Request, v verdict) {
	r := m.byID[m.walk().Tasks[i].LogicalID]
	if !v.ok() {
		r.LostBack = true
		m.failUpdate(r, v)
		m.failTask(i, "update")
		return
	}
	if v.physicalID != r.PhysicalID {
		m.recordReplacement(r, v.physicalID, "")
	}
	m.loseOriginal(r, "an update replaced it, and the rollback was not answered with its ID")
	r.Touched, r.LostBack = false, false
	r.read(q, v)
	m.addResourceEvent(r, "UPDATE_COMPLETE", "") // [D] the same as on the way forward
	m.complete(i)
}

// loseOriginal lets go of the physical resource that a rollback has not led back to [?].
func (m *Machine) loseOriginal(r *StackResource, why string) {
	before := r.Before
	isAnother := before != nil && before.PhysicalID != r.PhysicalID
	switch {
	case !isAnother || m.deletesInCleanup(before):
	case m.stack.Options.DeleteOriginal:
		m.stack.Leaving = append(m.stack.Leaving, new(*before))
	default:
		m.recordLeft(before, why)
	}
}

func (m *Machine) deletesInCleanup(r *StackResource) bool {
	return slices.ContainsFunc(m.stack.Leaving, func(l *StackResource) bool { return l.LogicalID == r.LogicalID && l.PhysicalID == r.PhysicalID })
}

func (m *Machine) finishRollback() {
	s, o := m.stack, m.stack.Operation
	if len(o.Failures) > 0 {
		m.endOperation("UPDATE_ROLLBACK_FAILED", o.failures()) // [V]
		return
	}
	if m.stable != nil {
		if outputs, err := m.outputs(m.stable); err == nil { // else they stay what they were [?]
			s.Outputs = outputs
		}
	}
	m.waitForRootCleanup("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
}

// leaveAdded moves the resources that the rolled-back update had added to Leaving [V].
func (m *Machine) leaveAdded() {
	s := m.stack
	stay := s.Resources[:0:0]
	for _, r := range s.Resources {
		switch {
		case r.Gone:
		case r.New:
			r.Policy = r.DeletionPolicy
			s.Leaving = append(s.Leaving, r)
			delete(m.byID, r.LogicalID)
		default:
			stay = append(stay, r)
		}
	}
	s.Resources = stay
}
