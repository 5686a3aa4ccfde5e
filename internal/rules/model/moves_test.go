package model

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// shrink is the rollback of an update that added the resource.
func (s *stack) shrink(id string, p properties) {
	s.turn(lifecycle.StackUpdateRollbackInProgress)
	s.restore()
	s.turn(lifecycle.StackUpdateRollbackCompleteCleanupInProgress)
	s.clean(id, p)
	s.turn(lifecycle.StackUpdateRollbackComplete)
}

// leave takes the resource out of the template.
func (s *stack) leave() {
	id, p, t := s.id, s.p, s.read(s.id)
	s.begin(lifecycle.StackUpdateInProgress)
	s.id = ""
	s.turn(lifecycle.StackUpdateCompleteCleanupInProgress)
	if s.step.how == retains && t != nil {
		t.state = retained
		s.shows, s.exists = "", false
		s.show()
	} else {
		s.clean(id, p)
	}
	s.turn(lifecycle.StackUpdateComplete)
	s.grown, s.skipped = true, false
}

// A place is where a resource stands that the stack may have to come back to, or to delete.
type place struct {
	id    string
	p     properties
	wants properties
	was   *thing
}

// skip marks the resource as rolled back, without a request (ResourcesToSkip).
func (s *stack) skip(id string, old, p properties) {
	s.tell("  (skipped)")
	s.id, s.p, s.half = id, old, false
	s.skipped, s.failedAt = true, p
	s.skippedOnce = s.skippedOnce || old.identity != p.identity
	s.cleanMade(lifecycle.StackUpdateRollbackCompleteCleanupInProgress)
	s.turn(lifecycle.StackUpdateRollbackComplete)
}

// repair leads a resource whose rollback was skipped to where it belongs.
func (s *stack) repair() {
	if !s.skipped || s.helped != skippedRollback {
		return
	}
	st, p := *s.step, s.p
	s.step = &step{}
	p.version = s.version
	if s.astray || s.flip(2) { // after RollbackStack the failed update's values may not be those of what there is
		s.tell("  (the resource leaves the template, and comes back)")
		s.leave()
		s.create(p)
	} else if s.update(properties{identity: s.failedAt.identity, version: s.version}); len(s.found) == 0 && !s.over {
		s.tell("  (with the values of the failed update again; and back)")
		s.update(p)
	}
	s.step = &st
}

// keep is an update in which another resource failed after this one was done, where failures are preserved.
func (s *stack) keep(was *thing, id string, p properties) {
	if s.stable.id == "" {
		s.stable = place{s.id, s.p, s.wants, was}
	}
	s.made = append(s.made, place{id: id, p: p})
	s.id, s.p, s.wants, s.half = id, p, s.revision.means(p), false
	s.turn(lifecycle.StackUpdateFailed)
	s.on(atRest)
	if s.sleep(second * s.roll(120)); s.flip(2) {
		s.rollback(id, p)
	}
}

// keepFailed is an update in which the resource itself failed, where failures are preserved.
func (s *stack) keepFailed(r *request, answer *rules.Answer, was *thing, id string, old, p properties) {
	if answer != nil {
		s.explained(r)
	}
	if answer != nil && answer.ID != id {
		s.made = append(s.made, place{id: answer.ID, p: p}) // the next cleanup deletes it
	}
	s.stay(was, id, old, p)
}

// rollback is RollbackStack after an update to p that left the resource id.
func (s *stack) rollback(id string, p properties) {
	to := s.stable
	if s.helped == preservedTwice && !s.step.returns { // its template is deployed instead
		s.step = &step{preserves: true, returns: true}
		s.update(to.p)
		return
	}
	s.stable, s.astray = place{}, s.p.identity != p.identity
	s.began = s.now
	s.wants = to.wants
	s.made = slices.DeleteFunc(s.made, func(m place) bool { return m.id == to.id })
	s.back(id, to.p, p)
	s.restored(to.was, to.id)
}

// cleanMade deletes in a cleanup what preserved updates have made, or replaced, and the stack does not use.
func (s *stack) cleanMade(cleanup lifecycle.StackStatus) {
	if s.stable.id != "" {
		s.made = append(s.made, s.stable)
	}
	if len(s.made) > 0 && !strings.Contains(string(s.status), "CLEANUP") {
		s.turn(cleanup)
	}
	for i, m := range s.made {
		if m.id == s.id || slices.ContainsFunc(s.made[:i], func(o place) bool { return o.id == m.id }) {
			continue
		}
		if t := s.read(m.id); s.step.how == retains && t != nil {
			t.state = retained
			continue
		}
		s.clean(m.id, m.p)
	}
	s.made = s.made[:0]
}
