package engine

import "cmp"

// recordReplacement makes another physical resource the current one: the one before is
// deleted in the next cleanup, unless the policy keeps it [D].
func (m *Machine) recordReplacement(r *StackResource, physicalID, policy string) {
	m.scheduleDelete(r, r.PhysicalID, policy)
	r.PhysicalID, r.Remade = physicalID, true
	if IsCustomResource(r.Type) {
		m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "Requested update required the provider to create a new physical resource") // [O]
	} else {
		m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "Resource creation Initiated") // [V]
	}
}

// scheduleDelete notes that a physical resource of r is to be deleted in a cleanup: with
// the properties that it had before the current Update [O].
func (m *Machine) scheduleDelete(r *StackResource, physicalID, policy string) {
	leaving := *r
	leaving.PhysicalID, leaving.Policy, leaving.Before = physicalID, policy, nil
	if !m.stack.Options.CleanupNewProperties {
		leaving.Properties = r.Old
	}
	if r.Before != nil && m.walk().Kind == forward {
		leaving.DependsOn = r.Before.DependsOn
	}
	m.stack.Leaving = append(m.stack.Leaving, &leaving)
}

// failUpdate settles an Update that failed. If it named another physical ID, that is taken to
// be the resource's [O].
func (m *Machine) failUpdate(r *StackResource, v verdict) {
	former := r.PhysicalID
	r.PhysicalID = cmp.Or(v.physicalID, former)
	m.addResourceEvent(r, "UPDATE_FAILED", v.reason)
	if r.PhysicalID == former {
		return
	}
	leading := m.walk().Kind == rollback
	switch o := &m.stack.Options; {
	case o.FailedUpdate == RollbackUpdate && IsCustomResource(r.Type):
		r.Remade = true
	case o.FailedUpdate == Stick && IsCustomResource(r.Type):
		original := *r
		original.PhysicalID = former
		m.recordLeft(&original, "an Update failed and named another ID, which stays")
		r.Remade, r.Touched, r.Properties = true, leading, r.Old
	default:
		m.leaveReplacement(r, v.physicalID)
		r.PhysicalID = former
		if !leading {
			r.restoreBefore()
		}
	}
}

// leaveReplacement schedules the deletion of what a failed update of r has made, with the
// properties of that update [I].
func (m *Machine) leaveReplacement(r *StackResource, physicalID string) {
	leaving := *r
	leaving.PhysicalID, leaving.Remade, leaving.Policy, leaving.Before = physicalID, true, "", nil
	m.stack.Leaving = append(m.stack.Leaving, &leaving)
}

// restoreBefore makes a resource what it was before the current update, which did nothing to it.
func (r *StackResource) restoreBefore() {
	r.Properties = r.Old
	r.Touched = r.Before != nil && (r.Properties != r.Before.Properties || r.PhysicalID != r.Before.PhysicalID)
}

// What CloudFormation says of the replacements that it makes itself [V], and of
// those that it does not make [O].
const (
	replacementNeeded  = "Requested update requires the creation of a new physical resource; hence creating one."
	replacementRefused = "Replacement type updates not supported on stack with disable-rollback."
	customNamed        = "CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename %s and update the stack again."
)

func (m *Machine) refusesReplacement() bool {
	return m.stack.Operation.DisableRollback && !m.stack.Options.ReplaceWithoutRollback
}
