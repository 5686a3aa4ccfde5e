package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A task is a request that may take several invocations.
type task struct {
	request  string
	from, to any // properties; nil if there is no resource
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

// runTask plays a task that takes several invocations, with a fault. id is the
// resource's physical ID before the task. wentOn reports whether the function went on
// in another invocation: a Poll may have a limit of its own, and a method need not
// wait.
func (s *suite) runTask(t task, what simulate.FaultKind) (p *run, id string, wentOn bool, err error) {
	p = s.newRun()
	if t.from != nil {
		if err := p.mustDeploy(t.from); err != nil {
			return p, "", false, err
		}
	}
	id = p.id()
	p.inject(simulate.Fault{Kind: what, Request: t.request})
	if t.to != nil {
		p.deploy(t.to)
	} else {
		p.destroy()
	}
	wentOn = slices.ContainsFunc(p.deliveries(t.request), func(d simulate.Delivery) bool { return d.Continued })
	return p, id, wentOn, p.err
}

// runTasks plays each task of some requests with each of some faults, and
// judges those in which the function went on.
func (s *suite) runTasks(tasks []task, kinds []simulate.FaultKind, judge func(p *run, t task, id string) error) error {
	asked := false
	for _, t := range tasks {
		for _, what := range kinds {
			p, id, wentOn, err := s.runTask(t, what)
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
		return missing("no Poll is cut off by the end of an invocation in it, so nothing goes on in the next")
	}
	return nil
}

func (s *suite) tasksOf(fits func(t task) bool) []task {
	return slices.DeleteFunc(s.tasks(), func(t task) bool { return !fits(t) })
}

// continuesInNextInvocation checks that a method that waits until its invocation ends
// goes on in the next.
func continuesInNextInvocation(s *suite) error {
	for _, t := range s.tasks() {
		p, _, _, err := s.runTask(t, simulate.Slow)
		if err != nil && !p.tooSoon { // which is the next check's
			return err
		}
		for _, d := range p.deliveries(t.request) {
			if d.CutOff && !d.Continued {
				return p.failf("the %s waits in a Poll until its invocation ends, and fails, since it does not return Poll's error: "+
					"return that, wrapped with %%w or as it is, and joined with no other", t.request)
			}
		}
	}
	return nil
}

// continueSucceedsWhenReady checks that no request succeeds before the thing is ready.
func continueSucceedsWhenReady(s *suite) error {
	for _, t := range s.tasks() {
		if _, _, _, err := s.runTask(t, simulate.Slow); err != nil {
			return err
		}
	}
	return nil
}

func continueMakesOne(s *suite) error {
	kinds := []simulate.FaultKind{simulate.Slow, simulate.LinkDies, simulate.LinkTwice, simulate.ContinueLost}
	return s.runTasks(s.tasksOf(func(t task) bool { return t.from == nil }), kinds, func(p *run, t task, _ string) error {
		if status := p.status(); status != "CREATE_COMPLETE" {
			return p.failf("the stack is in %s, want CREATE_COMPLETE", status)
		}
		return p.checkCreated(t.to)
	})
}

func continueUpdates(s *suite) error {
	kinds := []simulate.FaultKind{simulate.Slow, simulate.LinkDies, simulate.LinkTwice, simulate.ContinueLost}
	return s.runTasks(s.tasksOf(func(t task) bool { return t.from != nil && t.to != nil }), kinds, func(p *run, t task, id string) error {
		if status := p.status(); status != "UPDATE_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if replaced := p.id() != id; replaced != t.replaces {
			return p.failf("the resource is now %s, and was %s", p.id(), id)
		}
		if err := p.checkState(p.id(), t.to); err != nil {
			return err
		}
		return p.checkOnly(p.id())
	})
}

func continueDeletes(s *suite) error {
	kinds := []simulate.FaultKind{simulate.Slow, simulate.LinkDies, simulate.LinkTwice, simulate.ContinueLost}
	return s.runTasks(s.tasksOf(func(t task) bool { return t.to == nil }), kinds, func(p *run, _ task, _ string) error {
		if status := p.status(); status != "DELETE_COMPLETE" {
			return p.failf("the stack is in %s, want DELETE_COMPLETE", status)
		}
		return p.checkNothingLeft()
	})
}

func continueCancelled(s *suite) error {
	return s.checkAllUndone(simulate.CancelBetween, simulate.CancelWaiting)
}

func continueFailed(s *suite) error { return s.checkAllUndone(simulate.LinkFails, simulate.PhaseLost) }

// checkAllUndone checks that tasks that do not succeed leave nothing. It skips
// replacements if Create cannot call Created.
func (s *suite) checkAllUndone(kinds ...simulate.FaultKind) error {
	err := s.runTasks(s.tasksOf(func(t task) bool { return t.to != nil && !t.replaces }), kinds, (*run).checkUndone)
	if err != nil || s.Replacing == nil || s.createOverwrites() {
		return err
	}
	return s.runTasks(s.tasksOf(func(t task) bool { return t.replaces }), kinds, (*run).checkUndone)
}

// checkUndone checks that a task that did not succeed has left nothing of its own, and
// has not changed what there was before.
func (p *run) checkUndone(t task, id string) error {
	switch status := p.status(); {
	case t.from == nil && (status == "DELETE_COMPLETE" || status == "ROLLBACK_COMPLETE"):
		return p.checkNothingLeft()
	case t.from != nil && status == "UPDATE_ROLLBACK_COMPLETE":
		if err := p.checkKept(id, t.from); err != nil {
			return err
		}
		return p.checkOnly(id)
	default:
		return p.failf("the stack is in %s", status)
	}
}
