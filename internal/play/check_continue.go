package play

import (
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// continuesInNextInvocation checks that a method that waits until its invocation ends
// goes on in the next.
func continuesInNextInvocation(s *suite) error {
	for _, t := range s.tasks() {
		r, _ := s.playWith(t, simulate.Fault{Kind: simulate.Slow})
		if r.err != nil && !r.tooSoon { // which is the next check's
			return r.err
		}
		for _, d := range r.deliveries(t.request) {
			if d.CutOff && !d.Continued {
				return r.failf("the %s waits in a Poll until its invocation ends, and fails, since it does not return Poll's error: "+
					"return that, wrapped with %%w or as it is, and joined with no other", t.request)
			}
		}
	}
	return nil
}

// continueSucceedsWhenReady checks that no request succeeds before the thing is ready.
func continueSucceedsWhenReady(s *suite) error {
	for _, t := range s.tasks() {
		if r, _ := s.playWith(t, simulate.Fault{Kind: simulate.Slow}); r.err != nil {
			return r.err
		}
	}
	return nil
}
