package play

import (
	"reflect"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// updateNotUpdatable plays an Update that the handler has to refuse though a Create takes the same
// properties. The thing is looked at before the rollback too, which would hide a change.
func updateNotUpdatable(s *suite) error {
	if s.NotUpdatable == nil {
		return missingError("set the Contract's NotUpdatable, if there are changes that cannot be made in place")
	}
	if r := s.newRun(); r.deploy(s.NotUpdatable) != lifecycle.StackCreateComplete {
		return r.failf("the Create of NotUpdatable does not succeed: what is refused there too belongs into Refused")
	}

	// The Update, and what there is when it returns.
	var changed, refused atomic.Bool
	r := s.newRunOf(s.Properties)
	id := r.id()
	before := r.state(id)
	r.stack.OnReturn(func(c simulate.Call) {
		if c.Code == string(cfnresource.CodeNotUpdatable) {
			refused.Store(true)
			changed.Store(changed.Load() || !reflect.DeepEqual(r.state(id), before))
		}
	})
	status := r.deploy(s.NotUpdatable)

	// What it led to.
	switch {
	case r.err != nil:
		return r.err
	case status == lifecycle.StackUpdateComplete:
		return r.failf("the Update to NotUpdatable succeeds: have Update answer CodeNotUpdatable")
	case !refused.Load():
		return r.failf("the Update to NotUpdatable fails, and not with CodeNotUpdatable")
	case changed.Load():
		return r.failf("the Update answers CodeNotUpdatable, and has changed %s by then: ask before the first change", id)
	case status != lifecycle.StackUpdateRollbackComplete:
		return r.failf("the stack is in %s: the rollback's Update asks for what there is already, so compare with the thing, and not with OldProperties", status)
	case r.id() != id:
		return r.failf("the resource's physical ID is %s, and was %s", r.id(), id)
	}
	r.checkState(id, s.Properties)
	r.checkOnly(id)
	return r.err
}

// upgradeOfBefore leads a thing that the program before made through the rest of its life: to
// properties, back as a rollback does, and to its end.
func (s *suite) upgradeOfBefore() error {
	for _, to := range []struct {
		props   any
		inPlace bool
	}{{nil, true}, {s.InPlace, true}, {s.Replacing, false}} {
		r := s.newRun()
		if r.service.Before == nil {
			return nil
		}
		id := r.service.Before(s.Properties)
		if r.service.State != nil && r.state(id) == nil {
			return contractError("the Service's Before makes nothing that State shows: State returns nil for " + id)
		}
		r.addSeen(id)
		r.logf("The program before has made %s.", id)
		if to.props != nil {
			r.thereAndBack(id, to.props, to.inPlace)
		}
		a := r.deliver(s.deleteEvent(id, s.Properties))
		left := r.remaining()
		switch {
		case r.err != nil:
			return r.err
		case a.Status != "SUCCESS":
			return r.failf("the Delete of %s, which the program before made, is answered FAILED", id)
		case len(left) > 0:
			return r.failf("the Delete of %s, which the program before made, succeeds, and there is still %v: delete what PhysicalID names also where it has no mark or an ID of another form", id, left)
		}
	}
	return nil
}

// thereAndBack updates a thing that the program before made, and takes that back. Where the
// identity changes, the Update may be refused, or may replace.
func (r *run) thereAndBack(id string, to any, inPlace bool) {
	a := r.deliver(r.updateEvent(id, to, r.Properties))
	switch {
	case r.err != nil:
	case a.Status == "SUCCESS":
		r.checkState(a.PhysicalResourceID, to)
	case inPlace:
		r.err = r.failf("the Update of %s, which the program before made, is answered FAILED", id)
	}
	if a.PhysicalResourceID != id { // a replacement, whose first thing is there until its Delete
		r.checkState(id, r.Properties)
	}
	back := r.deliver(r.updateEvent(a.PhysicalResourceID, r.Properties, to))
	if r.err == nil && (back.Status != "SUCCESS" || back.PhysicalResourceID != id || inPlace && a.PhysicalResourceID != id) {
		r.err = r.failf("an Update of %s, which the program before made, and the one that takes it back do not lead to %s again", id, id)
	}
	if a.PhysicalResourceID != id {
		r.deliver(r.deleteEvent(a.PhysicalResourceID, to))
	}
	r.checkState(id, r.Properties)
	r.checkNothingBeside(id)
}
