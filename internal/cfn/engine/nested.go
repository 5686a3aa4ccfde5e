package engine

import (
	"slices"
	"strings"
)

// A Source is what a nested stack was deployed from. The engine saves it with the
// stack and does not interpret it.
type Source struct {
	Revision   int    // of the root stack, whose deployment it is a part of
	File, Body string // the template's
	Parameters map[string]string
}

// Read returns the template that a source comes to for a nested stack.
type Read func(nested *Stack, source Source) (*Template, error)

// Nest enables nested stacks: read returns their templates. Like StandIn it is not
// part of the stack: call it after New and after Resume. It returns read's error
// about a nested stack that already exists.
func (m *Machine) Nest(read Read) error {
	m.top.read = read
	for _, c := range m.nested() {
		if c.stack.Status == "DELETE_COMPLETE" {
			continue
		}
		for _, to := range []struct {
			revision int
			template **Template
		}{{c.stack.Stable, &c.stable}, {c.stack.Target, &c.target}} {
			source, known := c.stack.Sources[to.revision]
			if !known {
				continue
			}
			t, err := read(c.stack, source)
			if err != nil {
				return err
			}
			*to.template = t
		}
		if err := c.Nest(read); err != nil {
			return err
		}
	}
	return nil
}

// nested are the machines of the stacks that are nested in this one, in the
// order in which they were made.
func (m *Machine) nested() []*Machine {
	all := make([]*Machine, len(m.stack.Nested))
	for i, s := range m.stack.Nested {
		all[i] = m.children[s.ID]
	}
	return all
}

// child returns the machine of the nested stack that a resource stands for, or nil.
func (m *Machine) child(r *StackResource) *Machine {
	if r == nil || len(m.children) == 0 {
		return nil
	}
	return m.children[r.PhysicalID]
}

// attachNested makes a nested stack's machine a part of this one.
func (m *Machine) attachNested(s *Stack) *Machine {
	c := &Machine{stack: s, top: m.top, parent: m}
	c.resume()
	if m.children == nil {
		m.children = map[string]*Machine{}
	}
	m.children[s.ID] = c
	return c
}

func (m *Machine) newNested(r *StackResource) *Stack {
	s := &Stack{Name: m.stack.nestedName(r.LogicalID), Options: m.stack.Options, Parent: m.stack.ID, Root: m.top.stack.ID, Path: m.stack.PathOf(r.LogicalID)}
	s.ID = s.newID()
	return s
}

// deployment returns the deployment that its resource declares for a nested stack.
func (m *Machine) deployment(s *Stack, t *Resource, p Properties) (d Deployment, err error) {
	source, err := t.Nested(p)
	if err != nil {
		return d, err
	}
	o := m.stack.Operation
	d = Deployment{Express: o.Express, RetainExceptOnCreate: o.RetainExceptOnCreate, source: &source}
	d.ExpressRollback = !o.DisableRollback // a nested stack rolls back in EXPRESS if its parent does
	d.DisableRollback = o.DisableRollback && !o.Express
	d.Template, err = m.top.read(s, source)
	return d, err
}

// createNested creates the nested stack that a resource is. What is wrong with
// its template fails the resource before there is a stack.
func (m *Machine) createNested(i int, r *StackResource, t *Resource) {
	s := m.newNested(r)
	d, err := m.deployment(s, t, r.Properties)
	if err == nil {
		err = (&Machine{stack: s, top: m.top}).validate(d)
	}
	if err != nil {
		m.failed(i, err)
		return
	}
	m.stack.Nested = append(m.stack.Nested, s)
	c := m.attachNested(s)
	r.Sent, r.PhysicalID = true, s.ID
	m.addResourceEvent(r, "CREATE_IN_PROGRESS", "Resource creation Initiated")
	_ = c.Create(m.top.now, d) // it is acceptable
}

// nestedDiffers reports whether an update would change something within a nested
// stack, and returns the deployment that would.
func (m *Machine) nestedDiffers(c *Machine, t *Resource, p Properties) (d Deployment, differs bool, err error) {
	if d, err = m.deployment(c.stack, t, p); err == nil {
		err = c.validate(d)
	}
	return d, err != nil || c.hasChanges(d.Template), err
}

// updateNested updates the nested stack that a resource is, unless there is
// nothing to change: then its resources are left alone [D], and there is no row about it [?].
func (m *Machine) updateNested(i int, r *StackResource, t *Resource, res resolved) {
	c := m.child(r)
	d, differs, err := m.nestedDiffers(c, t, res.properties)
	isAsBefore := !differs && res.properties == r.Properties
	if isAsBefore && r.Status != "UPDATE_FAILED" {
		m.updatePolicies(r, t)
		m.complete(i)
		return
	}
	r.remember()
	m.updatePolicies(r, t)
	r.Old, r.Touched = r.Properties, true
	r.applyResolved(res)
	m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "")
	if err == nil && differs {
		err = c.Update(m.top.now, d)
		differs = err == nil
	}
	switch {
	case err != nil:
		m.failed(i, err)
	case !differs:
		m.immediate = append(m.immediate, outcome{i, verdict{outcome: Succeeded, physicalID: r.PhysicalID}})
	}
}

// rollBackNested rolls back a nested stack that an update touched. One whose own
// update failed is being rolled back already.
func (m *Machine) rollBackNested(i int, r *StackResource, t *Resource, properties resolved, known bool) {
	c, o := m.child(r), m.stack.Operation
	r.remember()
	m.updatePolicies(r, t)
	if known {
		r.Old = r.Properties
		r.applyResolved(properties)
	}
	m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "")
	var err error
	switch c.stack.Status {
	case "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		c.rollBackSucceededNested(o.RetainExceptOnCreate)
	case "UPDATE_FAILED":
		err = c.Rollback(m.top.now, o.RetainExceptOnCreate)
	case "UPDATE_ROLLBACK_FAILED":
		if r.LostBack {
			err = c.Continue(m.top.now, namesInNested(o.Skip, r, c.stack))
		}
	case "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS":
	default: // its update never began
		m.immediate = append(m.immediate, outcome{i, verdict{outcome: Succeeded, physicalID: r.PhysicalID}})
	}
	if err != nil {
		m.failed(i, err)
	}
}

// deleteNested deletes the nested stack that a resource is, unless another stack
// needs what it exports. What was created in the operation that is rolled back
// counts as created in that operation within it, too.
func (m *Machine) deleteNested(i int, r *StackResource, c *Machine) {
	o := m.stack.Operation
	if c.stack.Status == "DELETE_COMPLETE" {
		return
	}
	if keep := m.top.KeepExports; keep != nil {
		if err := keep(c.stack, nil); err != nil {
			m.failed(i, err)
			return
		}
	}
	undoing := o.RollingBack && (r.New || o.Undoing)
	c.deleteStack(Operation{Force: o.Force && c.stack.Status == "DELETE_FAILED", RollingBack: undoing, Undoing: undoing,
		RetainExceptOnCreate: o.RetainExceptOnCreate})
}

// cancelNested ends what is under way in a nested stack, as the operation on the one that it is
// nested in does: an update is rolled back, what was being created waits to be deleted [I].
func (m *Machine) cancelNested() {
	o := m.stack.Operation
	switch m.stack.Status {
	case "CREATE_IN_PROGRESS":
		m.cancelTasks()
		m.endOperation("CREATE_FAILED", o.failures())
	case "DELETE_IN_PROGRESS":
		m.cancelTasks()
		m.endOperation("DELETE_FAILED", o.failures()+" ")
	case "UPDATE_IN_PROGRESS":
		m.cancelTasks()
		m.rollBack("")
	}
	m.advance()
}

// namesInNested are the names in a list of resources to skip that are of a nested
// stack, without its own: NESTED.RESOURCE, where NESTED is the stack's name, as
// CloudFormation has it [D], or its logical ID.
func namesInNested(skip []string, r *StackResource, s *Stack) (all []string) {
	for _, name := range skip {
		nested, id, dotted := strings.Cut(name, ".")
		if dotted && (nested == r.LogicalID || nested == s.Name) {
			all = append(all, id)
		}
	}
	return all
}

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

// waitForRootCleanup delays a nested stack's cleanup until the root's, which begins
// once all stacks have been updated or rolled back [D].
func (m *Machine) waitForRootCleanup(status string) {
	m.endOperation(status, "")
	m.stack.Operation.Held = true
	if m.parent == nil {
		m.release()
	}
}

func (s *Stack) waitsForRootCleanup() bool { return s.Operation != nil && s.Operation.Held }

// release begins the cleanup of a stack and of its nested stacks.
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

// rollBackSucceededNested rolls back a nested stack's update that succeeded, because
// another stack's failed: the resources that it replaced or removed still exist.
func (m *Machine) rollBackSucceededNested(retainExceptOnCreate bool) {
	m.beginOperation(m.top.now, "RollbackStack")
	m.stack.Operation.RollingBack, m.stack.Operation.RetainExceptOnCreate = true, retainExceptOnCreate
	m.startRollbackWalk("")
	m.advance()
}
