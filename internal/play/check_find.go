package play

// findReadsTheID makes a second thing with the same StableID, as a second delivery
// of a Create does if searches do not show the first yet, and calls Find for each.
func findReadsTheID(s *suite) error {
	r := s.newRun()
	first := r.create(s.Properties)
	r.findDisabled = true
	second := r.deliver(s.createEvent(s.Properties))
	r.findDisabled = false
	if second.Status != "SUCCESS" || second.PhysicalResourceID == first {
		return r.err // the handler does not make a second one
	}
	for _, id := range []string{first, second.PhysicalResourceID} {
		r.foundByID = nil
		r.deliver(s.updateEvent(id, s.Properties, s.Replacing))
		if answered, asked := r.foundByID[id]; asked && answered != id {
			return r.failf("Find was asked with the PhysicalID %s, which bears the StableID, and answered %q: "+
				"have it read that thing directly before it searches", id, answered)
		}
	}
	return r.err
}
