package play

import (
	"cmp"
	"maps"
	"reflect"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func updateSame(s *suite) error {
	r := s.newRun()
	id := r.create(s.Properties)
	r.update(id, s.Properties, s.Properties)
	r.checkState(id, s.Properties)
	r.checkOnly(id)
	return r.err
}

func updateKeepsID(s *suite) error {
	r := s.newRunOf(s.Properties)
	id := r.id()
	if status := r.deploy(s.InPlace); status != lifecycle.StackUpdateComplete {
		return r.failf("the stack is in %s after the Update to InPlace, want UPDATE_COMPLETE", status)
	}
	r.checkKept(id, s.InPlace)
	if r.checkOnly(id); r.err != nil || r.service.State == nil {
		return r.err
	}
	if was, err := s.reference(s.Properties); err == nil && reflect.DeepEqual(was, r.state(id)) {
		return r.failf("State shows the same with Properties and with InPlace, so no check can see an Update's work: " +
			"have it show what they change, or have the handler pass it on")
	}
	return s.updateKeepsThing()
}

// updateKeepsThing stops an Update at each of its steps, and checks that the thing exists.
func (s *suite) updateKeepsThing() error {
	steps, err := s.stepsOf(s.updates())
	for _, f := range failures(simulate.DieAtStep, steps) {
		if err != nil {
			break
		}
		var gone atomic.Bool
		r, id := s.play(s.updates(), func(r *run) {
			id := r.id()
			r.stack.OnReturn(func(c simulate.Call) {
				if c.Method == "Update" && r.state(id) == nil {
					gone.Store(true)
				}
			})
			f.Request = "Update"
			r.inject(f)
		})
		if gone.Load() {
			err = r.failf("the Update removes %s on its way, and with it what is in it: change it in place", id)
		}
	}
	return err
}

func updateRedelivered(s *suite) error {
	r, _ := s.playWith(s.updates(), simulate.Fault{Kind: simulate.Redeliver})
	r.checkSameAnswers("Update")
	r.checkState(r.id(), s.InPlace)
	return r.err
}

// updateIsNotADiff sends Updates whose old and new properties are the same, for a
// thing that has others. This happens when an update fails half way, its rollback
// fails too and is skipped, and the same update is deployed again.
func updateIsNotADiff(s *suite) error {
	r := s.newRun()
	id := r.create(s.Properties)
	for _, props := range []any{s.InPlace, s.Properties} {
		r.update(id, props, props)
		r.checkState(id, props)
	}
	return r.err
}

func updateDied(s *suite) error {
	return s.eachFault(s.updates(), deaths, func(r *run, _ string, _ simulate.Fault) {
		r.mustBeIn(lifecycle.StackUpdateComplete)
		r.checkState(r.id(), s.InPlace)
	})
}

// updateFailed plays Updates that fail: after their work, at each step, because the
// service refuses, and because another resource fails.
func updateFailed(s *suite) error {
	failing := func(steps int) []simulate.Fault {
		return append([]simulate.Fault{{Kind: simulate.ErrorAfter}}, failures(simulate.FailAtStep, steps)...)
	}
	err := s.eachFault(s.updates(), failing, func(r *run, id string, _ simulate.Fault) { r.checkUpdated(id) })
	if err != nil {
		return err
	}
	if s.Refused != nil {
		r, id := s.play(task{request: "Update", from: s.Properties, to: s.Refused}, nil)
		if r.checkRolledBack(id); r.err != nil {
			return r.err
		}
	}
	r := s.newRunOf(s.Properties)
	id := r.id()
	r.deployWithFailingNeighbour(s.InPlace)
	r.checkRolledBack(id)
	return r.err
}

// checkUpdated checks that an update with a fault was done, or rolled back.
func (r *run) checkUpdated(id string) {
	if r.status() == lifecycle.StackUpdateComplete {
		r.checkState(r.id(), r.InPlace)
	} else {
		r.checkRolledBack(id)
	}
}

// checkRolledBack checks that an update, or a replacement, was rolled back to the resource of before.
func (r *run) checkRolledBack(id string) {
	r.mustBeIn(lifecycle.StackUpdateRollbackComplete)
	r.checkKept(id, r.Properties)
}

// updateOldUndecodable sends Updates whose old properties have another shape, as if an
// older program had deployed them.
func updateOldUndecodable(s *suite) error {
	for _, props := range given(s.Properties, s.InPlace) {
		r := s.newRun()
		id := r.create(s.Properties)
		r.update(id, props, simulate.Undecodable(s.Properties))
		if r.checkState(id, props); r.err != nil {
			return r.err
		}
	}
	return nil
}

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
	return cmp.Or(s.upgradeUpdates(id), s.upgradeBesideAnother(id), s.upgradeThereAndBack(id), s.upgradeOfBefore())
}

// upgradeUpdates updates a thing that an older program made to InPlace, and then to
// Properties: one of them may be what it is already, and not both.
func (s *suite) upgradeUpdates(id string) error {
	r, other := s.newRun(), s.newRun()
	if r.service.Occupy == nil || r.service.State == nil || s.InPlace == nil {
		return nil
	}
	r.occupy(id)
	other.occupy(id)
	for _, props := range []any{s.InPlace, s.Properties} {
		a := r.deliver(s.updateEvent(id, props, s.Properties))
		if r.err != nil || a.Status != "SUCCESS" || !reflect.DeepEqual(r.state(id), other.state(id)) {
			return r.err
		}
	}
	return r.failf("the Updates of %s succeed, and what is there is as before: go by req.PhysicalID, not by the ID that this program would give", id)
}

// updateOfWhatIsGone has somebody remove the thing behind the stack's back.
func updateOfWhatIsGone(s *suite) error {
	for _, props := range given(s.Properties, s.InPlace) {
		r := s.newRun()
		gone := r.createAndDelete(s.Properties, s.Properties)
		if r.err == nil && gone.Status != "SUCCESS" {
			return unjudgedError("a Delete is not answered SUCCESS")
		}
		id := gone.PhysicalResourceID
		if a := r.deliver(s.updateEvent(id, props, s.Properties)); a.Status == "SUCCESS" {
			r.checkState(id, props)
		}
		if r.checkNothingBeside(id); r.err != nil {
			return r.err
		}
	}
	return nil
}

// updateEachProperty changes each property that InPlace changes, one at a time, and leaves it
// out. It warns of one whose change State does not show: no check can see whether it is applied.
func updateEachProperty(s *suite) error {
	before, err := s.reference(s.Properties)
	if err != nil {
		return err
	}
	was, to := simulate.Properties(s.Properties), simulate.Properties(s.InPlace)
	for _, name := range differentKeys(was, to) {
		without := maps.Clone(was)
		delete(without, name)
		changed, isLeftOut := maps.Clone(without), true
		if value, ok := to[name]; ok {
			changed[name], isLeftOut = value, false
		}
		if after, err := s.reference(changed); err == nil && reflect.DeepEqual(before, after) {
			s.warnf("State shows the same when %s alone has changed, so no check can see whether it is applied: have State show it, or have the handler pass it on", name)
		}
		err := s.updatesTo(changed, "of "+name+" alone")
		if err == nil && !isLeftOut {
			err = s.updatesTo(without, "that leaves "+name+" out")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// updatesTo plays an Update to properties, which leads to what a Create with them makes, if there
// can be such a thing.
func (s *suite) updatesTo(props map[string]any, what string) error {
	want, err := s.reference(props)
	if err != nil {
		return nil //nolint:nilerr // a property that cannot have this value without the others
	}
	r := s.newRun()
	id := r.create(s.Properties)
	a := r.deliver(s.updateEvent(id, props, s.Properties))
	if r.err != nil || a.Status == "SUCCESS" && !reflect.DeepEqual(r.state(id), want) {
		return r.failf("after an Update %s the state is\n\t%s\nwant, as of one just made,\n\t%s", what, shorten(r.state(id)), shorten(want))
	}
	return nil
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
