package play

import (
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

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
