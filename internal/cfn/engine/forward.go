package engine

import (
	"errors"
	"slices"
)

// goForward leads the stack to its target.
func (m *Machine) goForward() {
	m.startWalk(&Walk{Kind: forward, Tasks: m.target.tasks()})
	m.advance()
}

func (m *Machine) startForward(i int) {
	t := &m.target.Resources[i]
	r := m.byID[t.LogicalID]
	switch {
	case r == nil:
		m.startCreate(i, t)
	case r.New && (r.Status == "CREATE_FAILED" || r.Status == "DELETE_FAILED"):
		m.retryCreate(i, r)
	default:
		m.startUpdate(i, r, t)
	}
}

// retryCreate retries a creation that failed in an operation with DisableRollback:
// the resource is deleted [D], then created again [?].
func (m *Machine) retryCreate(i int, r *StackResource) {
	r.Policy = r.DeletionPolicy
	if m.stack.Options.CreateFirst {
		r.Gone = true
		leaving := *r
		leaving.Gone = false
		m.stack.Leaving = append(m.stack.Leaving, &leaving)
		delete(m.byID, r.LogicalID)
		m.startForward(i)
		return
	}
	m.deleteOrSkip(i, r)
}

func (m *Machine) startCreate(i int, t *Resource) {
	r := &StackResource{LogicalID: t.LogicalID, Type: t.Type, DependsOn: t.DependsOn,
		DeletionPolicy: t.DeletionPolicy, UpdateReplacePolicy: t.UpdateReplacePolicy, New: true, Remade: true}
	m.stack.Resources = append(m.stack.Resources, r)
	m.byID[r.LogicalID] = r
	res, err := m.resolve(t)
	if err != nil {
		m.failed(i, err)
		return
	}
	r.applyResolved(res)
	m.addResourceEvent(r, "CREATE_IN_PROGRESS", "") // [V] without an ID
	if t.Nested != nil {
		m.createNested(i, r, t)
		return
	}
	if m.provider(r.Type) != nil {
		m.send(i, "Create", r)
		return
	}
	r.Sent = true
	m.performStandIn(i, "Create", r)
}

func (m *Machine) startUpdate(i int, r *StackResource, t *Resource) {
	res, err := m.resolve(t)
	again := r.Status == "UPDATE_FAILED" // [D] with DisableRollback: tried again, changed or not
	switch {
	case err != nil:
		m.failed(i, err)
		return
	case t.Nested != nil:
		m.updateNested(i, r, t, res)
		return
	case res.properties == r.Properties && !again: // [D] no request
		m.updatePolicies(r, t)
		m.complete(i)
		return
	case IsCustomResource(r.Type) && res.token != r.ServiceToken: // [O] no request
		m.failed(i, errors.New(ProviderModified))
		return
	}
	old := r.Properties
	if again && r.Before != nil {
		old = r.Before.Properties // [I] those of the last stable state
	}
	r.remember()
	m.updatePolicies(r, t)
	r.Old, r.Touched = old, true
	r.applyResolved(res)
	m.update(i, r)
}

// ProviderModified is the reason of an update that has another function answer for a resource.
const ProviderModified = "Modifying service token is not allowed." // [O] aws-waf-security-automations#114, serverless/serverless#9240

// update sends the Update of a resource whose properties are set.
func (m *Machine) update(i int, r *StackResource) {
	switch p := m.provider(r.Type); {
	case p == nil:
		m.performStandIn(i, "Update", r)
	case p.replaces(r) && m.refusesReplacement():
		r.restoreBefore()
		m.immediate = append(m.immediate, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: replacementRefused}})
	case p.replaces(r):
		m.addResourceEvent(r, "UPDATE_IN_PROGRESS", replacementNeeded)
		m.send(i, "Create", r)
	default:
		m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "")
		m.send(i, "Update", r)
	}
}

// updatePolicies copies a template's policies and DependsOn to a resource. A change
// of these alone sends no request [O].
func (m *Machine) updatePolicies(r *StackResource, t *Resource) {
	if r.DeletionPolicy == t.DeletionPolicy && r.UpdateReplacePolicy == t.UpdateReplacePolicy && slices.Equal(r.DependsOn, t.DependsOn) {
		return
	}
	r.remember()
	r.DependsOn, r.DeletionPolicy, r.UpdateReplacePolicy = t.DependsOn, t.DeletionPolicy, t.UpdateReplacePolicy
}

func (r *StackResource) applyResolved(res resolved) {
	r.Properties, r.ServiceToken, r.ServiceTimeout = res.properties, res.token, res.timeout
}

// failed fails a task that sent no request.
func (m *Machine) failed(i int, err error) {
	v := verdict{outcome: Uncalled}
	v.reason, v.place = explain(err)
	m.immediate = append(m.immediate, outcome{i, v})
}

func (m *Machine) settleForward(i int, q *Request, v verdict) {
	t := m.walk().Tasks[i]
	r := m.byID[t.LogicalID]
	switch {
	case t.Restoring: // its outcome changes nothing [?]
		if v.ok() {
			r.read(q, v)
		}
		m.failTask(i, "update")
	case r.Status == "DELETE_IN_PROGRESS":
		m.settleDelete(i, v)
	case r.Status == "" || r.Status == "CREATE_IN_PROGRESS":
		m.settleCreate(i, r, q, v)
	default:
		m.settleUpdate(i, r, q, v)
	}
}

func (m *Machine) settleCreate(i int, r *StackResource, q *Request, v verdict) {
	switch {
	case v.physicalID != "" && v.physicalID == r.PhysicalID: // it was named before, as nested stacks are
	case v.physicalID != "":
		r.PhysicalID = v.physicalID
		m.addResourceEvent(r, "CREATE_IN_PROGRESS", "Resource creation Initiated") // [V] also before a failure
	case v.outcome == Uncalled && m.stack.Options.NothingInvoked, m.registered(r.Type): // [I] nothing is deleted that has no name
		r.Sent = false
	case r.Sent:
		r.PhysicalID = m.stack.generateID(r.LogicalID) // [O]
	}
	if !v.ok() {
		m.addResourceEvent(r, "CREATE_FAILED", v.reason)
		m.failTask(i, "create")
		return
	}
	r.read(q, v)
	m.addResourceEvent(r, "CREATE_COMPLETE", m.expressReason(r))
	m.complete(i)
}

func (m *Machine) settleUpdate(i int, r *StackResource, q *Request, v verdict) {
	if v.ok() {
		if v.physicalID != r.PhysicalID {
			m.recordReplacement(r, v.physicalID, r.UpdateReplacePolicy)
		}
		r.read(q, v)
		m.addResourceEvent(r, "UPDATE_COMPLETE", m.expressReason(r))
		m.complete(i)
		return
	}
	m.failUpdate(r, v)
	if q != nil && (q.RequestType == "Create" || v.outcome == Uncalled) { // [O] aws/aws-cdk#19165: no handler has to lead it back
		r.restoreBefore()
	}
	restores := m.stack.Operation.DisableRollback && m.stack.Options.RestoreAtOnce
	if restores && q != nil && r.Touched { // there is no row about it
		m.walk().Tasks[i].Restoring = true
		r.Properties, r.Old = r.Old, r.Properties
		m.send(i, "Update", r)
		return
	}
	m.failTask(i, "update")
}

// expressReason is the reason of a native resource's row in the mode EXPRESS [O].
func (m *Machine) expressReason(r *StackResource) string {
	hasHandler := m.provider(r.Type) != nil || m.child(r) != nil // or is a stack, which reports itself
	if hasHandler || !m.stack.Operation.Express {
		return ""
	}
	return "Resource operation completed using Express Mode. It may continue becoming available in the background."
}

// read takes over what a SUCCESS answer says.
func (r *StackResource) read(q *Request, v verdict) {
	r.Attributes, r.NoEcho = v.attributes, v.noEcho
	if q != nil {
		r.AnsweredTo = q.RequestID
	}
}
