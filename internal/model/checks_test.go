package model

import (
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// explained checks that what failed had a reason to.
func (s *stack) explained(a *answer, excused bool) {
	refuses := s.step.bad != "" || s.k.taken != "" || s.k.unexplained() || s.k.keepName && !s.k.loose
	if a != nil && a.Status == "FAILED" && !excused && !refuses {
		s.w.harm("a failure without a cause", "%s", a.Reason)
	}
}

func (s *stack) current() *thing {
	i := s.id
	if s.k.arn {
		if len(i) < 4 || i[:4] != "arn:" {
			return nil
		}
		i = i[4:]
	}
	return s.w.seek(i)
}

// settled checks what a deployment that went well left, after which users'
// data is in it.
func (s *stack) settled() {
	t := s.current()
	switch {
	case t == nil:
		s.w.harm("the stack's resource does not exist", "%s", short(s.id))
		return
	case t.state == stranger:
		s.w.harm("a stranger's resource taken for the stack's", "%s", short(s.id))
		return
	case !s.w.is(t, s.template.properties):
		s.w.harm("not in the state that the template says", "%s", short(s.id))
	}
	t.state, t.data = ours, true
}

// replaced checks a successful update of what was, under the ID a.
func (s *stack) replaced(was *thing, a string, old template) {
	changed := s.template.identity() != old.identity()
	switch {
	case s.id == a:
		if changed && !s.k.unexplained() && !s.k.keepName && was != nil && !was.legacy {
			s.w.harm("not replaced", "%s", short(a))
		}
	case !changed || s.k.unexplained() || was != nil && was.legacy:
		s.w.harm("replaced without need", "%s by %s", short(a), short(s.id))
	}
	s.settled()
	if s.id == a {
		return
	}
	if s.step.how == retains {
		if was != nil {
			was.state = retained
		}
		return
	}
	s.sweep(lifecycle.StackUpdateCompleteCleanupInProgress, a, old)
}

// restored checks that a rollback led back to what was.
func (s *stack) restored(was *thing, a string) {
	switch now := s.current(); {
	case len(s.w.harms) > 0:
		return
	case was != nil && !s.w.lives(was):
		s.w.harm("a live resource deleted", "%s", short(a))
	case now != was:
		s.w.harm("another resource than before", "%s", short(s.id))
	case s.id != a:
		s.w.harm("Ref changed by a rollback", "from %s to %s", short(a), short(s.id))
	case now != nil && !s.w.is(now, s.template.properties):
		s.w.harm("not in the state that the template says", "%s", short(a))
	}
}

// steady checks that what came late has changed nothing of the stack's.
func (s *stack) steady() bool {
	now := s.current()
	switch {
	case s.id == "":
		return true
	case now == nil:
		s.w.harm("a live resource deleted", "%s", short(s.id))
	case !s.w.is(now, s.template.properties):
		s.w.harm("not in the state that the template says", "%s", short(s.id))
	default:
		return true
	}
	return false
}

// audit checks that there is nothing but what the stack holds.
func (s *stack) audit() {
	for _, t := range s.w.things {
		if s.w.lives(t) && t.state == ours && (s.id == "" || t != s.current()) {
			s.w.harm("left behind", "%s", short(t.name))
		}
	}
	if s.id != "" && s.id != physicalid.NotCreated && s.current() == nil {
		s.w.harm("the stack's resource does not exist", "%s", short(s.id))
	}
}
