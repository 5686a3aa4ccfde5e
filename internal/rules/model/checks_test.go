package model

// explained checks that what failed had a reason to.
func (s *stack) explained(r *request) {
	if !r.faulty && !r.refused && !s.troubled() {
		s.blame(causeless, nil, r)
	}
}

// failed checks that what stopped the stack had a reason to.
func (s *stack) failed(r *request, h harm) {
	if !r.faulty && !r.refused {
		s.blame(h, r.blocked, r)
	}
}

// troubled reports whether something from outside may fail a request.
func (s *stack) troubled() bool {
	if s.k.taken != 0 || s.k.rigid {
		return true
	}
	for i := range s.requests {
		if r := &s.requests[i]; i < s.sent && (r.givenUp || r.twice) {
			return true
		}
	}
	return false
}

// settled checks what a deployment that went well left, after which users' data is in it.
func (s *stack) settled() {
	t := s.read(s.id)
	switch {
	case t == nil:
		s.harm(missing, s.last(s.id))
		return
	case t.state == stranger:
		s.harm(strangerTaken, t)
		return
	case t.has != s.p:
		s.harm(otherState, t)
	}
	t.state, t.data = ours, true
}

// replaced checks a successful update of what was, under the ID a.
func (s *stack) replaced(was *thing, a string, old properties) {
	changed := s.p.identity != old.identity
	legacy := was != nil && was.by == nil
	switch {
	case s.id == a && changed && s.k.explained() && was != nil && !legacy:
		s.harm(notReplaced, was)
	case s.id != a && (!changed || !s.k.explained()):
		s.harm(replacedIdly, was)
	}
	s.settled()
}

// restored checks that a rollback led back to what was.
func (s *stack) restored(was *thing, a string) {
	if s.over || was == nil {
		return
	}
	switch now := s.read(s.id); {
	case !was.alive:
		s.harm(liveDeleted, was)
	case now != was || s.id != a:
		s.harm(otherThing, now)
	case now.has != s.p && !s.half: // nobody has asked for it
		s.harm(otherState, now)
	}
}

// steady checks that what came late has changed nothing of the stack's.
func (s *stack) steady() {
	if s.over || s.id == "" || s.id == marker {
		return
	}
	switch t := s.read(s.id); {
	case t == nil:
		s.harm(liveDeleted, s.last(s.id))
	case t.has != s.p && !s.half:
		s.harm(otherState, t)
	}
}

// audit checks that nothing is there that nobody knows of.
func (s *stack) audit() {
	for _, t := range s.things {
		if t.alive && t.state == ours && !s.over {
			s.harm(leftBehind, t)
		}
	}
}

// last returns the thing that bore an ID last, or nil.
func (s *stack) last(id string) (found *thing) {
	for _, t := range s.things {
		if t.id == id {
			found = t
		}
	}
	return found
}
