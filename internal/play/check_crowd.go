package play

import "github.com/cfnresource/sdk-go/internal/simulate"

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
	r.mustBeIn("ROLLBACK_COMPLETE")
	if left := r.remaining(); r.err == nil && len(left) > 0 {
		return r.failf("there is still %v, and would not be if there were nothing else in the service: have Find read every page of a list", left)
	}
	return r.err
}
