package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func updateReplaces(s *suite) error {
	r := s.newRunOf(s.Properties)
	id := r.id()
	if status := r.deploy(s.Replacing); status != lifecycle.StackUpdateComplete {
		return r.failf("the stack is in %s after the Update to Replacing, want UPDATE_COMPLETE", status)
	}
	if r.id() == id {
		return r.failf("the Update to Replacing kept the ID %s: tag the properties that make the identity createOnly, and let Find return what Properties describe, which the thing under PhysicalID with the mark of its own name is not%s", id, lagHint(r.stack.Requests()))
	}
	r.checkNothingBeside(r.id())
	return r.err
}

func deleteOldLeavesNew(s *suite) error {
	r := s.newRunOf(s.Properties)
	r.mustReach(lifecycle.StackUpdateComplete, s.Replacing)
	r.checkState(r.id(), s.Replacing)
	return r.err
}

func replaceRedelivered(s *suite) error {
	return s.eachFault(s.replaces(), deaths, func(r *run, _ string, _ simulate.Fault) {
		r.mustBeIn(lifecycle.StackUpdateComplete)
		r.checkState(r.id(), s.Replacing)
		r.checkOnly(r.id())
	})
}

// replaceFailedNothingLeft allows one step at which a failed replacement leaves the
// new thing: the one where the service made it and its reply was lost. Created can be
// called before any later step.
func replaceFailedNothingLeft(s *suite) error {
	unsaid := false
	err := s.tryReplacements(func(r *run, id string, f simulate.Fault) {
		before := r.err
		r.checkNothingBeside(id)
		if r.err != nil && before == nil && f.Kind == simulate.FailAtStep && !unsaid {
			unsaid, r.err = true, nil
		}
	})
	return s.unlessOverwriting(err)
}

func replaceFailedKeepsFirst(s *suite) error {
	// CloudFormation has not sent a Delete of the first thing yet.
	r := s.newRun()
	id := r.create(s.Properties)
	r.deliver(s.updateEvent(id, s.Replacing, s.Properties))
	if r.checkState(id, s.Properties); r.err != nil {
		return r.err
	}
	return s.tryReplacements(func(r *run, id string, _ simulate.Fault) { r.checkRolledBack(id) })
}

// tryReplacements plays replacements that fail after their work, and at each step of
// it, and checks those that do not succeed all the same.
func (s *suite) tryReplacements(check func(r *run, id string, f simulate.Fault)) error {
	failing := func(steps int) []simulate.Fault {
		return append([]simulate.Fault{{Kind: simulate.ErrorAfter}, {Kind: simulate.PanicAfter}}, failures(simulate.FailAtStep, steps)...)
	}
	return s.eachFault(s.replaces(), failing, func(r *run, id string, f simulate.Fault) {
		if r.status() != lifecycle.StackUpdateComplete {
			check(r, id, f)
		}
	})
}

// replaceRolledBack has another resource fail after the replacement. The first thing still exists
// at the rollback's Update, which may fail too and be repeated by ContinueUpdateRollback.
func replaceRolledBack(s *suite) error {
	steps, err := s.stepsOf(s.replaces())
	if err != nil {
		return err
	}
	faults := []simulate.Fault{{}, {Kind: simulate.ErrorAfter}}
	for _, f := range append(faults, failures(simulate.FailAtStep, steps)...) {
		r := s.newRunOf(s.Properties)
		id := r.id()
		if f.Kind != "" {
			f.Request, f.Skip = "Update", 1 // after the replacement
			r.inject(f)
		}
		r.deployWithFailingNeighbour(s.Replacing)
		if r.status() == lifecycle.StackUpdateRollbackFailed && f.Kind != "" {
			if r.service.State != nil && r.state(id) == nil {
				return r.failf("%s, the first thing, is gone", id)
			}
			r.runOperation(func() error { return r.stack.ContinueRollback(nil) })
		}
		r.checkRolledBack(id)
		if r.checkOnly(id); r.err != nil {
			return r.err
		}
	}
	return nil
}

// findReadsTheID makes a second thing with the same StableID, as a second delivery
// of a Create does if searches do not show the first yet, and calls Find for each.
func findReadsTheID(s *suite) error {
	r := s.newRun()
	first := r.create(s.Properties)
	second := r.deliverWithoutFind(s.createEvent(s.Properties))
	if second.Status != "SUCCESS" || second.PhysicalResourceID == first {
		return r.err // the handler does not make a second one
	}
	for _, id := range []string{first, second.PhysicalResourceID} {
		r.takeCalls()
		r.deliver(s.updateEvent(id, s.Properties, s.Replacing))
		// The first is asked with the new properties; later ones with the old.
		calls := r.takeCalls()
		i := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Method == "Find" && c.PhysicalID == id && c.Error == "" })
		if i >= 0 && calls[i].Returned != id {
			return r.failf("Find was asked with the PhysicalID %s, which bears the StableID, and answered %q: "+
				"have it read that thing directly before it searches", id, calls[i].Returned)
		}
	}
	return r.err
}
