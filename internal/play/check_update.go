package play

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// upgradeKeepsID sends Updates of an ID that this program would not give. Nothing
// exists under it, so the Updates may fail, but must not answer another ID.
func upgradeKeepsID(s *suite) error {
	const id = "made-by-an-older-program"
	for _, props := range given(s.Properties, s.InPlace, s.Replacing) {
		r := s.newRun()
		if a := r.deliver(s.updateEvent(id, props, s.Properties)); a.PhysicalResourceID != id {
			return r.failf("the Update of %s is answered with the ID %s", id, a.PhysicalResourceID)
		}
		for _, other := range r.remaining() {
			if other != id {
				return r.failf("the Update of %s made %s", id, other)
			}
		}
	}
	return cmp.Or(s.upgradeUpdates(id), s.upgradeBesideAnother(id), s.upgradeThereAndBack(id))
}

// upgradeUpdates updates a thing that an older program made to InPlace, and then to
// Properties: the thing may have one of them already, and not both.
func (s *suite) upgradeUpdates(id string) error {
	r, other := s.newRun(), s.newRun()
	if r.service.Occupy == nil || r.service.State == nil || s.InPlace == nil {
		return nil
	}
	r.occupyForeign(id)
	other.occupyForeign(id)
	for _, props := range []any{s.InPlace, s.Properties} {
		a := r.deliver(s.updateEvent(id, props, s.Properties))
		if r.err == nil && a.Status != "SUCCESS" && s.updatesStrangers() {
			return r.failf("the Update of %s fails, but succeeds for the same thing under an ID of this program's form: accept IDs of any form", id)
		}
		if r.err != nil || a.Status != "SUCCESS" || !reflect.DeepEqual(r.state(id), other.state(id)) {
			return r.err
		}
	}
	return r.failf("the Updates of %s succeed, but change nothing: have Update change the thing under req.PhysicalID, which need not be the ID that this program would give", id)
}

// updatesStrangers reports whether an Update of somebody else's thing succeeds if its ID has the form of this program's.
func (s *suite) updatesStrangers() bool {
	r, other := s.newRun(), s.newRun()
	e := s.event("Create", "", s.Properties, nil)
	e.LogicalID = sibling
	id := other.deliver(e.Encode()).PhysicalResourceID
	r.occupyForeign(id)
	return r.deliver(s.updateEvent(id, s.InPlace, s.Properties)).Status == "SUCCESS" && r.err == nil
}

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
		return r.failf("the Update of %s changes %s: use req.PhysicalID, not the ID that this program would give", id, own)
	}
	return r.err
}

// upgradeThereAndBack updates a thing that an older program made to another identity and back:
// it keeps its ID.
func (s *suite) upgradeThereAndBack(id string) error {
	r := s.newRun()
	if r.service.Occupy == nil || s.Replacing == nil {
		return nil
	}
	r.service.Occupy(id)
	for _, to := range [][2]any{{s.Replacing, s.Properties}, {s.Properties, s.Replacing}} {
		if a := r.deliver(s.updateEvent(id, to[0], to[1])); r.err == nil && a.PhysicalResourceID != id {
			return r.failf("the Update of %s is answered with the ID %s, after one to Replacing: have Update leave the thing's mark as it is, since the mark says how the thing was made", id, a.PhysicalResourceID)
		}
	}
	return r.err
}

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
		// The first Find gets the new properties, later ones the old.
		calls := r.takeCalls()
		i := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Method == "Find" && c.PhysicalID == id && c.Error == "" })
		if i >= 0 && calls[i].Returned != id {
			return r.failf("Find was called with the PhysicalID %s, whose thing bears the StableID, and returned %q: "+
				"have Find read that thing before it searches", id, calls[i].Returned)
		}
	}
	return r.err
}
