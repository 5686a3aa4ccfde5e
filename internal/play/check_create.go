package play

import "github.com/cfnresource/sdk-go/internal/simulate"

func createDelete(s *suite) error {
	r := s.newRun()
	if r.service.State == nil {
		s.warnf("the Service has no State: only the answers are judged, as for handlers that make nothing")
	}
	if status := r.deploy(s.Properties); status != "CREATE_COMPLETE" {
		return r.failf("the stack is in %s after the Create of Properties, want CREATE_COMPLETE", status)
	}
	r.checkOnly(r.id())
	if status := r.destroy(); status != "DELETE_COMPLETE" {
		return r.failf("the stack is in %s after its deletion, want DELETE_COMPLETE", status)
	}
	r.checkNothingLeft()
	return r.err
}

func createRedelivered(s *suite) error {
	r := s.newRun()
	r.inject(simulate.Fault{Kind: simulate.Redeliver, Request: "Create"})
	r.deploy(s.Properties)
	r.checkSameAnswers("Create")
	r.checkOnly(r.id())
	return r.err
}

func createFailed(s *suite) error {
	if s.Refused != nil {
		r := s.newRun()
		if status := r.deploy(s.Refused); status == "CREATE_COMPLETE" {
			return r.failf("the Create of Refused succeeded")
		}
		if r.checkCreated(s.Refused); r.err != nil {
			return r.err
		}
	}
	if steps, err := s.stepsOf("Create", nil, s.Properties); err != nil {
		return err
	} else if steps == 0 && s.Refused == nil {
		return missing("set Refused, or call Step in the service: see Steps")
	} else if steps == 0 {
		return nil
	}
	if err := s.newRun().tryCreate(simulate.Fault{Kind: simulate.FailAtStep, Step: 1}); err != nil {
		return err
	}
	busy := s.newRun() // last, since its story is long, and differs from run to run
	busy.stack.Throttle("Create")
	busy.deploy(s.Properties)
	busy.checkCreated(s.Properties)
	return busy.err
}

func createErrorAfter(s *suite) error {
	return s.tryCreates(simulate.ErrorAfter, simulate.FailAtStep)
}

// createPanicsAfter also sends the rollback's Delete to the process that panicked,
// which the dispatcher keeps alive.
func createPanicsAfter(s *suite) error {
	f := simulate.Fault{Kind: simulate.PanicAfter}
	if err := s.newRun().tryCreate(f); err != nil {
		return err
	}
	return s.newWarmRun().tryCreate(f)
}

func createOutOfTime(s *suite) error {
	return s.tryCreates(simulate.OutOfTimeAfter, simulate.HangAtStep)
}

// tryCreates plays a Create with a fault after its work, and then with one at each
// step but the first, before which nothing is made.
func (s *suite) tryCreates(after, atStep simulate.FaultKind) error {
	if err := s.newRun().tryCreate(simulate.Fault{Kind: after}); err != nil {
		return err
	}
	steps, err := s.stepsOf("Create", nil, s.Properties)
	for step := 2; step <= steps && err == nil; step++ {
		err = s.newRun().tryCreate(simulate.Fault{Kind: atStep, Step: step})
	}
	return err
}

// tryCreate plays a Create with a fault.
func (r *run) tryCreate(f simulate.Fault) error {
	f.Request = "Create"
	r.inject(f)
	r.deploy(r.Properties)
	r.checkCreated(r.Properties)
	return r.err
}

func createDied(s *suite) error {
	steps, err := s.stepsOf("Create", nil, s.Properties)
	if err != nil {
		return err
	}
	for _, f := range deathFaults("Create", steps) {
		r := s.newRun()
		r.inject(f)
		r.mustReach("CREATE_COMPLETE", s.Properties)
		if r.checkCreated(s.Properties); r.err != nil {
			return r.err
		}
	}
	return nil
}

// deathFaults returns the faults by which a process dies once, so that Lambda tries
// again: after its work, and at each step.
func deathFaults(request string, steps int) []simulate.Fault {
	return append([]simulate.Fault{{Kind: simulate.DieAfter, Request: request}}, atEachStep(simulate.DieAtStep, request, steps)...)
}

// atEachStep returns a fault at each step of a request.
func atEachStep(kind simulate.FaultKind, request string, steps int) (faults []simulate.Fault) {
	for step := range steps {
		faults = append(faults, simulate.Fault{Kind: kind, Request: request, Step: step + 1})
	}
	return faults
}

func createCancelled(s *suite) error {
	r := s.newRun()
	r.inject(simulate.Fault{Kind: simulate.CancelWhileRunning, Request: "Create"})
	r.mustReach("DELETE_COMPLETE", s.Properties)
	r.checkNothingLeft()
	return r.err
}

func recreateAfterDelete(s *suite) error {
	r := s.newRunOf(s.Properties)
	if r.err != nil {
		return r.err
	}
	r.deploy(nil)
	if r.checkNothingLeft(); r.err != nil {
		return unjudgedError{"what was taken out of the template was not deleted"}
	}
	if status := r.deploy(s.Properties); status != "UPDATE_COMPLETE" {
		return r.failf("the stack is in %s after the resource was put back, want UPDATE_COMPLETE", status)
	}
	r.checkState(r.id(), s.Properties)
	r.checkOnly(r.id())
	return r.err
}
