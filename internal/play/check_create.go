package play

import (
	"github.com/cfnresource/sdk-go/internal/simulate"
)

func createDelete(s *suite) error {
	p := s.newRun()
	if p.service.State == nil {
		s.warnf("the Service has no State: only the answers are judged, as for handlers that make nothing")
	}
	if status := p.deploy(s.Properties); status != "CREATE_COMPLETE" {
		return p.failf("the stack is in %s after the Create of Properties, want CREATE_COMPLETE", status)
	}
	if err := p.checkOnly(p.id()); err != nil {
		return err
	}
	if status := p.destroy(); status != "DELETE_COMPLETE" {
		return p.failf("the stack is in %s after its deletion, want DELETE_COMPLETE", status)
	}
	return p.checkNothingLeft()
}

func createRedelivered(s *suite) error {
	p := s.newRun()
	p.inject(simulate.Fault{Kind: simulate.Redeliver, Request: "Create"})
	p.deploy(s.Properties)
	if err := p.checkSameAnswers("Create"); err != nil {
		return err
	}
	return p.checkOnly(p.id())
}

func createFailed(s *suite) error {
	if s.Refused != nil {
		p := s.newRun()
		if status := p.deploy(s.Refused); status == "CREATE_COMPLETE" {
			return p.failf("the Create of Refused succeeded")
		}
		if err := p.checkCreated(s.Refused); err != nil {
			return err
		}
	}
	if steps, err := s.stepsOf("Create", nil, s.Properties); err != nil {
		return err
	} else if steps == 0 && s.Refused == nil {
		return missing("set Refused, or call Step in the service: see Steps")
	} else if steps == 0 {
		return nil
	}
	if err := s.tryCreate(simulate.Fault{Kind: simulate.FailAtStep, Step: 1}); err != nil {
		return err
	}
	busy := s.newRun() // last, since its story is long, and differs from run to run
	busy.simulator.Throttle("Create")
	busy.deploy(s.Properties)
	return busy.checkCreated(s.Properties)
}

func createErrorAfter(s *suite) error {
	return s.tryCreates(simulate.ErrorAfter, simulate.FailAtStep, 2)
}

// createPanicsAfter also sends the rollback's Delete to the process that panicked,
// which the dispatcher keeps alive.
func createPanicsAfter(s *suite) error {
	f := simulate.Fault{Kind: simulate.PanicAfter}
	if err := s.tryCreate(f); err != nil {
		return err
	}
	return s.newWarmRun().tryCreate(f)
}

func createOutOfTime(s *suite) error {
	return s.tryCreates(simulate.OutOfTimeAfter, simulate.HangAtStep, 2)
}

// tryCreates plays a Create with a fault after its work, and then with one at each
// step, beginning with step first.
func (s *suite) tryCreates(after, atStep simulate.FaultKind, first int) error {
	if err := s.tryCreate(simulate.Fault{Kind: after}); err != nil {
		return err
	}
	steps, err := s.stepsOf("Create", nil, s.Properties)
	for step := first; step <= steps && err == nil; step++ {
		err = s.tryCreate(simulate.Fault{Kind: atStep, Step: step})
	}
	return err
}

// tryCreate plays a Create with a fault.
func (s *suite) tryCreate(f simulate.Fault) error { return s.newRun().tryCreate(f) }

func (p *run) tryCreate(f simulate.Fault) error {
	f.Request = "Create"
	p.inject(f)
	p.deploy(p.Properties)
	return p.checkCreated(p.Properties)
}

func createDied(s *suite) error {
	steps, err := s.stepsOf("Create", nil, s.Properties)
	if err != nil {
		return err
	}
	for _, f := range deathFaults("Create", steps) {
		p := s.newRun()
		p.inject(f)
		if status := p.deploy(s.Properties); status != "CREATE_COMPLETE" {
			return p.failf("the stack is in %s, want CREATE_COMPLETE", status)
		}
		if err := p.checkCreated(s.Properties); err != nil {
			return err
		}
	}
	return nil
}

// deathFaults returns the faults by which a process dies once, so that Lambda tries
// again: after its work, and at each step.
func deathFaults(request string, steps int) []simulate.Fault {
	faults := []simulate.Fault{{Kind: simulate.DieAfter, Request: request}}
	for step := range steps {
		faults = append(faults, simulate.Fault{Kind: simulate.DieAtStep, Request: request, Step: step + 1})
	}
	return faults
}

func createCancelled(s *suite) error {
	p := s.newRun()
	p.inject(simulate.Fault{Kind: simulate.CancelWhileRunning, Request: "Create"})
	if status := p.deploy(s.Properties); status != "DELETE_COMPLETE" {
		return p.failf("the stack is in %s, want DELETE_COMPLETE", status)
	}
	return p.checkNothingLeft()
}

func recreateAfterDelete(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	if p.deploy(nil); p.checkNothingLeft() != nil {
		return unjudgedError{"what was taken out of the template was not deleted"}
	}
	if status := p.deploy(s.Properties); status != "UPDATE_COMPLETE" {
		return p.failf("the stack is in %s after the resource was put back, want UPDATE_COMPLETE", status)
	}
	if err := p.checkState(p.id(), s.Properties); err != nil {
		return err
	}
	return p.checkOnly(p.id())
}
