package play

import (
	"reflect"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

func deleteTwice(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	p.inject(simulate.Fault{Kind: simulate.Redeliver, Request: "Delete"})
	p.destroy()
	if p.err != nil {
		return p.err
	}
	answers := p.answers("Delete")
	if len(answers) < 2 || answers[0].Status != "SUCCESS" {
		return unjudgedError{"the first Delete is not answered SUCCESS"}
	}
	for _, a := range answers[1:] {
		if a.Status != "SUCCESS" {
			return p.failf("the Delete of what was deleted is answered FAILED")
		}
	}
	return nil
}

// deleteNeverCreated deletes a resource that was never made, under each ID that
// CloudFormation may send: one that it made up, and the one in the answer that the
// on-failure destination gives for a Create whose process died at once.
func deleteNeverCreated(s *suite) error {
	p := s.newRun()
	a, err := p.deliverRecord(s.createEvent(s.Properties))
	if err != nil {
		return err
	}
	for _, id := range []string{a.PhysicalResourceID, madeUpID} {
		a, err := p.deliver(s.deleteEvent(id, s.Properties))
		if err != nil {
			return err
		}
		if a.Status != "SUCCESS" {
			return p.failf("the Delete of %s, which was never made, is answered FAILED", id)
		}
	}
	return nil
}

// deleteLostCreate loses a Create's answer, as for a function without a route to S3,
// and has the process die in each of Lambda's tries.
func deleteLostCreate(s *suite) error {
	for _, what := range []simulate.FaultKind{simulate.LoseAnswer, simulate.DieForGood} {
		p := s.newRun()
		p.inject(simulate.Fault{Kind: what, Request: "Create"})
		if status := p.deploy(s.Properties); status != "ROLLBACK_COMPLETE" {
			return p.failf("the stack is in %s, want ROLLBACK_COMPLETE", status)
		}
		if err := p.checkNothingLeft(); err != nil {
			return err
		}
	}
	return nil
}

// deleteUndecodable deletes a resource with properties of another shape than those
// it was created with. It must keep whatever a plain Delete keeps because of a
// property.
func deleteUndecodable(s *suite) error {
	for _, props := range []any{s.Properties, s.InPlace} {
		if props == nil {
			continue
		}
		plain, err := s.createAndDelete(props, props)
		if err != nil {
			return err
		}
		p, err := s.createAndDelete(props, undecodable(props))
		if err != nil {
			return err
		}
		if a := p.last(); a.Status != "SUCCESS" {
			return p.failf("the Delete is answered FAILED")
		}
		kept, left := plain.remaining(), p.remaining()
		switch {
		case plain.last().Status != "SUCCESS":
			return unjudgedError{"a Delete is not answered SUCCESS"}
		case len(left) > len(kept):
			return p.failf("%v is left, which a Delete with properties that can be read removes", left)
		case !reflect.DeepEqual(left, kept):
			return p.failf("%v is gone, which a Delete with properties that can be read keeps", kept)
		}
	}
	p := s.newRun()
	a, err := p.deliver(s.deleteEvent(madeUpID, undecodable(s.Properties)))
	if err == nil && a.Status != "SUCCESS" {
		return p.failf("the Delete of what was never made is answered FAILED")
	}
	return err
}

// createAndDelete creates a resource, and delivers its Delete with other properties.
func (s *suite) createAndDelete(made, props any) (*run, error) {
	p := s.newRun()
	a, err := p.create(made)
	if err != nil {
		return nil, err
	}
	_, err = p.deliver(s.deleteEvent(a.PhysicalResourceID, props))
	return p, err
}

func deleteFailedIsTold(s *suite) error {
	steps, err := s.stepsOf("Delete", s.Properties, nil)
	if err != nil {
		return err
	}
	if steps == 0 {
		return missing("Delete calls no Step: call it in the service, or wrap a transport in Steps")
	}
	for step := range steps {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		p.inject(simulate.Fault{Kind: simulate.FailAtStep, Request: "Delete", Step: step + 1})
		if p.destroy() == "DELETE_COMPLETE" {
			if err := p.checkNothingLeft(); err != nil {
				return err
			}
			continue
		}
		if status := p.destroy(); status != "DELETE_COMPLETE" {
			return p.failf("the stack is in %s after its second deletion, want DELETE_COMPLETE", status)
		}
		if err := p.checkNothingLeft(); err != nil {
			return err
		}
	}
	return nil
}

func deleteDied(s *suite) error {
	steps, err := s.stepsOf("Delete", s.Properties, nil)
	if err != nil {
		return err
	}
	if steps == 0 {
		return missing("Delete calls no Step: call it in the service, or wrap a transport in Steps")
	}
	for _, f := range deathFaults("Delete", steps) {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		p.inject(f)
		if status := p.destroy(); status != "DELETE_COMPLETE" {
			return p.failf("the stack is in %s, want DELETE_COMPLETE", status)
		}
		if err := p.checkNothingLeft(); err != nil {
			return err
		}
	}
	return nil
}
