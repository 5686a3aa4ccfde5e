package engine

import "time"

// A Walk is one pass over the resources of a stack, in the order of their
// dependencies. Tasks that wait for nothing start at once, together [V].
type Walk struct {
	Kind      string
	Tasks     []*Task
	NotBefore time.Time `json:",omitzero"`  // nothing starts before
	Halted    bool      `json:",omitempty"` // nothing new starts

	dependents [][]int
	waits      []int
	ready      []int // waiting for nothing, in the order in which they came to
	running    int
	open       int // neither done nor failed
}

// The kinds of walks, by what they do when a resource fails.
const (
	forward  = "forward"  // creates and updates; cancels the others and rolls back, or with DisableRollback lets them end
	rollback = "rollback" // restores; starts nothing more and waits for running tasks
	remove   = "delete"   // deletes; leaves alone what the failed resource depends on, and continues with the rest
	cleanup  = "cleanup"  // deletes what is in Leaving; gives up what failed three times, and continues
)

// A Task is what a walk does with one resource.
type Task struct {
	LogicalID string
	Needs     []int     `json:",omitempty"` // tasks that must be done before
	State     string    `json:",omitempty"` // "": waiting
	Tries     int       `json:",omitempty"` // of a Delete
	NotBefore time.Time `json:",omitzero"`
	Restoring bool      `json:",omitempty"` // the failed Update is being undone

	// What a task of remove or cleanup deletes: its place in the stack's
	// Resources or Leaving, or -1 if there is nothing to do but keep the order.
	Leaving bool `json:",omitempty"`
	Index   int  `json:",omitempty"`
	Release bool `json:",omitempty"` // it is a nested stack, which is not deleted but cleaned up
}

const (
	waiting = ""
	running = "running"
	paused  = "paused"
	done    = "done"
	failed  = "failed"
)

// tasks returns a task for each resource of a template, in the order of the template.
func (t *Template) tasks() []*Task {
	index := make(map[string]int, len(t.Resources))
	for i := range t.Resources {
		index[t.Resources[i].LogicalID] = i
	}
	all, values := make([]*Task, len(t.Resources)), make([]Task, len(t.Resources))
	for i := range t.Resources {
		r := &t.Resources[i]
		values[i].LogicalID = r.LogicalID
		for _, d := range r.DependsOn {
			values[i].Needs = append(values[i].Needs, index[d])
		}
		all[i] = &values[i]
	}
	return all
}

// link computes the walk's unexported fields from its tasks.
func (w *Walk) link() {
	w.dependents = make([][]int, len(w.Tasks))
	w.waits = make([]int, len(w.Tasks))
	w.ready, w.running, w.open = nil, 0, 0
	for i, t := range w.Tasks {
		for _, n := range t.Needs {
			w.dependents[n] = append(w.dependents[n], i)
			if w.Tasks[n].State != done {
				w.waits[i]++
			}
		}
		switch t.State {
		case waiting:
			w.open++
			if w.waits[i] == 0 && !w.Halted {
				w.ready = append(w.ready, i)
			}
		case running, paused:
			w.open++
			w.running++
		}
	}
}

func (m *Machine) startWalk(w *Walk) {
	w.link()
	m.markAllChanged()
	m.stack.Operation.Walk = w
	m.stack.Operation.Failures = nil
}

// advance does everything that need not wait for an answer, the time or a nested stack.
func (m *Machine) advance() {
	for w := m.walk(); w != nil; w = m.walk() {
		switch {
		case len(w.ready) > 0 && w.NotBefore.After(m.top.now):
			return
		case len(w.ready) > 0:
			i := w.ready[0]
			w.ready = w.ready[1:]
			w.Tasks[i].State = running
			w.running++
			m.start(i)
		case len(m.immediate) > 0:
			o := m.immediate[0]
			m.immediate = m.immediate[1:]
			m.settleTask(o.task, nil, o.verdict)
		case m.settleNested():
		case w.running > 0:
			return
		case w.open > 0 && w.release():
		case m.inProgress(): // on its own way back
			return
		default:
			m.finish()
		}
	}
	m.timers, m.immediate = m.timers[:0], nil
}

// advanceAll advances the machine, then those of the stacks that it is nested in.
func (m *Machine) advanceAll() {
	for ; m != nil; m = m.parent {
		m.advance()
	}
}

// release makes ready the first waiting task that does not depend on a failed one,
// and reports whether there is one. Such tasks wait for each other: the resources to
// delete may come from several templates, whose dependencies can form a cycle after
// updates that failed with DisableRollback.
func (w *Walk) release() bool {
	if w.Kind != remove && w.Kind != cleanup {
		return false // one template, which has no such rings
	}
	blocked := make([]bool, len(w.Tasks))
	var block func(i int)
	block = func(i int) {
		for _, d := range w.dependents[i] {
			if !blocked[d] {
				blocked[d] = true
				block(d)
			}
		}
	}
	for i, t := range w.Tasks {
		if t.State == failed {
			block(i)
		}
	}
	for i, t := range w.Tasks {
		if t.State == waiting && !blocked[i] {
			w.waits[i] = 0
			w.ready = append(w.ready, i)
			return true
		}
	}
	return false
}

// complete ends a task, and notes which template it has led its resource to, also if nothing had to
// be changed. What a walk makes another resource of, what it adds, and what it leaves
// for the cleanup keep the template that made them: the code and the environment of a
// function are those of its revision, whichever way the stack goes.
func (m *Machine) complete(i int) {
	w := m.walk()
	switch id := w.Tasks[i].LogicalID; w.Kind {
	case forward:
		m.byID[id].Revision = m.stack.Target
	case rollback:
		m.byID[id].Revision = m.stack.Stable
	}
	w.done(i)
}

// done ends a task. Tasks that waited for it alone are ready.
func (w *Walk) done(i int) {
	w.Tasks[i].State = done
	w.running--
	w.open--
	for _, d := range w.dependents[i] {
		w.waits[d]--
		isNext := w.waits[d] == 0 && w.Tasks[d].State == waiting
		if isNext && !w.Halted {
			w.ready = append(w.ready, d)
		}
	}
}

// failTask ends a task that failed. Tasks that wait for it do not start.
func (m *Machine) failTask(i int, verb string) {
	w, o := m.walk(), m.stack.Operation
	t := w.Tasks[i]
	t.State = failed
	w.running--
	w.open--
	o.Failures = append(o.Failures, Failure{t.LogicalID, verb})
	switch {
	case w.Kind == rollback:
		w.Halted, w.ready = true, nil
	case w.Kind == forward && !o.DisableRollback:
		m.cancelTasks()
		m.rollBack("")
	}
}

func (m *Machine) start(i int) {
	m.markTask(i)
	switch w := m.walk(); w.Kind {
	case forward:
		m.startForward(i)
	case rollback:
		m.startRollback(i)
	default:
		m.startDelete(i)
	}
}

// settleTask processes the result of a task. q is nil if no request was sent.
func (m *Machine) settleTask(i int, q *Request, v verdict) {
	w, rows := m.walk(), len(m.stack.Events)
	m.markTask(i)
	defer func() { m.stack.place(rows, v.reason, v.place) }()
	switch {
	case w.Kind == remove || w.Kind == cleanup:
		m.settleDelete(i, v)
	case w.Kind == rollback:
		m.settleRollback(i, q, v)
	default:
		m.settleForward(i, q, v)
	}
}

func (m *Machine) finish() {
	switch w := m.walk(); w.Kind {
	case forward:
		m.finishForward()
	case rollback:
		m.finishRollback()
	case remove:
		m.finishDelete()
	case cleanup:
		m.finishCleanup()
	}
}

func (m *Machine) endOperation(status, reason string) {
	m.addStackEvent(status, reason)
	m.markAllChanged()
	m.stack.Operation.Walk = nil
}
