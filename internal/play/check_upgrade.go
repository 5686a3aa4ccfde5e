package play

import "reflect"

// upgradeBesideAnother updates a thing that an older program made while there is one under
// the ID that this program gives.
func (s *suite) upgradeBesideAnother(id string) error {
	r := s.newRun()
	if r.service.Occupy == nil || r.service.State == nil || s.InPlace == nil {
		return nil
	}
	before, err := s.reference(s.Properties)
	if err != nil {
		return err
	}
	own := r.create(s.Properties)
	r.service.Occupy(id)
	r.takeCalls()
	r.deliver(s.updateEvent(id, s.InPlace, s.Properties))
	if r.err == nil && !r.findAnswered(own) && !reflect.DeepEqual(r.state(own), before) {
		return r.failf("the Update of %s changes %s: go by req.PhysicalID, not by the ID that this program would give", id, own)
	}
	return r.err
}

// upgradeThereAndBack updates a thing that an older program made to another identity, which
// it keeps its ID for, and back.
func (s *suite) upgradeThereAndBack(id string) error {
	r := s.newRun()
	if r.service.Occupy == nil || s.Replacing == nil {
		return nil
	}
	r.service.Occupy(id)
	for _, to := range [][2]any{{s.Replacing, s.Properties}, {s.Properties, s.Replacing}} {
		if a := r.deliver(s.updateEvent(id, to[0], to[1])); r.err == nil && a.PhysicalResourceID != id {
			return r.failf("the Update of %s is answered with the ID %s, after one to Replacing: have Update leave the mark as it is, which says how the thing was made", id, a.PhysicalResourceID)
		}
	}
	return r.err
}
