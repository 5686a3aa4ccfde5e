package play

import (
	"reflect"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func deleteTwice(s *suite) error {
	r, _ := s.playWith(s.deletes(), simulate.Fault{Kind: simulate.Redeliver})
	if r.err != nil {
		return r.err
	}
	answers := r.answers("Delete")
	if len(answers) < 2 || answers[0].Status != "SUCCESS" {
		return unjudgedError("the first Delete is not answered SUCCESS")
	}
	for _, a := range answers[1:] {
		if a.Status != "SUCCESS" {
			return r.failf("the Delete of what was deleted is answered FAILED")
		}
	}
	return nil
}

// deleteNeverCreated deletes a resource that was never made, under each ID that
// CloudFormation may send: one that it made up, and the one in the answer that the
// on-failure destination gives for a Create whose process died at once.
func deleteNeverCreated(s *suite) error {
	r := s.newRun()
	a := r.deliverRecord(s.createEvent(s.Properties))
	for _, id := range []string{a.PhysicalResourceID, madeUpID} {
		if a := r.deliver(s.deleteEvent(id, s.Properties)); a.Status != "SUCCESS" {
			return r.failf("the Delete of %s, which was never made, is answered FAILED", id)
		}
	}
	return r.err
}

// deleteLostCreate loses a Create's answer, as for a function without a route to S3,
// and has the process die in each of Lambda's tries.
func deleteLostCreate(s *suite) error {
	for _, kind := range []simulate.FaultKind{simulate.LoseAnswer, simulate.DieForGood} {
		r, _ := s.playWith(s.creates(), simulate.Fault{Kind: kind})
		r.mustBeIn(lifecycle.StackRollbackComplete)
		if r.checkNothingLeft(); r.err != nil {
			return r.err
		}
	}
	return s.deleteLostInCrowd()
}

// deleteLostInCrowd loses a Create's answer where there are so many other things that a
// search has several pages.
func (s *suite) deleteLostInCrowd() error {
	r := s.newRun()
	if r.service.Crowd == nil {
		return nil
	}
	r.service.Crowd()
	if r.service.List != nil {
		r.before = r.service.List()
	}
	r.inject(simulate.Fault{Kind: simulate.LoseAnswer, Request: "Create"})
	r.deploy(s.Properties)
	r.mustBeIn(lifecycle.StackRollbackComplete)
	if left := r.remaining(); r.err == nil && len(left) > 0 {
		return r.failf("there is still %v, and would not be if there were nothing else in the service: have Find read every page of a list", left)
	}
	return r.err
}

// deleteUndecodable deletes a resource with properties of another shape than those it was created
// with. It must keep whatever a plain Delete keeps because of a property.
func deleteUndecodable(s *suite) error {
	for _, props := range given(s.Properties, s.InPlace) {
		plain, r := s.newRun(), s.newRun()
		read := plain.createAndDelete(props, props)
		unread := r.createAndDelete(props, simulate.Undecodable(props))
		if unread.Status != "SUCCESS" && plain.err == nil {
			return r.failf("the Delete is answered FAILED")
		}
		kept, left := plain.remaining(), r.remaining()
		switch {
		case plain.err != nil:
			return plain.err
		case read.Status != "SUCCESS":
			return unjudgedError("a Delete is not answered SUCCESS")
		case len(left) > len(kept):
			return r.failf("%v is left, which a Delete with properties that can be read removes", left)
		case !reflect.DeepEqual(left, kept):
			return r.failf("%v is gone, which a Delete with properties that can be read keeps", kept)
		}
	}
	r := s.newRun()
	if a := r.deliver(s.deleteEvent(madeUpID, simulate.Undecodable(s.Properties))); a.Status != "SUCCESS" {
		return r.failf("the Delete of what was never made is answered FAILED")
	}
	return r.err
}

// createAndDelete creates a resource, delivers its Delete with other properties, and
// returns the answer to that.
func (r *run) createAndDelete(made, props any) answercheck.Response {
	return r.deliver(r.deleteEvent(r.create(made), props))
}

func deleteFailedIsTold(s *suite) error {
	atSteps := func(steps int) []simulate.Fault { return failures(simulate.FailAtStep, steps) }
	return s.eachFault(s.deletes(), atSteps, func(r *run, _ string, _ simulate.Fault) {
		if r.status() != lifecycle.StackDeleteComplete {
			if status := r.destroy(); status != lifecycle.StackDeleteComplete {
				r.err = r.failf("the stack is in %s after its second deletion, want DELETE_COMPLETE", status)
			}
		}
		r.checkNothingLeft()
	})
}

func deleteDied(s *suite) error {
	die := func(steps int) []simulate.Fault {
		if steps == 0 {
			return nil // it would die after a Delete of nothing
		}
		return deaths(steps)
	}
	return s.eachFault(s.deletes(), die, func(r *run, _ string, _ simulate.Fault) {
		r.mustBeIn(lifecycle.StackDeleteComplete)
		r.checkNothingLeft()
	})
}
