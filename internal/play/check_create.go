package play

import (
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func createDelete(s *suite) error {
	r := s.newRun()
	err := r.createAndDestroy()
	if len(r.remaining()) == 0 {
		return instead(err, "failed a deployment or a deletion that nothing is wrong with.", "")
	}
	return err
}

func (r *run) createAndDestroy() error {
	if r.service.State == nil {
		r.warnf("the Service has no State: only the answers are judged, as for handlers that make nothing")
	}
	if status := r.deploy(r.Properties); status != lifecycle.StackCreateComplete {
		return r.failf("the stack is in %s after the Create of Properties, want CREATE_COMPLETE", status)
	}
	r.checkOnly(r.id())
	if status := r.destroy(); status != lifecycle.StackDeleteComplete {
		return r.failf("the stack is in %s after its deletion, want DELETE_COMPLETE", status)
	}
	r.checkNothingLeft()
	return r.err
}

func createRedelivered(s *suite) error {
	r, _ := s.playWith(s.creates(), simulate.Fault{Kind: simulate.Redeliver})
	r.checkSameAnswers("Create")
	r.checkOnly(r.id())
	return r.err
}

func createFailed(s *suite) error {
	if s.Refused != nil {
		r := s.newRun()
		if status := r.deploy(s.Refused); status == lifecycle.StackCreateComplete {
			return r.failf("the Create of Refused succeeded")
		}
		if simulate.RanOut(r.deliveries("Create")) {
			s.warnf("the Create of Refused goes on until its time is over: return what is refused for good, with a code that is not tried again")
		}
		if r.checkCreated(s.Refused); r.err != nil {
			return r.err
		}
	}
	if steps, err := s.stepsOf(s.creates()); err != nil {
		return err
	} else if steps == 0 && s.Refused == nil {
		return missingError("set Refused, or call Step in the service: see Steps")
	} else if steps == 0 {
		return nil
	}
	r, _ := s.playWith(s.creates(), simulate.Fault{Kind: simulate.FailAtStep, Step: 1})
	if r.checkCreated(s.Properties); r.err != nil {
		return r.err
	}
	busy, _ := s.play(s.creates(), func(r *run) { r.stack.Throttle("Create") }) // last, since its story is long, and differs from run to run
	busy.checkCreated(s.Properties)
	return busy.err
}

func createErrorAfter(s *suite) error {
	return s.tryCreates(simulate.ErrorAfter, simulate.FailAtStep)
}

// createPanicsAfter also sends the rollback's Delete to the process that panicked,
// which the dispatcher keeps alive.
func createPanicsAfter(s *suite) error {
	for _, r := range []*run{s.newRun(), s.newWarmRun()} {
		r.inject(simulate.Fault{Kind: simulate.PanicAfter, Request: "Create"})
		r.deploy(s.Properties)
		if r.checkCreated(s.Properties); r.err != nil {
			return r.err
		}
	}
	return nil
}

func createOutOfTime(s *suite) error {
	return s.tryCreates(simulate.OutOfTimeAfter, simulate.HangAtStep)
}

// tryCreates plays a Create with a fault after its work, and then with one at each
// step but the first, before which nothing is made.
func (s *suite) tryCreates(after, atStep simulate.FaultKind) error {
	return s.eachFault(s.creates(), func(steps int) []simulate.Fault {
		all := failures(atStep, steps)
		all = slices.DeleteFunc(all, func(f simulate.Fault) bool { return f.Step == 1 })
		return append([]simulate.Fault{{Kind: after}}, all...)
	}, func(r *run, _ string, _ simulate.Fault) { r.checkCreated(s.Properties) })
}

func createDied(s *suite) error {
	plain := s.newRunOf(s.Properties)
	return s.eachFault(s.creates(), deaths, func(r *run, _ string, _ simulate.Fault) {
		r.mustBeIn(lifecycle.StackCreateComplete)
		r.checkCreated(s.Properties)
		r.checkData(plain.stack.Data(thing))
	})
}

// checkData checks that nothing is missing of what a Create in which nothing goes wrong returns.
func (r *run) checkData(want map[string]any) {
	got := r.stack.Data(thing)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if r.err == nil && want[name] != "" && (got[name] == nil || got[name] == "") {
			r.err = instead(r.failf("Data has no %s, which a Create returns in which nothing goes wrong", name),
				"given nothing to whatever reads it with Fn::GetAtt.", returnAllData)
		}
	}
}

func createCancelled(s *suite) error {
	r, _ := s.playWith(s.creates(), simulate.Fault{Kind: simulate.CancelWhileRunning})
	r.mustBeIn(lifecycle.StackDeleteComplete)
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
		return unjudgedError("what was taken out of the template was not deleted")
	}
	if status := r.deploy(s.Properties); status != lifecycle.StackUpdateComplete {
		return r.failf("the stack is in %s after the resource was put back, want UPDATE_COMPLETE", status)
	}
	r.checkState(r.id(), s.Properties)
	r.checkOnly(r.id())
	return r.err
}
