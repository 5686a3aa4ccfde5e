package play

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// state returns what there is under an ID, or nil.
func (p *run) state(id string) any {
	if p.service.State == nil || id == "" {
		return nil
	}
	if state := p.service.State(id); !absent(state) {
		return state
	}
	return nil
}

// remaining returns the IDs of all things that there are, as far as can be known,
// but those that there were at first.
func (p *run) remaining() []string {
	ids := p.seenIDs()
	for _, id := range p.simulator.physicalIDs() {
		ids.add(id)
	}
	maps.DeleteFunc(ids, func(id string, _ bool) bool { return p.state(id) == nil })
	if p.service.List != nil {
		for _, id := range p.service.List() {
			ids.add(id)
		}
	}
	for _, id := range p.before {
		delete(ids, id)
	}
	return slices.Sorted(maps.Keys(ids))
}

// mustDeploy deploys properties that have to be right.
func (p *run) mustDeploy(props any) error {
	status := p.deploy(props)
	if p.err != nil {
		return p.err
	}
	if status != "CREATE_COMPLETE" {
		return unjudgedError{fmt.Sprintf("the stack that was to be created for it is in %s", status)}
	}
	return nil
}

// checkOnly holds that a thing exists, and nothing else.
func (p *run) checkOnly(id string) error {
	if p.service.State != nil && p.state(id) == nil || p.service.List != nil && !slices.Contains(p.service.List(), id) {
		return p.failf("there is nothing under the physical ID %s", id)
	}
	return p.checkNothingBeside(id)
}

func (p *run) checkNothingLeft() error { return p.checkNothingBeside("") }

// checkNothingBeside holds that nothing exists but one thing, which may or may not.
func (p *run) checkNothingBeside(id string) error {
	if p.err != nil {
		return p.err
	}
	left := p.remaining()
	left = slices.DeleteFunc(left, func(other string) bool { return other == id })
	if len(left) > 0 {
		return p.failf("there is still %v%s", left, p.lagHint())
	}
	return nil
}

// checkState holds that a thing is as if it had just been made of properties.
func (p *run) checkState(id string, props any) error {
	if p.err != nil || p.service.State == nil {
		return p.err
	}
	want, err := p.reference(props)
	if err != nil {
		return err
	}
	got := p.state(id)
	switch {
	case got == nil:
		return p.failf("there is nothing under the physical ID %s", id)
	case !reflect.DeepEqual(got, want):
		return p.failf("the state of %s is\n\t%s\nwant, as of one just made,\n\t%s", id, shorten(got), shorten(want))
	}
	return nil
}

// checkKept holds that the resource has kept its ID, and is as properties say.
func (p *run) checkKept(id string, props any) error {
	if p.err == nil && p.id() != id {
		return p.failf("the resource's physical ID is %s, and was %s", p.id(), id)
	}
	return p.checkState(id, props)
}

// checkCreated holds that a Create that met a fault has made all of the thing, or
// has left nothing.
func (p *run) checkCreated(props any) error {
	if p.err != nil {
		return p.err
	}
	switch p.status() {
	case "CREATE_COMPLETE":
		if err := p.checkState(p.id(), props); err != nil {
			return err
		}
		return p.checkOnly(p.id())
	case "ROLLBACK_COMPLETE":
		return p.checkNothingLeft()
	}
	return p.failf("the stack is in %s", p.status())
}

// checkSameAnswers holds that each delivery of the requests of a type was answered
// SUCCESS, with one ID.
func (p *run) checkSameAnswers(request string) error {
	if p.err != nil {
		return p.err
	}
	answers := p.answers(request)
	if len(answers) < 2 || answers[0].Status != "SUCCESS" {
		return unjudgedError{"the " + request + " is not answered SUCCESS when it comes first"}
	}
	for _, a := range answers[1:] {
		switch {
		case a.Status != "SUCCESS":
			return p.failf("the second delivery is answered FAILED (%s)", a.Reason)
		case a.PhysicalResourceID != answers[0].PhysicalResourceID:
			return p.failf("the second delivery is answered with the ID %s, the first with %s", a.PhysicalResourceID, answers[0].PhysicalResourceID)
		}
	}
	return nil
}
