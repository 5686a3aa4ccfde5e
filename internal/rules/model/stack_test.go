package model

import (
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A stack is CloudFormation's side of one custom resource: which requests it sends in which order,
// and what it makes of the answers. Siblings exist only in that they fail.
type stack struct {
	*world
	id     string // "" if there is no resource
	shows  string // the ID that DescribeStackResource shows
	p      properties
	status lifecycle.StackStatus
	began  int // the operation
	exists bool
	views  []view
	step   *step
	used   bool // the step's fault
	count  int  // requests
	left   string
	half   bool       // an Update that failed stays (DisableRollback)
	wants  properties // what the resource is to be, by the deployment that went well last
	grown  bool       // the stack has other resources already: an update adds this one

	skipped     bool       // a rollback's Update was, and nothing has repaired the resource since
	skippedOnce bool       // ever, and the update had changed the identity
	failedAt    properties // of the update whose rollback was skipped

	stable place   // where RollbackStack leads, if failures are preserved
	made   []place // since then
	astray bool    // RollbackStack sent other old properties than those of what there is
	held   int     // until when throttling keeps what is sent
}

func (s *stack) turn(to lifecycle.StackStatus) {
	s.status = to
	if s.id != "" && to != lifecycle.StackUpdateRollbackInProgress {
		s.shows = s.id
	}
	s.show()
	s.tell("stack: %s", to)
}

func (s *stack) begin(to lifecycle.StackStatus) {
	s.sleep(second)
	s.began = s.now
	s.turn(to)
	s.sleep(second)
}

// request makes one, with the step's fault if it is meant.
func (s *stack) request(which part, kind lifecycle.RequestType, id string, p, old properties) *request {
	s.sleep(second)
	s.count++
	if kind == lifecycle.Create && !s.exists {
		s.exists = true
		s.show()
	}
	r := s.nextRequest()
	*r = request{kind: kind, id: id, p: p, old: old, number: s.count, birth: s.now, slow: second / 2}
	if s.step.at == which && !s.used && s.step.fault != nil {
		r.fault, s.used = s.step.fault, true
	}
	if which == forward {
		r.waits, r.link = s.step.waits, s.step.link
	}
	if which == back && s.step.outdated {
		r.problems.Invalid = "Size"
	}
	return r
}

// send delivers a request and waits for its answer. It returns nil if none came.
func (s *stack) send(r *request) *rules.Answer {
	f := r.fault
	s.deliver(r, max(s.now, s.held), f, false)
	if f != nil && f.twice > 0 {
		r.twice, r.faulty, r.lastCount = true, true, f.last
		s.deliver(r, s.now+f.twice, f.other, true)
	}
	s.until(s.now+3600*second, func() bool { return r.answered && (!r.lastCount || r.open == 0) })
	r.givenUp, r.read = !r.answered, r.answered
	if r.answered && r.answer.OK && r.kind != lifecycle.Delete {
		s.shows, s.exists = r.answer.ID, true
		s.show()
	}
	if f != nil && f.what == nothing && f.then == belated {
		r.faulty = true
		s.deliver(r, s.now+f.after, nil, true)
	}
	if !r.answered {
		s.tell("  nobody has answered")
		return nil
	}
	return &r.answer
}

// cancel delivers a request and gives it up after a while.
func (s *stack) cancel(r *request) {
	if r.slow = s.step.slow; r.fault != nil && r.fault.what == denies {
		r.slow = min(r.slow, 12*second) // so that it fits into the function's time, as the others do
	}
	s.held = s.now + s.step.held
	s.deliver(r, s.held, r.fault, false)
	s.sleep(s.step.head)
	r.givenUp = true
	s.tell("  (cancelled: its answer is not read)")
}

func (s *stack) play(st *step) {
	s.step, s.used = st, false
	s.tell("%v:", st)
	s.version++
	p := properties{identity: st.to, version: s.version}
	if st.extra {
		p.extra = s.version
	}
	s.on(alone)
	if s.stable.id != "" { // CloudFormation accepts no other update
		if st.preserves = true; st.how == cancelled {
			st.how = siblingFails
		}
	}
	if s.repair(); len(s.found) > 0 || s.over {
		return
	}
	switch {
	case s.id != "" && st.takesOut && s.stable.id == "":
		s.leave()
	case s.left != "":
		s.again(p)
	case s.id == "":
		s.create(p)
	default:
		s.update(p)
	}
}

func (s *stack) create(p properties) {
	began, failed, complete := lifecycle.StackCreateInProgress, lifecycle.StackCreateFailed, lifecycle.StackCreateComplete
	if s.grown {
		began, failed, complete = lifecycle.StackUpdateInProgress, lifecycle.StackUpdateFailed, lifecycle.StackUpdateComplete
	}
	s.begin(began)
	s.on(within)
	r := s.request(forward, lifecycle.Create, "", p, properties{})
	if s.step.how == cancelled {
		s.cancel(r)
		s.undo(invented, p)
		return
	}
	switch a := s.send(r); {
	case s.step.preserves && (a == nil || !a.OK):
		s.turn(failed)
		s.on(atRest)
		if s.left = invented; a != nil {
			s.left = a.ID
		}
		s.p = p
	case a == nil:
		s.undo(invented, p)
	case !a.OK:
		s.explained(r)
		s.undo(a.ID, p)
	case s.step.how == siblingFails:
		s.undo(a.ID, p)
	default:
		s.id, s.p = a.ID, p
		s.turn(complete)
		s.settled()
	}
}

// again is the next deployment over a Create that failed, where failures are preserved.
func (s *stack) again(p properties) {
	id := s.left
	s.left = ""
	s.begin(lifecycle.StackUpdateInProgress)
	d := s.request(removal, lifecycle.Delete, id, s.p, properties{})
	d.preserved = true
	if a := s.send(d); a == nil || !a.OK {
		s.failed(d, rollbackFailed)
		s.giveUp()
		return
	}
	r := s.request(forward, lifecycle.Create, "", p, properties{})
	switch a := s.send(r); {
	case a == nil:
		s.undo(invented, p)
	case !a.OK:
		s.undo(a.ID, p)
	default:
		s.id, s.p = a.ID, p
		s.turn(lifecycle.StackUpdateComplete)
		s.settled()
	}
}

// undo deletes what a Create made that does not stay.
func (s *stack) undo(id string, p properties) {
	if s.grown {
		s.shrink(id, p)
		return
	}
	s.turn(lifecycle.StackRollbackInProgress)
	if s.remove(id, p, rollbackFailed) {
		s.turn(lifecycle.StackRollbackComplete)
		return
	}
	s.turn(lifecycle.StackRollbackFailed)
	s.on(atRest)
	s.begin(lifecycle.StackDeleteInProgress)
	if !s.remove(id, p, deleteFailed) {
		s.giveUp()
		return
	}
	s.turn(lifecycle.StackDeleteComplete)
}

func (s *stack) remove(id string, p properties, h harm) bool {
	r := s.request(removal, lifecycle.Delete, id, p, properties{})
	if a := s.send(r); a != nil && a.OK {
		if s.shows == id {
			s.shows, s.exists = "", false // it shows as deleted
			s.show()
		}
		return true
	}
	s.failed(r, h)
	return false
}

// clean is the cleanup after an update or its rollback: three tries, then the
// resource is forgotten.
func (s *stack) clean(id string, p properties) {
	for range 3 {
		if s.remove(id, p, cleanupFailed) {
			return
		}
	}
	if t := s.read(id); t != nil {
		t.state = retained
	}
}

func (s *stack) delete() {
	if s.left != "" {
		s.id, s.left = s.left, ""
	}
	if s.id == "" {
		return
	}
	id := s.id
	s.id = ""
	s.begin(lifecycle.StackDeleteInProgress)
	for range 2 { // the user tries again
		if s.remove(id, s.p, deleteFailed) {
			s.id = id
			s.cleanMade(lifecycle.StackDeleteInProgress)
			s.id = ""
			s.turn(lifecycle.StackDeleteComplete)
			return
		}
	}
	s.giveUp()
}

func (s *stack) update(p properties) {
	a, old, was := s.id, s.p, s.read(s.id)
	s.begin(lifecycle.StackUpdateInProgress)
	s.on(within)
	r := s.request(forward, lifecycle.Update, a, p, old)
	if s.step.how == cancelled {
		s.cancel(r)
		s.back(a, old, p)
		s.restored(was, a)
		return
	}
	ans := s.send(r)
	switch {
	case s.step.preserves && s.changing && (ans == nil || !ans.OK):
		s.keepFailed(r, ans, was, a, old, p)
		return
	case ans == nil:
		s.back(a, old, p)
	case ans.OK && s.step.how == siblingFails && s.step.preserves && s.changing:
		s.keep(was, ans.ID, p)
		return
	case ans.OK && s.step.how == siblingFails:
		s.back(ans.ID, old, p)
	case ans.OK:
		s.id, s.p, s.half = ans.ID, p, false
		s.replaced(was, a, old)
		s.skipped = false
		if s.id != a && s.step.how == retains && was != nil {
			was.state = retained
		} else if s.id != a {
			s.turn(lifecycle.StackUpdateCompleteCleanupInProgress)
			s.clean(a, old)
		}
		s.cleanMade(lifecycle.StackUpdateCompleteCleanupInProgress)
		s.stable = place{}
		s.turn(lifecycle.StackUpdateComplete)
		return
	case ans.ID == a && s.step.preserves:
		s.explained(r)
		s.stay(was, a, old, p)
		return
	case ans.ID == a:
		s.explained(r)
		s.back(a, old, p)
	default: // what CloudFormation does then is not documented
		s.explained(r)
		switch s.reading {
		case pointsBack:
			s.turn(lifecycle.StackUpdateRollbackCompleteCleanupInProgress)
			s.clean(ans.ID, p)
			s.turn(lifecycle.StackUpdateRollbackComplete)
		case updates:
			s.back(ans.ID, old, p)
		case keeps:
			s.id = ans.ID
			s.kept = true
			s.giveUp()
			return
		}
	}
	s.restored(was, a)
}

// stay is an Update that failed where failures are preserved: the next request is the rollback that
// the user asks for later, or the next deployment's Update from the properties of before.
func (s *stack) stay(was *thing, a string, old, p properties) {
	s.turn(lifecycle.StackUpdateFailed)
	s.half = true
	s.on(atRest)
	if was != nil && !was.alive {
		s.harm(liveDeleted, was)
	}
	switch s.sleep(second * s.roll(120)); {
	case !s.flip(2):
	case s.stable.id != "":
		s.rollback(a, p)
	default:
		s.back(a, old, p)
		s.restored(was, a)
	}
}

// back is the rollback of an update to p that left the resource id.
func (s *stack) back(id string, old, p properties) {
	for range 2 {
		s.turn(lifecycle.StackUpdateRollbackInProgress)
		s.restore()
		r := s.request(back, lifecycle.Update, id, old, p)
		a := s.send(r)
		if a != nil && a.OK {
			s.id, s.p, s.half = a.ID, old, false
			if s.id != id {
				s.turn(lifecycle.StackUpdateRollbackCompleteCleanupInProgress)
				s.clean(id, p)
			}
			s.cleanMade(lifecycle.StackUpdateRollbackCompleteCleanupInProgress)
			s.turn(lifecycle.StackUpdateRollbackComplete)
			return
		}
		s.failed(r, updateRollbackFailed)
		s.turn(lifecycle.StackUpdateRollbackFailed)
		if s.step.skips {
			s.skip(id, old, p)
			return
		}
		s.on(atRest)
		s.step.outdated = false // a provider that accepts them is deployed
	}
	s.giveUp()
}

// giveUp ends a history that somebody has to clean up by hand.
func (s *stack) giveUp() { s.over = true }

var marker = physicalid.NotCreated
