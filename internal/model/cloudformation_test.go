package model

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A stack is CloudFormation's side of one custom resource: which requests it
// sends in which order, and what it makes of the answers (Developer and
// reference guides, "Custom resources" and "Monitor stack progress", and what
// people saw). It has one resource, and siblings only in that they fail; it
// knows no nested stacks, no DisableRollback and no change sets.
type stack struct {
	*lambda
	reading reading
	step    step
	used    bool // the step's fault
	forked  bool // the readings differ in what happened

	id       string // "" if there is no resource
	template template
	requests int
	steps    int

	seen seen
}

// seen is what DescribeStacks and DescribeStackResource show.
type seen struct {
	mu     sync.Mutex
	status lifecycle.StackStatus
	id     string // the resource's, or "" if it is deleted
}

func (s *stack) turn(status lifecycle.StackStatus) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	s.seen.status, s.seen.id = status, s.id
	s.w.tell("    stack: %s", status)
}

// why is Options.Phase: an oracle, which knows the stack as it is at this
// moment.
func (s *stack) why(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	phase := lifecycle.PhaseOf(s.seen.status, lifecycle.Request(op.Name), true)
	if op.Name == "Delete" && op.PhysicalID == s.seen.id {
		phase = lifecycle.PhaseNotAwaited
	}
	s.w.tell("      asked: %s", phase)
	return phase, nil
}

// send makes an event and delivers it with the step's fault, if it is meant.
func (s *stack) send(r request, requestType, id string, p, old template) (a *answer, excused bool) {
	ev := s.event(requestType, id, p, old)
	var f fault
	if s.step.at == r && !s.used {
		f, s.used = s.step.fault, true
	}
	return s.request(ev, f, 0)
}

func (s *stack) event(requestType, id string, p, old template) event {
	pass(time.Second)
	s.requests++
	n := s.requests
	if s.warm {
		n = 1 // CloudFormation uses RequestIds again now and then
	}
	ev := event{requestType, fmt.Sprintf("6245fb70-1335-46ef-8452-%012d", n), id, p, old, time.Now()}
	s.w.tell("    -> %v", ev)
	return ev
}

func (s *stack) play(st step) {
	s.step, s.used = st, false
	s.steps++
	s.w.tell("%v:", st)
	switch st.op {
	case create:
		s.create(s.templateOf(st))
	case update:
		s.update(s.templateOf(st))
	case remove:
		s.delete()
	}
	if st.needsWarmth() {
		pass(time.Minute) // until what goes on after its answer has ended
	}
}

func (s *stack) templateOf(st step) template {
	t := template{properties: properties{Note: fmt.Sprintf("note%d", s.steps), Size: s.steps}, malformed: st.bad}
	switch {
	case s.k.keepName:
		t.Name, t.Topic = "kept", st.to
	case s.k.naming == chosen:
		t.Name = st.to
	default:
		t.Topic = st.to
	}
	if st.bad == "identity" {
		t.malformed = "Topic"
		if t.Name != "" {
			t.malformed = "Name"
		}
	}
	return t
}

var none = template{absent: true}

func (s *stack) create(p template) {
	if s.k.legacy != "" {
		s.id, s.template = s.k.id(s.k.legacy), p
		s.w.put(thing{name: s.k.legacy, has: &p.properties, legacy: true})
		s.w.tell("    (made by another library: %s)", s.id)
		s.turn(lifecycle.StackCreateComplete)
		s.settled()
		return
	}
	s.turn(lifecycle.StackCreateInProgress)
	if s.step.how == landed || s.step.how == overtaken {
		s.cancel(s.event("Create", "", p, none), func() { s.undo(generated, p) })
		return
	}
	a, excused := s.send(forward, "Create", "", p, none)
	s.explained(a, excused)
	switch {
	case a == nil:
		s.undo(generated, p)
	case a.Status == "FAILED" || s.step.how == sibling:
		s.undo(a.PhysicalResourceId, p)
	default:
		s.id, s.template = a.PhysicalResourceId, p
		s.turn(lifecycle.StackCreateComplete)
		s.settled()
	}
}

// cancel sends a request, and does what overtakes it while the handler works.
func (s *stack) cancel(ev event, overtake func()) {
	var slow, head time.Duration
	switch {
	case s.step.how == landed:
		slow, head = 10*time.Second, 15*time.Second
	case s.step.how == conflicting:
		slow, head = 13*time.Second, 5*time.Second
	default:
		slow, head = 10*time.Second, 5*time.Second
	}
	s.w.serialises = s.step.how == conflicting
	var wg sync.WaitGroup
	wg.Go(func() { s.request(ev, fault{}, slow) })
	pass(head)
	s.w.tell("    (cancelled: its answer is ignored)")
	overtake()
	wg.Wait()
}

// undo deletes what a Create made that did not stay.
func (s *stack) undo(id string, p template) {
	s.turn(lifecycle.StackRollbackInProgress)
	if ok, excused := s.remove(id, p); ok {
		s.turn(lifecycle.StackRollbackComplete)
		return
	} else if !excused {
		s.w.harm("ROLLBACK_FAILED", "")
		return
	}
	s.w.tell("    (ROLLBACK_FAILED; DeleteStack)")
	s.turn(lifecycle.StackDeleteInProgress)
	if ok, _ := s.remove(id, p); !ok {
		s.w.harm("DELETE_FAILED", "")
	}
	s.turn(lifecycle.StackDeleteComplete)
}

func (s *stack) remove(id string, p template) (ok, excused bool) {
	a, excused := s.send(cleanup, "Delete", id, p, none)
	return a != nil && a.Status == "SUCCESS", excused
}

// sweep is the cleanup after an update, or after its rollback: three tries,
// then the resource is forgotten.
func (s *stack) sweep(during lifecycle.StackStatus, id string, p template) {
	s.turn(during)
	for range 3 {
		if ok, _ := s.remove(id, p); ok {
			return
		}
	}
	s.w.harm("a cleanup that fails", "%s", short(id))
}

func (s *stack) delete() {
	if s.id == "" {
		return
	}
	id := s.id
	s.id = ""
	s.turn(lifecycle.StackDeleteInProgress)
	defer s.turn(lifecycle.StackDeleteComplete)
	if ok, excused := s.remove(id, s.template); ok {
		return
	} else if !excused {
		s.w.harm("DELETE_FAILED", "")
		return
	}
	s.w.tell("    (DELETE_FAILED; DeleteStack)")
	if ok, _ := s.remove(id, s.template); !ok {
		s.w.harm("DELETE_FAILED", "")
	}
}

func (s *stack) update(p template) {
	a, old, was := s.id, s.template, s.current()
	if a == "" {
		return
	}
	if s.step.outdated {
		old.malformed, old.Size = "Size", 0
	}
	s.turn(lifecycle.StackUpdateInProgress)
	ev := s.event
	if s.step.how >= landed {
		s.cancel(ev("Update", a, p, old), func() { s.back(a, a, old, p) })
		s.restored(was, a)
		return
	}
	ans, excused := s.send(forward, "Update", a, p, old)
	s.explained(ans, excused)
	switch {
	case ans == nil:
		s.back(a, a, old, p)
	case ans.Status == "SUCCESS" && s.step.how == sibling:
		s.back(a, ans.PhysicalResourceId, old, p)
	case ans.Status == "SUCCESS":
		s.id, s.template = ans.PhysicalResourceId, p
		s.replaced(was, a, old)
		s.turn(lifecycle.StackUpdateComplete)
		return
	case ans.PhysicalResourceId == a:
		s.back(a, a, old, p)
	default:
		s.forked = true
		switch s.reading {
		case pointsBack:
			s.id = a
			s.sweep(lifecycle.StackUpdateRollbackCompleteCleanupInProgress, ans.PhysicalResourceId, p)
			s.turn(lifecycle.StackUpdateRollbackComplete)
		case updates:
			s.back(a, ans.PhysicalResourceId, old, p)
		case keeps:
			s.id = ans.PhysicalResourceId
			return
		}
	}
	s.restored(was, a)
}

// back is the rollback of an update to p that left the resource id.
func (s *stack) back(a, id string, old, p template) {
	for range 2 {
		s.turn(lifecycle.StackUpdateRollbackInProgress)
		ans, excused := s.send(rollback, "Update", id, old, p)
		if ans != nil && ans.PhysicalResourceId != id && ans.Status == "FAILED" {
			s.forked = true
		}
		if ans != nil && ans.Status == "SUCCESS" {
			s.id, s.template = ans.PhysicalResourceId, old
			if s.id != id {
				s.sweep(lifecycle.StackUpdateRollbackCompleteCleanupInProgress, id, p)
			}
			s.turn(lifecycle.StackUpdateRollbackComplete)
			return
		}
		s.turn(lifecycle.StackUpdateRollbackFailed)
		if !excused {
			s.w.harm("UPDATE_ROLLBACK_FAILED", "")
			return
		}
		s.w.tell("    (UPDATE_ROLLBACK_FAILED; ContinueUpdateRollback)")
		if ans != nil {
			id = ans.PhysicalResourceId
		}
	}
}
