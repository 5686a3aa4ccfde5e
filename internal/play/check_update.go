package play

import (
	"reflect"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

func updateSame(s *suite) error {
	p := s.newRun()
	made, err := p.create(s.Properties)
	if err != nil {
		return err
	}
	id := made.PhysicalResourceID
	if err := p.update(id, s.Properties, s.Properties); err != nil {
		return err
	}
	if err := p.checkState(id, s.Properties); err != nil {
		return err
	}
	return p.checkOnly(id)
}

func updateKeepsID(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	id := p.id()
	if status := p.deploy(s.InPlace); status != "UPDATE_COMPLETE" {
		return p.failf("the stack is in %s after the Update to InPlace, want UPDATE_COMPLETE", status)
	}
	if err := p.checkKept(id, s.InPlace); err != nil {
		return err
	}
	if err := p.checkOnly(id); err != nil || p.service.State == nil {
		return err
	}
	if was, err := s.reference(s.Properties); err == nil && reflect.DeepEqual(was, p.state(id)) {
		return p.failf("State shows the same with Properties and with InPlace, so no check can see an Update's work: " +
			"have it show what they change, or have the handler pass it on")
	}
	return s.updateKeepsThing()
}

// updateKeepsThing stops an Update at each of its steps, and checks that the thing
// exists.
func (s *suite) updateKeepsThing() error {
	steps, err := s.stepsOf("Update", s.Properties, s.InPlace)
	for step := 1; step <= steps && err == nil; step++ {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		id := p.id()
		var gone atomic.Bool
		p.simulator.OnReturn(func(c simulate.Call) {
			if c.Method == "Update" && p.state(id) == nil {
				gone.Store(true)
			}
		})
		p.inject(simulate.Fault{Kind: simulate.DieAtStep, Request: "Update", Step: step})
		if p.deploy(s.InPlace); gone.Load() {
			err = p.failf("the Update removes %s on its way, and with it what is in it: change it in place", id)
		}
	}
	return err
}

func updateRedelivered(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	p.inject(simulate.Fault{Kind: simulate.Redeliver, Request: "Update"})
	p.deploy(s.InPlace)
	if err := p.checkSameAnswers("Update"); err != nil {
		return err
	}
	return p.checkState(p.id(), s.InPlace)
}

// updateIsNotADiff sends Updates whose old and new properties are the same, for a
// thing that has others. This happens when an update fails half way, its rollback
// fails too and is skipped, and the same update is deployed again.
func updateIsNotADiff(s *suite) error {
	p := s.newRun()
	made, err := p.create(s.Properties)
	if err != nil {
		return err
	}
	for _, props := range []any{s.InPlace, s.Properties} {
		if err := p.update(made.PhysicalResourceID, props, props); err != nil {
			return err
		}
		if err := p.checkState(made.PhysicalResourceID, props); err != nil {
			return err
		}
	}
	return nil
}

func updateDied(s *suite) error {
	steps, err := s.stepsOf("Update", s.Properties, s.InPlace)
	if err != nil {
		return err
	}
	for _, f := range deathFaults("Update", steps) {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		p.inject(f)
		if status := p.deploy(s.InPlace); status != "UPDATE_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if err := p.checkState(p.id(), s.InPlace); err != nil {
			return err
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
	faults := []simulate.Fault{{Kind: simulate.ErrorAfter, Request: "Update"}}
	for step := range steps {
		faults = append(faults, simulate.Fault{Kind: simulate.FailAtStep, Request: "Update", Step: step + 1})
	}
	for _, f := range faults {
		err := s.checkRollback(s.InPlace, func(p *run) { p.inject(f); p.deploy(s.InPlace) })
		if err != nil {
			return err
		}
	}
	if s.Refused != nil {
		if err := s.checkRollback(nil, func(p *run) { p.deploy(s.Refused) }); err != nil {
			return err
		}
	}
	return s.checkRollback(nil, func(p *run) { p.deployWithFailingNeighbour(s.InPlace) })
}

// checkRollback plays an update that fails, and checks the state after the rollback.
// If done is not nil, the update may also succeed, with the state of done.
func (s *suite) checkRollback(done any, update func(p *run)) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	id := p.id()
	update(p)
	switch {
	case p.status() == "UPDATE_ROLLBACK_COMPLETE":
		return p.checkKept(id, s.Properties)
	case p.status() == "UPDATE_COMPLETE" && done != nil:
		return p.checkState(p.id(), done)
	}
	return p.failf("the stack is in %s, want UPDATE_ROLLBACK_COMPLETE", p.status())
}

// updateOldUndecodable sends Updates whose old properties have another shape, as if an
// older program had deployed them.
func updateOldUndecodable(s *suite) error {
	for _, props := range []any{s.Properties, s.InPlace} {
		if props == nil {
			continue
		}
		p := s.newRun()
		made, err := p.create(s.Properties)
		if err != nil {
			return err
		}
		id := made.PhysicalResourceID
		if err := p.update(id, props, undecodable(s.Properties)); err != nil {
			return err
		}
		if err := p.checkState(id, props); err != nil {
			return err
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
		p := s.newRun()
		a, err := p.deliver(s.updateEvent(id, props, s.Properties))
		if err != nil {
			return err
		}
		if a.PhysicalResourceID != id {
			return p.failf("the Update of %s is answered with the ID %s", id, a.PhysicalResourceID)
		}
		for _, other := range p.remaining() {
			if other != id {
				return p.failf("the Update of %s made %s", id, other)
			}
		}
	}
	return s.upgradeUpdates(id)
}

// upgradeUpdates updates a thing that an older program made.
func (s *suite) upgradeUpdates(id string) error {
	p, other := s.newRun(), s.newRun()
	if p.service.Occupy == nil || p.service.State == nil || s.InPlace == nil {
		return nil
	}
	p.service.Occupy(id)
	other.service.Occupy(id)
	a, err := p.deliver(s.updateEvent(id, s.InPlace, s.Properties))
	if err == nil && a.Status == "SUCCESS" && reflect.DeepEqual(p.state(id), other.state(id)) {
		return p.failf("the Update of %s succeeds, and what is there is as before: go by req.PhysicalID, not by the ID that this program would give", id)
	}
	return err
}
