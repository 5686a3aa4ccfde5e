package play

import (
	"reflect"
	"strings"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

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
		r.wait(serviceTime)
		kept, left := plain.remaining(), r.remaining()
		switch {
		case plain.err != nil:
			return plain.err
		case read.Status != "SUCCESS":
			return unjudgedError("a Delete is not answered SUCCESS")
		case len(left) > len(kept):
			return r.failf("%v is left, but a Delete with properties that can be read removes it", left)
		case !reflect.DeepEqual(left, kept):
			return r.failf("%v was deleted, but a Delete with properties that can be read keeps it", kept)
		}
	}
	if err := deleteUsedUndecodable(s); err != nil {
		return err
	}
	r := s.newRun()
	if a := r.deliver(s.deleteEvent(madeUpID, simulate.Undecodable(s.Properties))); a.Status != "SUCCESS" {
		return r.failf("the Delete of a resource that was never made is answered FAILED")
	}
	return r.err
}

// deleteUsedUndecodable does the same with a thing into which users have put something, and which Delete may keep.
func deleteUsedUndecodable(s *suite) error {
	deleted := func(props any) (r *run, id string) {
		r = s.newRun()
		if id = r.create(s.Properties); r.service.Use != nil && r.state(id) != nil {
			r.service.Use(id)
			r.deliver(s.deleteEvent(id, props))
		}
		return r, id
	}
	plain, kept := deleted(s.Properties)
	if plain.err != nil || plain.service.Use == nil || plain.state(kept) == nil {
		return plain.err
	}
	r, id := deleted(simulate.Undecodable(s.Properties))
	if r.err == nil && r.state(id) == nil {
		return r.failf("%s was deleted with what users have put into it, but a Delete with properties that can be read keeps it", id)
	}
	return r.err
}

// createAndDelete creates a resource, delivers its Delete with other properties, and
// returns the answer to that.
func (r *run) createAndDelete(made, props any) answercheck.Response {
	return r.deliver(r.deleteEvent(r.create(made), props))
}

// deleteLeavesNeighbours has Deletes meet things whose IDs are near, or were made later.
func deleteLeavesNeighbours(s *suite) error {
	for _, meets := range []func(*suite) error{deleteOfAPart, deleteOfAFormer, deleteBesideALonger} {
		if err := meets(s); err != nil {
			return err
		}
	}
	return nil
}

// deleteOfAPart deletes what has an ID with which the resource's begins, such as that of a bucket, though there is no such
// thing.
func deleteOfAPart(s *suite) error {
	r := s.newRunOf(s.Properties)
	id := r.id()
	for i, c := range id {
		if !strings.ContainsRune("/:|.,", c) {
			continue
		}
		for _, part := range []string{id[:i], id[:i+1]} {
			was := r.state(id)
			if r.err != nil || part == "" || part == id || isNothing(was) || !isNothing(r.state(part)) {
				continue
			}
			e := s.event("Delete", part, s.Properties, nil)
			e.LogicalID = sibling
			if r.deliver(e.Encode()); !sameState(r.state(id), was) {
				return r.failf("the Delete of %s changes or removes %s: delete only what has exactly that ID, and bears the resource's mark", part, id)
			}
		}
	}
	return r.err
}

// deleteOfAFormer delivers a Delete once more when the resource has been made again, under another ID. Other checks ask
// whether it can be.
func deleteOfAFormer(s *suite) error {
	r := s.newRun()
	former := r.create(s.Properties)
	r.deliver(s.deleteEvent(former, s.Properties))
	now := r.create(s.Properties)
	made := r.state(now)
	if r.err == nil && former != now && !isNothing(made) {
		r.deliver(s.deleteEvent(former, s.Properties))
	}
	if r.err == nil && !sameState(r.state(now), made) {
		return r.failf("the Delete of %s, delivered once more, changes or removes %s, which was made later: delete what has the physical ID, not what bears the mark", former, now)
	}
	return nil
}

// deleteBesideALonger occupies an ID that begins with the resource's ID.
func deleteBesideALonger(s *suite) error {
	if s.newRun().service.Occupy == nil {
		return missingError("the Service has no Occupy: nothing can be put beside the resource")
	}
	r, other := s.newRunOf(s.Properties), s.newRun()
	if r.err != nil {
		return r.err
	}
	id := r.id()
	name := id + "-2"
	r.occupyForeign(name)
	other.occupyForeign(name)
	if s.InPlace != nil {
		r.deploy(s.InPlace)
	}
	r.destroy()
	if r.err == nil && !sameState(r.state(name), other.state(name)) {
		return r.failf("an Update or the Delete of %s changes or removes %s, which is somebody else's: compare the whole ID, not its beginning", id, name)
	}
	return r.err
}
