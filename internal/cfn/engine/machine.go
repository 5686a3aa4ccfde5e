package engine

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

// A Machine plays a stack. It is not safe for concurrent use: whoever has it
// gives it one input at a time, and after each one saves the stack if it is to
// survive, takes the requests and sends them, and comes back with an answer, or
// at the deadline.
type Machine struct {
	// StandIn scripts what becomes of stand-ins; nil lets all succeed. It is no
	// part of the stack: set it again after Resume.
	StandIn StandIn

	// KeepExports refuses the outputs of an operation that is about to end well,
	// for the sake of other stacks; nil lets all pass. Set it as StandIn.
	KeepExports func([]StackOutput) error

	stack          *Stack
	stable, target *Template
	now            time.Time
	byID           map[string]*StackResource // those in stack.Resources that are not gone
	pending        map[string]*Request       // by RequestId
	out            []*Request
	made           []outcome // of stand-ins and of what failed without a request
	timers         timers
	changed        changes
}

// An outcome is what a task without a request came to.
type outcome struct {
	task int
	verdict
}

// New returns the machine of a stack that does not exist yet.
func New(name string, o Options) *Machine {
	o.fill()
	s := &Stack{Name: name, Options: o}
	s.ID = "arn:" + o.Partition + ":cloudformation:" + o.Region + ":" + o.Account + ":stack/" + name + "/" + s.uuid(1)
	return Resume(s, nil)
}

// Resume returns the machine of a stack that was kept, which it goes on to
// change. Templates are by revision: those of the stack's Stable and Target.
// A request that was Pending is so still; [Machine.Pending] lists them.
func Resume(s *Stack, templates map[int]*Template) *Machine {
	m := &Machine{stack: s, stable: templates[s.Stable], target: templates[s.Target],
		byID: make(map[string]*StackResource, len(s.Resources)), pending: map[string]*Request{}}
	for _, r := range s.Resources {
		if !r.Gone {
			m.byID[r.LogicalID] = r
		}
	}
	if w := m.walk(); w != nil {
		w.link()
		for _, r := range s.Requests {
			if r.Outcome == Pending {
				m.pending[r.RequestID] = r
				m.timers.add(r.Deadline, r)
			}
		}
		m.timers.add(w.NotBefore, nil)
		for _, t := range w.Tasks {
			if t.State == paused {
				m.timers.add(t.NotBefore, nil)
			}
		}
	}
	return m
}

// Stack returns the stack, to be read.
func (m *Machine) Stack() *Stack { return m.stack }

// Take returns the requests that are to be sent, each once.
func (m *Machine) Take() []*Request {
	out := m.out
	m.out = nil
	return out
}

// Pending returns the requests whose answers are waited for, in the order of
// the tasks that they are for.
func (m *Machine) Pending() []*Request {
	return slices.SortedFunc(maps.Values(m.pending), func(a, b *Request) int { return cmp.Compare(a.Task, b.Task) })
}

// Deadline returns when Tick is to be called if nothing else happens before.
func (m *Machine) Deadline() (at time.Time, ok bool) { return m.timers.first() }

// Tick tells the machine that it is now. What was waited for long enough is
// given up.
func (m *Machine) Tick(now time.Time) {
	m.now = now
	if !m.timers.due(now) || m.walk() == nil {
		return
	}
	for _, r := range m.Pending() {
		if !r.Deadline.After(now) && m.pending[r.RequestID] == r { // not cancelled by the one before
			m.close(r, verdict{outcome: TimedOut, reason: timeoutReason(r, &m.stack.Options)})
			m.advance()
		}
	}
	if w := m.walk(); w != nil {
		if !w.NotBefore.After(now) {
			w.NotBefore = time.Time{}
		}
		for i, t := range w.Tasks {
			if t.State == paused && !t.NotBefore.After(now) {
				m.try(i)
			}
		}
	}
	m.advance()
}

// Answer hands over what was PUT to a request's URL. An answer that nobody
// waits for is kept in the request, ignored, and reported as false: it came
// after another one, after the deadline, or after the request was cancelled.
// What its handler did is done all the same [O].
func (m *Machine) Answer(now time.Time, requestID string, body []byte) bool {
	m.now = now
	r := m.pending[requestID]
	if r == nil {
		if r := m.request(requestID); r != nil {
			r.Late = append(r.Late, string(body))
			m.touchRequest(r)
		}
		return false
	}
	r.Answer = string(body)
	m.close(r, judge(r, body, &m.stack.Options))
	m.advance()
	return true
}

// Lose keeps an answer that CloudFormation never gets. Nothing comes of it.
func (m *Machine) Lose(requestID string, body []byte) {
	if r := m.request(requestID); r != nil {
		r.Lost = append(r.Lost, string(body))
		m.touchRequest(r)
	}
}

// request returns the latest request of an ID, or nil.
func (m *Machine) request(id string) *Request {
	for _, r := range slices.Backward(m.stack.Requests) {
		if r.RequestID == id {
			return r
		}
	}
	return nil
}

// Refuse tells that a request's function or topic could not be called: it does
// not exist, or CloudFormation may not call it. The resource fails at once, and
// its deadline is not waited for [O].
func (m *Machine) Refuse(now time.Time, requestID, reason string) {
	m.now = now
	if r := m.pending[requestID]; r != nil {
		m.close(r, verdict{outcome: Uncalled, reason: reason})
		m.advance()
	}
}

// close ends the wait for a request's answer and acts on it.
func (m *Machine) close(r *Request, v verdict) {
	delete(m.pending, r.RequestID)
	r.Outcome, r.Reason, r.ClosedAt = v.outcome, v.reason, m.now
	m.touchRequest(r)
	m.settle(r.Task, r, v)
}

// send sends a request about a resource, with its properties as they are.
func (m *Machine) send(task int, kind string, r *StackResource) {
	o := &m.stack.Options
	q := &Request{RequestType: kind, StackID: m.stack.ID, LogicalID: r.LogicalID, Type: r.Type, ServiceToken: r.ServiceToken,
		Properties: r.Properties, SentAt: m.now, Task: task}
	seconds := 3600 // [D]
	if r.ServiceTimeout != "" {
		seconds, _ = strconv.Atoi(r.ServiceTimeout) // checked when it was resolved
		if !o.NoTopServiceTimeout {
			q.ServiceTimeout = r.ServiceTimeout
		}
	}
	q.Deadline = m.now.Add(time.Duration(seconds) * time.Second)
	if kind != "Create" {
		q.PhysicalID = r.PhysicalID
	}
	if kind == "Update" {
		q.OldProperties = r.Old
	}
	if o.ReuseRequestIDs {
		same := []string{q.StackID, q.LogicalID, kind, q.PhysicalID, string(q.Properties), string(q.OldProperties)}
		q.RequestID = uuid(4, hash(same...), mix(hash(same...)))
	} else {
		q.RequestID = m.stack.uuid(4)
	}
	r.Sent = true
	m.stack.Requests = append(m.stack.Requests, q)
	m.pending[q.RequestID] = q
	m.timers.add(q.Deadline, q)
	m.out = append(m.out, q)
}

func (m *Machine) walk() *Walk {
	if m.stack.Operation == nil {
		return nil
	}
	return m.stack.Operation.Walk
}

// cleaning reports whether the stack is in one of the two cleanups.
func (m *Machine) cleaning() bool { w := m.walk(); return w != nil && w.Kind == cleanup }
