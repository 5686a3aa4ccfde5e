package play

import "slices"

// A task is a request that may take several invocations.
type task struct {
	request  string
	from, to any // nil is no resource
	replaces bool
}

// tasks are the suite's.
func (s *suite) tasks() (all []task) {
	for _, t := range []task{
		{"Create", nil, s.Properties, false},
		{"Update", s.Properties, s.InPlace, false},
		{"Update", s.Properties, s.Replacing, true},
		{"Delete", s.Properties, nil, false},
	} {
		if t.to != nil || t.request == "Delete" {
			all = append(all, t)
		}
	}
	return all
}

// drawnOut plays a task that takes several invocations, with what goes wrong in
// them. id is the resource's before the task. It reports whether the function
// went on in another invocation: a Poll may have a limit of its own, and not each
// method waits.
func (s *suite) drawnOut(t task, what FaultKind) (p *play, id string, wentOn bool, err error) {
	p = s.play()
	if t.from != nil {
		if err := p.prepare(t.from); err != nil {
			return p, "", false, err
		}
	}
	id = p.id()
	p.inject(Fault{What: what, Request: t.request})
	if t.to != nil {
		p.deploy(t.to)
	} else {
		p.destroy()
	}
	wentOn = slices.ContainsFunc(p.deliveries(t.request), func(d Delivery) bool { return d.Continued })
	return p, id, wentOn, p.err
}

// eachDrawnOut plays each task of some requests with each of some faults, and
// judges those in which the function went on.
func (s *suite) eachDrawnOut(tasks []task, kinds []FaultKind, judge func(p *play, t task, id string) error) error {
	asked := false
	for _, t := range tasks {
		for _, what := range kinds {
			p, id, wentOn, err := s.drawnOut(t, what)
			if err == nil && wentOn {
				err = judge(p, t, id)
			}
			if err != nil {
				return err
			}
			asked = asked || wentOn
		}
	}
	if !asked {
		return lacking("no Poll is cut off by the end of an invocation in it, so nothing goes on in the next")
	}
	return nil
}

func (s *suite) tasksOf(fits func(t task) bool) []task {
	return slices.DeleteFunc(s.tasks(), func(t task) bool { return !fits(t) })
}

// goesOn holds that what waits until its invocation ends goes on in the next.
func goesOn(s *suite) error {
	for _, t := range s.tasks() {
		p, _, _, err := s.drawnOut(t, Slow)
		if err != nil && p.violation != tooSoon { // which is the next check's
			return err
		}
		for _, d := range p.deliveries(t.request) {
			if d.cut && !d.Continued {
				return p.wrong("the %s waits in a Poll until its invocation ends, and fails, since it does not return Poll's error: "+
					"return that, wrapped with %%w or as it is, and joined with no other", t.request)
			}
		}
	}
	return nil
}

// succeedsWhenReady holds that nothing succeeds before it is ready.
func succeedsWhenReady(s *suite) error {
	for _, t := range s.tasks() {
		if _, _, _, err := s.drawnOut(t, Slow); err != nil {
			return err
		}
	}
	return nil
}

func makesOne(s *suite) error {
	kinds := []FaultKind{Slow, LinkDies, LinkTwice, ContinueLost}
	return s.eachDrawnOut(s.tasksOf(func(t task) bool { return t.from == nil }), kinds, func(p *play, t task, _ string) error {
		if status := p.status(); status != "CREATE_COMPLETE" {
			return p.wrong("the stack is in %s, want CREATE_COMPLETE", status)
		}
		return p.created(t.to)
	})
}

func updatesOver(s *suite) error {
	kinds := []FaultKind{Slow, LinkDies, LinkTwice, ContinueLost}
	return s.eachDrawnOut(s.tasksOf(func(t task) bool { return t.from != nil && t.to != nil }), kinds, func(p *play, t task, id string) error {
		if status := p.status(); status != "UPDATE_COMPLETE" {
			return p.wrong("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if replaced := p.id() != id; replaced != t.replaces {
			return p.wrong("the resource is now %s, and was %s", p.id(), id)
		}
		if err := p.is(p.id(), t.to); err != nil {
			return err
		}
		return p.only(p.id())
	})
}

func deletesOver(s *suite) error {
	kinds := []FaultKind{Slow, LinkDies, LinkTwice, ContinueLost}
	return s.eachDrawnOut(s.tasksOf(func(t task) bool { return t.to == nil }), kinds, func(p *play, _ task, _ string) error {
		if status := p.status(); status != "DELETE_COMPLETE" {
			return p.wrong("the stack is in %s, want DELETE_COMPLETE", status)
		}
		return p.nothingLeft()
	})
}

func cancelledOver(s *suite) error { return s.allBack(CancelBetween, CancelWaiting) }

func failedOver(s *suite) error { return s.allBack(LinkFails, PhaseLost) }

// allBack holds that tasks which do not succeed leave nothing. What replaces
// another thing is not asked of a Create that cannot call Created.
func (s *suite) allBack(kinds ...FaultKind) error {
	err := s.eachDrawnOut(s.tasksOf(func(t task) bool { return t.to != nil && !t.replaces }), kinds, (*play).back)
	if err != nil || s.Replacing == nil || s.putsOver() {
		return err
	}
	return s.eachDrawnOut(s.tasksOf(func(t task) bool { return t.replaces }), kinds, (*play).back)
}

// back holds that a task that did not succeed has left nothing of its own, and
// what there was before as it was.
func (p *play) back(t task, id string) error {
	switch status := p.status(); {
	case t.from == nil && (status == "DELETE_COMPLETE" || status == "ROLLBACK_COMPLETE"):
		return p.nothingLeft()
	case t.from != nil && status == "UPDATE_ROLLBACK_COMPLETE":
		if err := p.still(id, t.from); err != nil {
			return err
		}
		return p.only(id)
	default:
		return p.wrong("the stack is in %s", status)
	}
}
