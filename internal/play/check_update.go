package play

import (
	"reflect"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

func updateSame(s *suite) error {
	r := s.newRun()
	id := r.create(s.Properties)
	r.update(id, s.Properties, s.Properties)
	r.checkState(id, s.Properties)
	r.checkOnly(id)
	return r.err
}

func updateKeepsID(s *suite) error {
	r := s.newRunOf(s.Properties)
	id := r.id()
	if status := r.deploy(s.InPlace); status != "UPDATE_COMPLETE" {
		return r.failf("the stack is in %s after the Update to InPlace, want UPDATE_COMPLETE", status)
	}
	r.checkKept(id, s.InPlace)
	if r.checkOnly(id); r.err != nil || r.service.State == nil {
		return r.err
	}
	if was, err := s.reference(s.Properties); err == nil && reflect.DeepEqual(was, r.state(id)) {
		return r.failf("State shows the same with Properties and with InPlace, so no check can see an Update's work: " +
			"have it show what they change, or have the handler pass it on")
	}
	return s.updateKeepsThing()
}

// updateKeepsThing stops an Update at each of its steps, and checks that the thing
// exists.
func (s *suite) updateKeepsThing() error {
	steps, err := s.stepsOf("Update", s.Properties, s.InPlace)
	for step := 1; step <= steps && err == nil; step++ {
		r := s.newRunOf(s.Properties)
		if r.err != nil {
			return r.err
		}
		id := r.id()
		var gone atomic.Bool
		r.stack.OnReturn(func(c simulate.Call) {
			if c.Method == "Update" && r.state(id) == nil {
				gone.Store(true)
			}
		})
		r.inject(simulate.Fault{Kind: simulate.DieAtStep, Request: "Update", Step: step})
		if r.deploy(s.InPlace); gone.Load() {
			err = r.failf("the Update removes %s on its way, and with it what is in it: change it in place", id)
		}
	}
	return err
}

func updateRedelivered(s *suite) error {
	r := s.newRunOf(s.Properties)
	r.inject(simulate.Fault{Kind: simulate.Redeliver, Request: "Update"})
	r.deploy(s.InPlace)
	r.checkSameAnswers("Update")
	r.checkState(r.id(), s.InPlace)
	return r.err
}

// updateIsNotADiff sends Updates whose old and new properties are the same, for a
// thing that has others. This happens when an update fails half way, its rollback
// fails too and is skipped, and the same update is deployed again.
func updateIsNotADiff(s *suite) error {
	r := s.newRun()
	id := r.create(s.Properties)
	for _, props := range []any{s.InPlace, s.Properties} {
		r.update(id, props, props)
		r.checkState(id, props)
	}
	return r.err
}

func updateDied(s *suite) error {
	steps, err := s.stepsOf("Update", s.Properties, s.InPlace)
	if err != nil {
		return err
	}
	for _, f := range deathFaults("Update", steps) {
		r := s.newRunOf(s.Properties)
		r.inject(f)
		r.mustReach("UPDATE_COMPLETE", s.InPlace)
		if r.checkState(r.id(), s.InPlace); r.err != nil {
			return r.err
		}
	}
	return nil
}

// updateFailed plays Updates that fail: after their work, at each step, because the
// service refuses, and because another resource fails.
func updateFailed(s *suite) error {
	steps, err := s.stepsOf("Update", s.Properties, s.InPlace)
	if err != nil {
		return err
	}
	faults := append([]simulate.Fault{{Kind: simulate.ErrorAfter, Request: "Update"}}, atEachStep(simulate.FailAtStep, "Update", steps)...)
	for _, f := range faults {
		err := s.checkRollback(s.InPlace, func(r *run) { r.inject(f); r.deploy(s.InPlace) })
		if err != nil {
			return err
		}
	}
	if s.Refused != nil {
		if err := s.checkRollback(nil, func(r *run) { r.deploy(s.Refused) }); err != nil {
			return err
		}
	}
	return s.checkRollback(nil, func(r *run) { r.deployWithFailingNeighbour(s.InPlace) })
}

// checkRollback plays an update that fails, and checks the state after the rollback.
// If done is not nil, the update may also succeed, with the state of done.
func (s *suite) checkRollback(done any, update func(r *run)) error {
	r := s.newRunOf(s.Properties)
	id := r.id()
	update(r)
	if r.status() == "UPDATE_COMPLETE" && done != nil {
		r.checkState(r.id(), done)
		return r.err
	}
	r.mustBeIn("UPDATE_ROLLBACK_COMPLETE")
	r.checkKept(id, s.Properties)
	return r.err
}

// updateOldUndecodable sends Updates whose old properties have another shape, as if an
// older program had deployed them.
func updateOldUndecodable(s *suite) error {
	for _, props := range []any{s.Properties, s.InPlace} {
		if props == nil {
			continue
		}
		r := s.newRun()
		id := r.create(s.Properties)
		r.update(id, props, undecodable(s.Properties))
		if r.checkState(id, props); r.err != nil {
			return r.err
		}
	}
	return nil
}

// upgradeKeepsID sends Updates of an ID that this program would not give. Nothing
// exists under it, so the Updates may fail, but must not answer another ID.
func upgradeKeepsID(s *suite) error {
	const id = "made-by-an-older-program"
	for _, props := range []any{s.Properties, s.InPlace, s.Replacing} {
		if props == nil {
			continue
		}
		r := s.newRun()
		if a := r.deliver(s.updateEvent(id, props, s.Properties)); a.PhysicalResourceID != id {
			return r.failf("the Update of %s is answered with the ID %s", id, a.PhysicalResourceID)
		}
		for _, other := range r.remaining() {
			if other != id {
				return r.failf("the Update of %s made %s", id, other)
			}
		}
	}
	return s.upgradeUpdates(id)
}

// upgradeUpdates updates a thing that an older program made.
func (s *suite) upgradeUpdates(id string) error {
	r, other := s.newRun(), s.newRun()
	if r.service.Occupy == nil || r.service.State == nil || s.InPlace == nil {
		return nil
	}
	r.service.Occupy(id)
	other.service.Occupy(id)
	a := r.deliver(s.updateEvent(id, s.InPlace, s.Properties))
	if a.Status == "SUCCESS" && reflect.DeepEqual(r.state(id), other.state(id)) {
		return r.failf("the Update of %s succeeds, and what is there is as before: go by req.PhysicalID, not by the ID that this program would give", id)
	}
	return r.err
}
