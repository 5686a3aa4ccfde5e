package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Deployment is what CreateStack and UpdateStack take.
type Deployment struct {
	Template *Template
	// DisableRollback keeps what succeeded when something fails ("preserve
	// successfully provisioned resources").
	DisableRollback bool
	// OnFailure, of a creation: ROLLBACK, which is the default, DELETE, or
	// DO_NOTHING, which is DisableRollback.
	OnFailure string
	// RetainExceptOnCreate deletes what the operation created when it is rolled
	// back, also what its DeletionPolicy retains.
	RetainExceptOnCreate bool
	// Express is the mode EXPRESS: native resources are complete once their
	// configuration is applied; nothing is rolled back unless ExpressRollback is
	// set, and RollbackStack is not supported; custom resources work as ever [D].
	// It goes with neither DisableRollback nor OnFailure.
	Express bool
	// ExpressRollback is the DisableRollback false of EXPRESS's DeploymentConfig.
	ExpressRollback bool
	// TerminationProtection refuses DeleteStack.
	TerminationProtection bool

	source *Source // of a nested stack
}

// reserve makes room for what an operation on n resources adds if it goes well.
func (m *Machine) reserve(n int) {
	m.stack.Events = slices.Grow(m.stack.Events, 3*n+4) // CREATE_IN_PROGRESS twice, CREATE_COMPLETE
	m.stack.Requests = slices.Grow(m.stack.Requests, n)
}

// beginDeployment starts an operation that leads to a template.
func (m *Machine) beginDeployment(now time.Time, kind string, d Deployment) {
	m.beginOperation(now, kind)
	m.reserve(len(d.Template.Resources))
	s := m.stack
	expressStays := d.Express && !d.ExpressRollback // EXPRESS rolls back only if that is asked for
	s.Operation.DisableRollback = d.DisableRollback || expressStays || d.OnFailure == "DO_NOTHING"
	s.Operation.Express = d.Express
	s.Operation.OnFailure, s.Operation.RetainExceptOnCreate = d.OnFailure, d.RetainExceptOnCreate
	s.TerminationProtection = s.TerminationProtection || d.TerminationProtection
	s.Revisions++
	s.Target = s.Revisions
	if d.source != nil {
		maps.DeleteFunc(s.Sources, func(revision int, _ Source) bool { return !s.Keeps(revision) })
		if s.Sources == nil {
			s.Sources = map[int]Source{}
		}
		s.Sources[s.Target] = *d.source
	}
	m.target = d.Template
	s.Resources = slices.DeleteFunc(s.Resources, func(r *StackResource) bool { return r.Gone })
}

// validate refuses templates before anything starts.
func (m *Machine) validate(d Deployment) error {
	if d.Express && (d.DisableRollback || d.OnFailure != "") { // [D] the rule, [?] the text
		return refuse("DisableRollback and OnFailure cannot be specified with the deployment mode EXPRESS")
	}
	if err := d.Template.check(); err != nil {
		return err
	}
	for _, r := range d.Template.Resources {
		if m.stack.Options.RefuseSnapshot && IsCustomResource(r.Type) && r.DeletionPolicy == "Snapshot" {
			return refuse("Template error: resource type %s does not support deletion policy Snapshot", r.Type)
		}
	}
	return nil
}

// hasChanges reports whether an update to t would change something, as far as can
// be told before it starts. What is not known yet counts as changed.
func (m *Machine) hasChanges(t *Template) bool {
	if len(t.Resources) != len(m.byID) {
		return true
	}
	for i := range t.Resources {
		d := &t.Resources[i]
		r := m.byID[d.LogicalID]
		if r == nil || strings.HasSuffix(r.Status, "_FAILED") {
			return true
		}
		policies := r.DeletionPolicy != d.DeletionPolicy || r.UpdateReplacePolicy != d.UpdateReplacePolicy
		if policies && !m.stack.Options.PolicyIsNoUpdate { // [O] [D]
			return true
		}
		res, err := m.resolve(d)
		if err != nil || res.properties != r.Properties { // DependsOn alone is no change [O]
			return true
		}
		if c := m.child(r); c != nil {
			if _, differs, _ := m.nestedDiffers(c, d, res.properties); differs {
				return true
			}
		}
	}
	outputs, err := m.outputs(t)
	return err != nil || !slices.Equal(outputs, m.stack.Outputs)
}

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
