package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// runTasks plays each task of some requests with each of some faults, and judges those
// in which the function went on in another invocation: a Poll may have a limit of its
// own, and a method need not wait.
func (s *suite) runTasks(tasks []task, kinds []simulate.FaultKind, judge func(r *run, t task, id string)) error {
	asked := false
	for _, t := range tasks {
		for _, kind := range kinds {
			r, id := s.playWith(t, simulate.Fault{Kind: kind})
			if slices.ContainsFunc(r.deliveries(t.request), func(d simulate.Delivery) bool { return d.Continued }) {
				asked = true
				judge(r, t, id)
			}
			if r.err != nil {
				return r.err
			}
		}
	}
	if !asked {
		return missingError("no Poll is cut off by the end of an invocation in it, so nothing goes on in the next")
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
		r, _ := s.playWith(t, simulate.Fault{Kind: simulate.Slow})
		if r.err != nil && !r.tooSoon { // which is the next check's
			return r.err
		}
		for _, d := range r.deliveries(t.request) {
			if d.CutOff && !d.Continued {
				return r.failf("the %s waits in a Poll until its invocation ends, and fails, since it does not return Poll's error: "+
					"return that, wrapped with %%w or as it is, and joined with no other", t.request)
			}
		}
	}
	return nil
}

// continueSucceedsWhenReady checks that no request succeeds before the thing is ready.
func continueSucceedsWhenReady(s *suite) error {
	for _, t := range s.tasks() {
		if r, _ := s.playWith(t, simulate.Fault{Kind: simulate.Slow}); r.err != nil {
			return r.err
		}
	}
	return nil
}

// oneMore are faults by which a chain has one invocation more than it needs.
var oneMore = []simulate.FaultKind{simulate.Slow, simulate.LinkDies, simulate.LinkTwice, simulate.ContinueLost}

func continueMakesOne(s *suite) error {
	return s.runTasks(s.tasksOf(func(t task) bool { return t.from == nil }), oneMore, func(r *run, t task, _ string) {
		r.mustBeIn(lifecycle.StackCreateComplete)
		r.checkCreated(t.to)
	})
}

func continueUpdates(s *suite) error {
	return s.runTasks(s.tasksOf(func(t task) bool { return t.from != nil && t.to != nil }), oneMore, func(r *run, t task, id string) {
		r.mustBeIn(lifecycle.StackUpdateComplete)
		if replaced := r.id() != id; replaced != t.replaces {
			r.err = r.failf("the resource is now %s, and was %s", r.id(), id)
		}
		r.checkState(r.id(), t.to)
		r.checkOnly(r.id())
	})
}

func continueDeletes(s *suite) error {
	return s.runTasks(s.tasksOf(func(t task) bool { return t.to == nil }), oneMore, func(r *run, _ task, _ string) {
		r.mustBeIn(lifecycle.StackDeleteComplete)
		r.checkNothingLeft()
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
func (r *run) checkUndone(t task, id string) {
	switch status := r.status(); {
	case t.from == nil && (status == lifecycle.StackDeleteComplete || status == lifecycle.StackRollbackComplete):
		r.checkNothingLeft()
	case t.from != nil && status == lifecycle.StackUpdateRollbackComplete:
		r.checkKept(id, t.from)
		r.checkOnly(id)
	default:
		r.err = r.failf("the stack is in %s", status)
	}
}
