package play

func createDelete(s *suite) error {
	p := s.play()
	if p.service.State == nil {
		s.warn("the Service has no State: only the answers are judged, as for handlers that make nothing")
	}
	if status := p.deploy(s.Properties); status != "CREATE_COMPLETE" {
		return p.wrong("the stack is in %s after the Create of Properties, want CREATE_COMPLETE", status)
	}
	if err := p.only(p.id()); err != nil {
		return err
	}
	if status := p.destroy(); status != "DELETE_COMPLETE" {
		return p.wrong("the stack is in %s after its deletion, want DELETE_COMPLETE", status)
	}
	return p.nothingLeft()
}

func createRedelivered(s *suite) error {
	p := s.play()
	p.inject(Fault{What: Redeliver, Request: "Create"})
	p.deploy(s.Properties)
	if err := p.sameAnswers("Create"); err != nil {
		return err
	}
	return p.only(p.id())
}

func createFailed(s *suite) error {
	if s.Refused != nil {
		p := s.play()
		if status := p.deploy(s.Refused); status == "CREATE_COMPLETE" {
			return p.wrong("the Create of Refused succeeded")
		}
		if err := p.created(s.Refused); err != nil {
			return err
		}
	}
	if steps, err := s.stepsOf("Create", nil, s.Properties); err != nil {
		return err
	} else if steps == 0 && s.Refused == nil {
		return lacking("set Refused, or call Step in the service: see Steps")
	} else if steps == 0 {
		return nil
	}
	if err := s.tryCreate(Fault{What: FailAtStep, Step: 1}); err != nil {
		return err
	}
	busy := s.play() // last, since its story is long, and differs from run to run
	busy.player.throttle("Create")
	busy.deploy(s.Properties)
	return busy.created(s.Properties)
}

func createErrorAfter(s *suite) error { return s.tryCreates(ErrorAfter, FailAtStep, 2) }

// createPanicsAfter also has the rollback's Delete go to the process that has
// panicked: the dispatcher keeps it alive.
func createPanicsAfter(s *suite) error {
	f := Fault{What: PanicAfter}
	if err := s.tryCreate(f); err != nil {
		return err
	}
	return s.playWarm().tryCreate(f)
}

func createOutOfTime(s *suite) error { return s.tryCreates(OutOfTimeAfter, HangAtStep, 2) }

// tryCreates plays a Create that meets a fault after its work, and then at each
// step of it from the first on.
func (s *suite) tryCreates(after, atStep FaultKind, first int) error {
	if err := s.tryCreate(Fault{What: after}); err != nil {
		return err
	}
	steps, err := s.stepsOf("Create", nil, s.Properties)
	for step := first; step <= steps && err == nil; step++ {
		err = s.tryCreate(Fault{What: atStep, Step: step})
	}
	return err
}

// tryCreate plays a Create that meets a fault.
func (s *suite) tryCreate(f Fault) error { return s.play().tryCreate(f) }

func (p *play) tryCreate(f Fault) error {
	f.Request = "Create"
	p.inject(f)
	p.deploy(p.Properties)
	return p.created(p.Properties)
}

func createDied(s *suite) error {
	steps, err := s.stepsOf("Create", nil, s.Properties)
	if err != nil {
		return err
	}
	for _, f := range deaths("Create", steps) {
		p := s.play()
		p.inject(f)
		if status := p.deploy(s.Properties); status != "CREATE_COMPLETE" {
			return p.wrong("the stack is in %s, want CREATE_COMPLETE", status)
		}
		if err := p.created(s.Properties); err != nil {
			return err
		}
	}
	return nil
}

// deaths are the ways in which a process may die once, so that Lambda tries
// again: after its work, and at each step of it.
func deaths(request string, steps int) []Fault {
	faults := []Fault{{What: DieAfter, Request: request}}
	for step := range steps {
		faults = append(faults, Fault{What: DieAtStep, Request: request, Step: step + 1})
	}
	return faults
}

func createCancelled(s *suite) error {
	p := s.play()
	p.inject(Fault{What: CancelWhileRunning, Request: "Create"})
	if status := p.deploy(s.Properties); status != "DELETE_COMPLETE" {
		return p.wrong("the stack is in %s, want DELETE_COMPLETE", status)
	}
	return p.nothingLeft()
}

func recreateAfterDelete(s *suite) error {
	p := s.play()
	if err := p.prepare(s.Properties); err != nil {
		return err
	}
	if p.deploy(nil); p.nothingLeft() != nil {
		return unjudgedError{"what was taken out of the template was not deleted"}
	}
	if status := p.deploy(s.Properties); status != "UPDATE_COMPLETE" {
		return p.wrong("the stack is in %s after the resource was put back, want UPDATE_COMPLETE", status)
	}
	if err := p.is(p.id(), s.Properties); err != nil {
		return err
	}
	return p.only(p.id())
}
