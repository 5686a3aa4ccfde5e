package engine

import (
	"errors"
	"maps"
	"slices"
	"time"
)

// A Patch holds what some steps changed in a stack: the changed resources, tasks and requests by
// index, and the elements appended to lists. Its size depends on the change and not on the stack.
type Patch struct {
	Status       string
	StatusReason string `json:",omitempty"`
	Drawn        uint64

	Orphans   bool      `json:",omitempty"` // of the operation
	Halted    bool      `json:",omitempty"` // of its walk
	NotBefore time.Time `json:",omitzero"`  // of its walk

	Resources map[int]*StackResource `json:",omitempty"`
	Leaving   map[int]*StackResource `json:",omitempty"`
	Requests  map[int]*Request       `json:",omitempty"`
	Tasks     map[int]*Task          `json:",omitempty"`

	Events   []Event           `json:",omitempty"`
	Left     []Left            `json:",omitempty"`
	Failures []Failure         `json:",omitempty"`
	Places   map[string]string `json:",omitempty"`

	Nested map[int]Change `json:",omitempty"`
}

// A Change is what has changed in a nested stack: a Patch, or the whole of it.
type Change struct {
	Patch *Patch `json:",omitempty"`
	Stack *Stack `json:",omitempty"`
}

// A changes notes what has changed since a stack was last saved. While a walk goes on,
// the lists of a stack only grow. What starts or ends operations and walks moves things,
// so that the whole stack has to be saved.
type changes struct {
	partial   bool // a Patch can express it
	resources map[*StackResource]struct{}
	requests  map[*Request]struct{}
	tasks     map[int]struct{}

	// How long the lists were.
	nResources, nLeaving, nRequests, nEvents, nLeft, nFailures int
}

// Changes returns what has changed since its last call. It returns nil if a Patch
// cannot express that, so that the whole stack has to be saved: at the first call,
// and after an operation or a walk has started or ended.
func (m *Machine) Changes() *Patch {
	c, s := &m.changed, m.stack
	p := c.patch(s)
	for i, n := range m.nested() {
		if n.changed.unchanged(n) {
			continue
		}
		change := Change{Patch: n.Changes()}
		if change.Patch == nil {
			change.Stack = n.stack
		}
		if p != nil {
			p.Nested[i] = change
		}
	}
	*c = changes{partial: true, resources: map[*StackResource]struct{}{}, requests: map[*Request]struct{}{}, tasks: map[int]struct{}{},
		nResources: len(s.Resources), nLeaving: len(s.Leaving), nRequests: len(s.Requests), nEvents: len(s.Events), nLeft: len(s.Left)}
	if s.Operation != nil {
		c.nFailures = len(s.Operation.Failures)
	}
	return p
}

func (c *changes) patch(s *Stack) *Patch {
	if !c.partial {
		return nil
	}
	p := &Patch{Status: s.Status, StatusReason: s.StatusReason, Drawn: s.Drawn,
		Resources: changed(s.Resources, c.nResources, c.resources), Leaving: changed(s.Leaving, c.nLeaving, c.resources),
		Requests: changed(s.Requests, c.nRequests, c.requests), Events: s.Events[c.nEvents:], Left: s.Left[c.nLeft:],
		Places: map[string]string{}, Nested: map[int]Change{}}
	for _, e := range p.Events {
		if place := s.Places[e.EventId]; place != "" {
			p.Places[e.EventId] = place
		}
	}
	if o := s.Operation; o != nil {
		p.Orphans, p.Failures = o.Orphans, o.Failures[c.nFailures:]
		if w := o.Walk; w != nil {
			p.Halted, p.NotBefore = w.Halted, w.NotBefore
			p.Tasks = make(map[int]*Task, len(c.tasks))
			for i := range c.tasks {
				p.Tasks[i] = w.Tasks[i]
			}
		}
	}
	return p
}

// unchanged reports whether nothing has changed, also in nested stacks: every change
// adds a row, or is noted.
func (c *changes) unchanged(m *Machine) bool {
	s := m.stack
	noted := !c.partial || len(c.resources)+len(c.requests)+len(c.tasks) > 0
	longer := len(s.Events) > c.nEvents || len(s.Requests) > c.nRequests || len(s.Left) > c.nLeft
	if noted || longer {
		return false
	}
	return !slices.ContainsFunc(m.nested(), func(n *Machine) bool { return !n.changed.unchanged(n) })
}

// changed returns the elements of a list that are new or in some, by index.
func changed[T any](list []*T, known int, some map[*T]struct{}) map[int]*T {
	all := map[int]*T{}
	for i := known; i < len(list); i++ {
		all[i] = list[i]
	}
	for e := range some {
		if i := slices.Index(list, e); i >= 0 {
			all[i] = e
		}
	}
	return all
}

// markAllChanged notes a change that a Patch cannot express.
func (m *Machine) markAllChanged() { m.changed.partial = false }

// markTask notes that a task of the current walk changes, and the resource that it is about.
func (m *Machine) markTask(i int) {
	if !m.changed.partial {
		return
	}
	m.changed.tasks[i] = struct{}{}
	m.markChanged(m.byID[m.walk().Tasks[i].LogicalID])
	if m.walk().Kind == remove || m.walk().Kind == cleanup {
		m.markChanged(m.taskResource(i))
	}
}

func (m *Machine) markChanged(r *StackResource) {
	if r != nil && m.changed.partial {
		m.changed.resources[r] = struct{}{}
	}
}

func (m *Machine) markRequest(q *Request) {
	if m.changed.partial {
		m.changed.requests[q] = struct{}{}
	}
}

var errPatch = errors.New("what is to be changed is not in the stack")

// Apply applies a Patch. It fails if the Patch is of another stack; the stack must
// not be used after that.
func (s *Stack) Apply(p *Patch) error {
	s.Status, s.StatusReason, s.Drawn = p.Status, p.StatusReason, p.Drawn
	s.Events, s.Left = append(s.Events, p.Events...), append(s.Left, p.Left...)
	if s.Places == nil {
		s.Places = map[string]string{}
	}
	maps.Copy(s.Places, p.Places)
	ok := setElements(&s.Resources, p.Resources) && setElements(&s.Leaving, p.Leaving) && setElements(&s.Requests, p.Requests)
	if o := s.Operation; o != nil {
		o.Orphans, o.Failures = p.Orphans, append(o.Failures, p.Failures...)
		if w := o.Walk; w != nil {
			w.Halted, w.NotBefore = p.Halted, p.NotBefore
			n := len(w.Tasks)
			ok = ok && setElements(&w.Tasks, p.Tasks) && len(w.Tasks) == n
		}
	}
	for _, i := range slices.Sorted(maps.Keys(p.Nested)) {
		ok = ok && s.applyNested(i, p.Nested[i])
	}
	if !ok {
		return errPatch
	}
	return nil
}

// applyNested applies a change to a nested stack, or adds a nested stack.
func (s *Stack) applyNested(i int, c Change) bool {
	hasPlace := i >= 0 && i <= len(s.Nested)
	isEmpty := c.Stack == nil && c.Patch == nil
	switch {
	case !hasPlace || isEmpty:
		return false
	case c.Stack == nil:
		return i < len(s.Nested) && s.Nested[i] != nil && s.Nested[i].Apply(c.Patch) == nil
	case i == len(s.Nested):
		s.Nested = append(s.Nested, c.Stack)
	default:
		s.Nested[i] = c.Stack
	}
	return true
}

// Whole reports whether no element of a list is missing in a stack that was read, and each
// request is its own.
func (s *Stack) Whole() bool {
	if s.Operation != nil && s.Operation.Walk != nil && slices.Contains(s.Operation.Walk.Tasks, nil) {
		return false
	}
	if slices.Contains(s.Resources, nil) || slices.Contains(s.Leaving, nil) {
		return false
	}
	isStray := func(q *Request) bool { return q == nil || q.StackID != s.ID }
	isBroken := func(n *Stack) bool { return n == nil || !n.Whole() }
	broken := slices.ContainsFunc(s.Requests, isStray) || slices.ContainsFunc(s.Nested, isBroken)
	return !broken
}

// setElements sets elements of a list by place, also those that follow its end.
func setElements[T any](list *[]*T, all map[int]*T) bool {
	var added []int
	for i, e := range all {
		switch {
		case e == nil || i < 0 || i >= len(*list)+len(all):
			return false
		case i < len(*list):
			(*list)[i] = e
		default:
			added = append(added, i)
		}
	}
	slices.Sort(added)
	for _, i := range added {
		if i != len(*list) {
			return false
		}
		*list = append(*list, all[i])
	}
	return true
}
