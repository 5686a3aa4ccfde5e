package engine

import (
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

// deploy starts an operation that leads to a template.
func (m *Machine) deploy(now time.Time, kind string, d Deployment) {
	m.beginOperation(now, kind)
	m.reserve(len(d.Template.Resources))
	s := m.stack
	s.Operation.DisableRollback = d.DisableRollback || d.Express && !d.ExpressRollback || d.OnFailure == "DO_NOTHING"
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
