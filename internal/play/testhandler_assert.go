package play

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// state returns the state of the thing with an ID, or nil.
func (p *run) state(id string) any {
	if p.service.State == nil || id == "" {
		return nil
	}
	if state := p.service.State(id); !absent(state) {
		return state
	}
	return nil
}

// remaining returns the IDs of all things that can be seen, except those that existed
// before the run.
func (p *run) remaining() []string {
	ids := p.seenIDs()
	for _, id := range p.simulator.SeenIDs() {
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

// mustDeploy deploys properties, and returns an error unless that succeeds.
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

// checkOnly checks that a thing exists, and nothing else.
func (p *run) checkOnly(id string) error {
	if p.service.State != nil && p.state(id) == nil || p.service.List != nil && !slices.Contains(p.service.List(), id) {
		return p.failf("there is nothing under the physical ID %s", id)
	}
	return p.checkNothingBeside(id)
}

func (p *run) checkNothingLeft() error { return p.checkNothingBeside("") }

// checkNothingBeside checks that nothing exists except, possibly, one thing.
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

// checkState checks that a thing has the state of one just created with properties.
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

// checkKept checks that the resource has kept its ID, and has the state of properties.
func (p *run) checkKept(id string, props any) error {
	if p.err == nil && p.id() != id {
		return p.failf("the resource's physical ID is %s, and was %s", p.id(), id)
	}
	return p.checkState(id, props)
}

// checkCreated checks that a Create with a fault has made the whole thing, or has left
// nothing.
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

// checkSameAnswers checks that each delivery of the requests of a type was answered
// SUCCESS with the same ID.
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
