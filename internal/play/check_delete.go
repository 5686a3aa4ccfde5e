package play

import (
	"strings"
)

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
