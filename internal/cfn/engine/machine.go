package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A Machine simulates a stack. It is not safe for concurrent use. Its owner gives it one input at a
// time. After each input the owner saves the stack if it has to survive, takes the requests and
// sends them, and comes back with an answer or at the deadline.
type Machine struct {
	// StandIn scripts the results of stand-ins; nil lets all succeed. It is not part
	// of the stack: set it again after Resume.
	StandIn StandIn

	// Native are the types of the stand-ins; nil knows nothing of any. Set them as StandIn.
	Native NativeTypes

	// KeepExports may refuse the outputs of an operation that is about to succeed,
	// because other stacks import them; nil accepts all. Set it as StandIn.
	KeepExports func(*Stack, []StackOutput) error

	// Types are the registered types that have handlers, by name: all others are
	// stand-ins. Set them as StandIn, before the first input.
	Types map[string]*ResourceType

	stack          *Stack
	stable, target *Template
	top, parent    *Machine                  // of the root stack, and of the one that this is nested in, or nil
	children       map[string]*Machine       // of the stacks that are nested in this one, by ID
	byID           map[string]*StackResource // those in stack.Resources that are not gone
	pending        map[string]*Request       // by RequestId
	immediate      []outcome                 // of stand-ins, and of failures before a request was sent
	timers         timers
	changed        changes

	// Of the root stack alone:
	now    time.Time
	latest time.Time // of the rows
	out    []*Request
	read   Read
}

// An outcome is the result of a task that sent no request.
type outcome struct {
	task int
	verdict
}

// New returns the machine of a stack that does not exist yet.
func New(name string, o Options) *Machine {
	o.setDefaults()
	s := &Stack{Name: name, Options: o}
	s.ID = s.newID()
	return Resume(s, nil)
}

// Resume returns the machine of a saved stack, which the machine then changes. Templates are those
// of the stack's Stable and Target, by revision. Pending requests stay pending; [Machine.Pending]
// lists them. Nested stacks need [Machine.Nest].
func Resume(s *Stack, templates map[int]*Template) *Machine {
	m := &Machine{stack: s, stable: templates[s.Stable], target: templates[s.Target]}
	m.top, m.latest = m, s.Latest()
	m.resume()
	return m
}

// resume derives what a machine keeps about its stack.
func (m *Machine) resume() {
	s := m.stack
	m.byID, m.pending = make(map[string]*StackResource, len(s.Resources)), map[string]*Request{}
	for _, r := range s.Resources {
		if !r.Gone {
			m.byID[r.LogicalID] = r
		}
	}
	if w := m.walk(); w != nil {
		// A deadline that passed while nobody ran the machine is due at the first Tick.
		w.link()
		for _, r := range s.Requests {
			if r.Outcome == Pending {
				m.pending[r.RequestID] = r
				m.timers.add(r.Deadline, r)
				m.timers.add(r.NextCall, r)
			}
		}
		m.timers.add(w.NotBefore, nil)
		for _, t := range w.Tasks {
			if t.State == paused {
				m.timers.add(t.NotBefore, nil)
			}
		}
	}
	for _, nested := range s.Nested {
		m.attachNested(nested)
	}
}

// Stack returns the stack, to be read.
func (m *Machine) Stack() *Stack { return m.stack }

// Take returns the requests to send. It returns each call to a handler once.
func (m *Machine) Take() []*Request {
	out := m.out // also of nested stacks
	m.out = nil
	return out
}

// Redeliver takes the requests that were pending when whoever had sent them ended. It marks those
// that a handler was at work on as interrupted, sends them again if they are still pending, and
// returns what it sends.
func (m *Machine) Redeliver(former []*Request) (again []*Request) {
	for _, q := range former {
		if !q.NextCall.IsZero() {
			continue // no handler was at work
		}
		q.Interrupted = q.Interrupted || q.Made == ""
		if q.Outcome == Pending {
			again = append(again, q)
		}
	}
	m.out = append(m.out, again...)
	m.markAllChanged()
	return again
}

// Pending returns the requests that await an answer, in the order of their tasks:
// first the stack's own, then those of nested stacks.
func (m *Machine) Pending() []*Request {
	all := m.awaited()
	for _, c := range m.nested() {
		all = append(all, c.Pending()...)
	}
	return all
}

func (m *Machine) awaited() []*Request {
	return slices.SortedFunc(maps.Values(m.pending), func(a, b *Request) int { return cmp.Compare(a.Task, b.Task) })
}

// Deadline returns when Tick is to be called if nothing else happens before.
func (m *Machine) Deadline() (at time.Time, ok bool) {
	at, ok = m.timers.first()
	for _, c := range m.nested() {
		next, waits := c.Deadline()
		isFirst := !ok || next.Before(at)
		if waits && isFirst {
			at, ok = next, true
		}
	}
	return at, ok
}

// Tick tells the machine the time. Requests whose deadline has passed time out.
func (m *Machine) Tick(now time.Time) {
	m.now = now
	m.tick()
}

func (m *Machine) tick() {
	now := m.top.now
	for _, c := range m.nested() {
		c.tick()
	}
	if !m.timers.due(now) || m.walk() == nil {
		m.advance() // a nested stack may have gone on
		return
	}
	for _, r := range m.awaited() {
		switch {
		case m.pending[r.RequestID] != r: // cancelled by the one before
		case !r.Deadline.After(now):
			m.close(r, verdict{outcome: TimedOut, reason: m.providerOf(r).timeout(r), physicalID: r.Made})
			m.advance()
		case r.Waits() && !r.NextCall.After(now):
			m.callAgain(r)
		}
	}
	if w := m.walk(); w != nil {
		if !w.NotBefore.After(now) {
			w.NotBefore = time.Time{}
		}
		for i, t := range w.Tasks {
			if t.State == paused && !t.NotBefore.After(now) {
				m.tryDelete(i)
			}
		}
	}
	m.advance()
}

// Answer passes on what was PUT to a request's URL. An answer that nobody waits for is kept in the
// request, ignored, and reported as false: it came after another one, after the deadline, or after
// the request was cancelled. The work of its handler is not undone [O].
func (m *Machine) Answer(now time.Time, requestID string, body []byte) bool {
	m.now = now
	sender, r := m.request(requestID)
	if r == nil {
		return false
	}
	// Nothing but this answer leads to a thing that it names and the stack does not take: the stack
	// keeps it as left behind, also if nobody waits for the answer.
	p := sender.providerOf(r)
	if t, registered := p.(*ResourceType); registered {
		if id := t.stray(r, body); id != "" {
			sender.stack.Left = append(sender.stack.Left, Left{LogicalID: r.LogicalID, PhysicalID: id, Type: r.Type, Properties: r.Properties,
				Why: "an answer to its Create named it, and it is not the stack's"})
		}
	}
	if sender.pending[requestID] != r {
		r.Late = append(r.Late, string(body))
		sender.markRequest(r)
		return false
	}
	// Only a registered type answers that it goes on. Every other answer ends the request.
	v := p.judge(r, body, &sender.stack.Options)
	if v.outcome == Pending {
		sender.scheduleCall(r, v)
		return true
	}
	r.Answer = string(body)
	sender.close(r, v)
	sender.advanceAll()
	return true
}

// LoseAnswer records an answer that never reaches CloudFormation. It has no effect.
func (m *Machine) LoseAnswer(requestID string, body []byte) {
	if sender, r := m.request(requestID); r != nil {
		r.Lost = append(r.Lost, string(body))
		sender.markRequest(r)
	}
}

// request returns the request of an ID that is pending, or else the latest one,
// and the machine that sent it, or nil.
func (m *Machine) request(id string) (sender *Machine, r *Request) {
	if r := m.pending[id]; r != nil {
		return m, r
	}
	for _, c := range m.nested() {
		if sender, r = c.request(id); r != nil && r.Outcome == Pending {
			return sender, r
		}
	}
	for _, own := range slices.Backward(m.stack.Requests) {
		if own.RequestID == id {
			return m, own
		}
	}
	return sender, r
}

// Refuse reports that a request's function or topic could not be called: it does not exist, or
// CloudFormation may not call it. The resource fails at once, before its deadline [O].
func (m *Machine) Refuse(now time.Time, requestID, reason string) {
	m.now = now
	if sender, r := m.request(requestID); r != nil && r.Outcome == Pending {
		sender.close(r, verdict{outcome: Uncalled, reason: reason, physicalID: r.Made})
		sender.advanceAll()
	}
}

// close ends the wait for a request's answer and acts on it.
func (m *Machine) close(r *Request, v verdict) {
	delete(m.pending, r.RequestID)
	r.Outcome, r.Reason, r.ClosedAt = v.outcome, v.reason, m.top.now
	m.markRequest(r)
	m.settleTask(r.Task, r, v)
}

// send sends a request about a resource, with its properties as they are.
func (m *Machine) send(task int, kind string, r *StackResource) {
	o := &m.stack.Options
	q := &Request{RequestType: kind, StackID: m.stack.ID, LogicalID: r.LogicalID, Type: r.Type, Properties: r.Properties, SentAt: m.top.now, Task: task}
	if kind != "Create" {
		q.PhysicalID = r.PhysicalID
	}
	if kind == "Update" {
		q.OldProperties = r.Old
	}
	m.providerOf(q).address(q, r, o)
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
	m.top.out = append(m.top.out, q)
}

func (m *Machine) walk() *Walk {
	if m.stack.Operation == nil {
		return nil
	}
	return m.stack.Operation.Walk
}

// timers are the times at which something may be due, the first one first.
type timers []timer

type timer struct {
	at      time.Time
	request *Request // whose answer is waited for until then, or nil
}

func (t *timers) add(at time.Time, r *Request) {
	if at.IsZero() {
		return
	}
	i := len(*t)
	for i > 0 && (*t)[i-1].at.After(at) { // most are later than all others
		i--
	}
	*t = slices.Insert(*t, i, timer{at, r})
}

// first returns the first time at which something is still waited for.
func (t *timers) first() (at time.Time, ok bool) {
	for len(*t) > 0 {
		if next := (*t)[0]; next.request == nil || next.request.Outcome == Pending {
			return next.at, true
		}
		*t = (*t)[1:]
	}
	return at, false
}

// due removes the timers that are due and reports whether there were any.
func (t *timers) due(now time.Time) bool {
	n := len(*t)
	for len(*t) > 0 && !(*t)[0].at.After(now) {
		*t = (*t)[1:]
	}
	return len(*t) < n
}
