package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// findReadsTheID makes a second thing with the same StableID, as a second delivery
// of a Create does if searches do not show the first yet, and calls Find for each.
func findReadsTheID(s *suite) error {
	r := s.newRun()
	first := r.create(s.Properties)
	second := r.deliverWithoutFind(s.createEvent(s.Properties))
	if second.Status != "SUCCESS" || second.PhysicalResourceID == first {
		return r.err // the handler does not make a second one
	}
	for _, id := range []string{first, second.PhysicalResourceID} {
		r.takeCalls()
		r.deliver(s.updateEvent(id, s.Properties, s.Replacing))
		// The first is asked with the new properties; later ones with the old.
		calls := r.takeCalls()
		i := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Method == "Find" && c.PhysicalID == id && c.Error == "" })
		if i >= 0 && calls[i].Returned != id {
			return r.failf("Find was asked with the PhysicalID %s, which bears the StableID, and answered %q: "+
				"have it read that thing directly before it searches", id, calls[i].Returned)
		}
	}
	return r.err
}
