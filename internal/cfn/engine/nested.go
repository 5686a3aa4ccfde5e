package engine

import (
	"slices"
	"strings"
	"time"
)

// A Source is what a nested stack was deployed from. The engine keeps it with
// the stack, and looks at nothing in it.
type Source struct {
	Revision   int    // of the root stack, whose deployment it is a part of
	File, Body string // the template's
	Parameters map[string]string
}

// Read returns the template that a source comes to for a nested stack.
type Read func(nested *Stack, source Source) (*Template, error)

// Nest has nested stacks played: read returns the templates of theirs. Like
// StandIn it is no part of the stack: call it after New and after Resume. The
// error is read's, about a stack that was nested before.
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

// child is the machine of the nested stack that a resource is, or nil.
func (m *Machine) child(r *StackResource) *Machine {
	if r == nil || len(m.children) == 0 {
		return nil
	}
	return m.children[r.PhysicalID]
}

// adopted makes a nested stack's machine a part of this one.
func (m *Machine) adopted(s *Stack) *Machine {
	c := &Machine{stack: s, top: m.top, parent: m}
	c.resume()
	if m.children == nil {
		m.children = map[string]*Machine{}
	}
	m.children[s.ID] = c
	return c
}

// newNested is the stack that a resource is to be, before it is one.
func (m *Machine) newNested(r *StackResource) *Stack {
	o := &m.stack.Options
	s := &Stack{Name: m.stack.nestedName(r.LogicalID), Options: *o, Parent: m.stack.ID, Root: m.top.stack.ID, Path: r.LogicalID}
	if m.stack.Path != "" {
		s.Path = m.stack.Path + "." + r.LogicalID
	}
	s.ID = "arn:" + o.Partition + ":cloudformation:" + o.Region + ":" + o.Account + ":stack/" + s.Name + "/" + s.uuid(1)
	return s
}

// deployment is what leads a nested stack to what its resource declares.
func (m *Machine) deployment(s *Stack, t *Resource, p Properties) (d Deployment, err error) {
	source, err := t.Nested(p)
	if err != nil {
		return d, err
	}
	o := m.stack.Operation
	d = Deployment{Express: o.Express, DisableRollback: o.DisableRollback && !o.Express, RetainExceptOnCreate: o.RetainExceptOnCreate, source: &source}
	d.Template, err = m.top.read(s, source)
	return d, err
}

// createNested creates the nested stack that a resource is. What is wrong with
// its template fails the resource before there is a stack.
func (m *Machine) createNested(i int, r *StackResource, t *Resource) {
	s := m.newNested(r)
	d, err := m.deployment(s, t, r.Properties)
	if err == nil {
		err = (&Machine{stack: s, top: m.top}).acceptable(d)
	}
	if err != nil {
		m.failed(i, err.Error())
		return
	}
	m.stack.Nested = append(m.stack.Nested, s)
	c := m.adopted(s)
	r.Sent, r.PhysicalID = true, s.ID
	m.row(r, "CREATE_IN_PROGRESS", "Resource creation Initiated")
	_ = c.Create(m.top.now, d) // it is acceptable
}

// nestedDiffers reports whether an update would change something within a nested
// stack, and what leads it there.
func (m *Machine) nestedDiffers(c *Machine, t *Resource, p Properties) (d Deployment, differs bool, err error) {
	if d, err = m.deployment(c.stack, t, p); err == nil {
		err = c.acceptable(d)
	}
	return d, err != nil || c.differs(d.Template), err
}

// updateNested updates the nested stack that a resource is, unless there is
// nothing to change [?].
func (m *Machine) updateNested(i int, r *StackResource, t *Resource, res resolved) {
	c := m.child(r)
	d, differs, err := m.nestedDiffers(c, t, res.properties)
	if !differs && res.properties == r.Properties && r.Status != "UPDATE_FAILED" {
		m.adopt(r, t)
		m.complete(i)
		return
	}
	r.remember()
	m.adopt(r, t)
	r.Old, r.Touched = r.Properties, true
	r.take(res)
	m.row(r, "UPDATE_IN_PROGRESS", "")
	if err == nil && differs {
		err = c.Update(m.top.now, d)
		differs = err == nil
	}
	switch {
	case err != nil:
		m.made = append(m.made, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: err.Error()}})
	case !differs:
		m.made = append(m.made, outcome{i, verdict{outcome: Succeeded, physicalID: r.PhysicalID}})
	}
}

// leadNestedBack has a nested stack that an update touched go back. One whose
// own update failed is on its way already.
func (m *Machine) leadNestedBack(i int, r *StackResource, t *Resource, properties resolved, known bool) {
	c, o := m.child(r), m.stack.Operation
	r.remember()
	m.adopt(r, t)
	if known {
		r.Old = r.Properties
		r.take(properties)
	}
	m.row(r, "UPDATE_IN_PROGRESS", "")
	var err error
	switch c.stack.Status {
	case "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		c.turnBack(o.RetainExceptOnCreate)
	case "UPDATE_FAILED":
		err = c.Rollback(m.top.now, o.RetainExceptOnCreate)
	case "UPDATE_ROLLBACK_FAILED":
		if r.LostBack {
			err = c.Continue(m.top.now, within(o.Skip, r, c.stack))
		}
	case "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS":
	default: // its update never began
		m.made = append(m.made, outcome{i, verdict{outcome: Succeeded, physicalID: r.PhysicalID}})
	}
	if err != nil {
		m.made = append(m.made, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: err.Error()}})
	}
}

// turnBack rolls back the update of a nested stack that had succeeded, since
// another one's did not: what it replaced or removed is still there.
func (m *Machine) turnBack(retainExceptOnCreate bool) {
	m.operate(m.top.now, "RollbackStack")
	m.stack.Operation.RollingBack, m.stack.Operation.RetainExceptOnCreate = true, retainExceptOnCreate
	m.leadBack("")
	m.advance()
}

// deleteNested deletes the nested stack that a resource is. What was created in
// the operation that is rolled back counts as that within it, too.
func (m *Machine) deleteNested(r *StackResource, c *Machine) {
	o := m.stack.Operation
	if c.stack.Status == "DELETE_COMPLETE" {
		return
	}
	undoing := o.RollingBack && (r.New || o.Undoing)
	c.deleteStack(Operation{Force: o.Force && c.stack.Status == "DELETE_FAILED", RollingBack: undoing, Undoing: undoing,
		RetainExceptOnCreate: o.RetainExceptOnCreate})
}

// giveUp ends what is under way in a nested stack, as the operation on the one
// that it is nested in does: an update is rolled back, what was being created
// waits to be deleted [I].
func (m *Machine) giveUp() {
	o := m.stack.Operation
	switch m.stack.Status {
	case "CREATE_IN_PROGRESS":
		m.abandon()
		m.rest("CREATE_FAILED", o.failures())
	case "DELETE_IN_PROGRESS":
		m.abandon()
		m.rest("DELETE_FAILED", o.failures()+" ")
	case "UPDATE_IN_PROGRESS":
		m.abandon()
		m.rollBack("")
	}
	m.advance()
}

// hold keeps a stack from its cleanup: that of nested stacks begins with the
// root's, once all of them have been updated or rolled back [D].
func (m *Machine) hold(status string) {
	m.rest(status, "")
	m.stack.Operation.Held = true
	if m.parent == nil {
		m.release()
	}
}

// held reports whether a nested stack waits for the root's cleanup.
func (s *Stack) held() bool { return s.Operation != nil && s.Operation.Held }

// release begins the cleanup of a stack, and of those that are nested in it.
func (m *Machine) release() {
	m.stack.Operation.Held = false
	if m.stack.Status == "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS" {
		m.reorder()
		m.cleanUp(m.stable)
	} else {
		m.dropNew()
		m.cleanUp(m.target)
	}
	if m.parent != nil {
		m.advance()
	}
}

// heard settles a task that waits for a nested stack, if that has come to where
// it was to, and reports whether there was one.
func (m *Machine) heard() bool {
	if len(m.children) == 0 {
		return false
	}
	w := m.walk()
	for i, t := range w.Tasks {
		if t.State != running {
			continue
		}
		r := m.subject(i)
		c := m.child(r)
		if c == nil {
			continue
		}
		if over, ok := arrived(w.Kind, c.stack); over {
			v := verdict{outcome: Succeeded, physicalID: r.PhysicalID}
			if !ok {
				v.outcome, v.reason = Failed, c.stack.unsuccessful()
			}
			m.settle(i, nil, v)
			return true
		}
	}
	return false
}

// arrived reports whether a nested stack has come to the end of what a task of
// a walk has it do, and whether that is a good one. A failed update is over when
// its rollback begins [O]; one that succeeded, or was rolled back, when it has
// only the cleanup before it.
func arrived(walk string, s *Stack) (over, ok bool) {
	switch s.Status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "DELETE_COMPLETE":
		return true, true
	case "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		return s.held(), true
	case "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS":
		return s.held(), walk != forward
	case "UPDATE_ROLLBACK_IN_PROGRESS":
		return walk == forward, false
	}
	return strings.HasSuffix(s.Status, "_FAILED"), false
}

// unsuccessful is the reason in the row of a nested stack that failed [O].
func (s *Stack) unsuccessful() string {
	text, verb := "Embedded stack "+s.ID+" was not successfully ", s.Status[:strings.IndexByte(s.Status, '_')]
	reason := s.StatusReason
	switch verb {
	case "CREATE", "DELETE":
		return strings.TrimSpace(text + strings.ToLower(verb) + "d: " + reason)
	}
	for _, e := range slices.Backward(s.Events) { // that with which the rollback began
		if e.PhysicalResourceId == s.ID && e.ResourceStatus == "UPDATE_ROLLBACK_IN_PROGRESS" && reason == "" {
			reason = e.ResourceStatusReason
		}
	}
	return strings.TrimSpace(text + "updated. Currently in " + s.Status + " with reason: " + reason)
}

// moving reports whether a nested stack is in motion.
func (m *Machine) moving() bool {
	return slices.ContainsFunc(m.nested(), func(c *Machine) bool { return c.walk() != nil })
}

// within are the names in a list of resources to skip that are of a nested
// stack, without its own: NESTED.RESOURCE, where NESTED is the stack's name, as
// CloudFormation has it [D], or its logical ID.
func within(skip []string, r *StackResource, s *Stack) (all []string) {
	for _, name := range skip {
		of, id, dotted := strings.Cut(name, ".")
		if dotted && (of == r.LogicalID || of == s.Name) {
			all = append(all, id)
		}
	}
	return all
}

// All are the stack and those that are nested in it, those that were deleted
// among them, each before its own. It is not to be changed.
func (s *Stack) All() []*Stack {
	all := []*Stack{s}
	for _, n := range s.Nested {
		all = append(all, n.All()...)
	}
	return all
}

// A Row is an event with the name of what it is about, as seen from the root
// stack: Nested.Resource, or a stack's name.
type Row struct {
	Event
	Name string
}

// Rows are the rows of the stack and of those that are nested in it, the oldest
// first. known says how many of the oldest of a stack to leave out; nil leaves out
// none.
func (s *Stack) Rows(known func(*Stack) int) (all []Row) {
	for _, one := range s.All() {
		from := 0
		if known != nil {
			from = known(one)
		}
		for _, e := range one.Events[from:] {
			name := one.PathOf(e.LogicalResourceId)
			if e.OfStack() {
				name = one.Name
			}
			all = append(all, Row{e, name})
		}
	}
	if len(s.Nested) > 0 {
		slices.SortStableFunc(all, func(a, b Row) int { return a.Timestamp.Compare(b.Timestamp) }) // each row has a time of its own
	}
	return all
}

// Sent are the requests of the stack and of those that are nested in it, in the
// order in which they were sent.
func (s *Stack) Sent() []*Request {
	if len(s.Nested) == 0 {
		return s.Requests
	}
	var all []*Request
	for _, one := range s.All() {
		all = append(all, one.Requests...)
	}
	slices.SortStableFunc(all, func(a, b *Request) int { return a.SentAt.Compare(b.SentAt) })
	return all
}

// PathOf is how a resource of the stack is named from the root stack: by its
// logical ID, behind those of the nested stacks that it is in.
func (s *Stack) PathOf(logicalID string) string {
	if s.Path == "" {
		return logicalID
	}
	return s.Path + "." + logicalID
}

// Latest is the time of the latest row, also of nested stacks.
func (s *Stack) Latest() (at time.Time) {
	for _, one := range s.All() {
		if n := len(one.Events); n > 0 && one.Events[n-1].Timestamp.After(at) {
			at = one.Events[n-1].Timestamp
		}
	}
	return at
}
