package play

import (
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// strangerHoldsTheName has another stack hold the resource's name, and then, if the
// Service has Occupy, something outside of any stack.
func strangerHoldsTheName(s *suite) error {
	name, err := s.heldByAnotherStack()
	if err != nil || s.newRun().service.Occupy == nil {
		return err
	}
	steps, err := s.stepsOf("Create", nil, s.Properties)
	if err != nil {
		return err
	}
	if err := s.checkOccupied(name, nil, s.Properties, simulate.Fault{}); err != nil {
		return err
	}
	for step := range steps { // a Create that fails before it knows
		f := simulate.Fault{Kind: simulate.FailAtStep, Request: "Create", Step: step + 1}
		if err := s.checkOccupied(name, nil, s.Properties, f); err != nil {
			return err
		}
	}
	if s.Replacing == nil {
		return nil
	}
	made, err := s.newRun().create(s.Replacing)
	if err != nil {
		return err
	}
	return s.checkOccupied(made.PhysicalResourceID, s.Properties, s.Replacing, simulate.Fault{})
}

// checkOccupied deploys first, unless it is nil, has a stranger take the name, and
// then deploys props, which want that name.
func (s *suite) checkOccupied(name string, first, props any, f simulate.Fault) error {
	p := s.newRun()
	if first != nil {
		if err := p.mustDeploy(first); err != nil {
			return err
		}
	}
	p.service.Occupy(name)
	other := s.newRun()
	other.service.Occupy(name)
	before := other.state(name) // of another service: State may return no copy, but the thing itself
	if f.Kind != "" {
		p.inject(f)
	}
	if status := p.deploy(props); (status == "CREATE_COMPLETE" || status == "UPDATE_COMPLETE") && p.id() == name {
		return p.failf("the operation succeeds, and %s is somebody else's: %s", name, p.strangerAdvice(name))
	}
	p.destroy()
	return p.checkUntouched(name, before)
}

// heldByAnotherStack creates the same resource in two stacks, and returns the name
// that both want.
func (s *suite) heldByAnotherStack() (name string, err error) {
	p := s.newRun()
	first, err := p.create(s.Properties)
	if err != nil {
		return "", err
	}
	name = first.PhysicalResourceID
	other := s.newRun()
	same, err := other.create(s.Properties)
	if err != nil {
		return "", err
	}
	before := other.state(same.PhysicalResourceID)
	another := func(e simulate.Event) []byte {
		e.StackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/another-stack/0f6a2c40-6b52-11f0-8f6e-0a58a9feac02"
		return e.Encode()
	}
	p.logf("The same of another stack:")
	p.foundIDs = nil
	second, err := p.deliver(another(s.event("Create", "", s.Properties, nil)))
	switch {
	case err != nil:
		return "", err
	case second.Status == "SUCCESS" && second.PhysicalResourceID != name:
		return "", missing("no two stacks want one name, so it cannot be held by a stranger")
	case second.Status == "SUCCESS":
		return "", p.failf("the Create succeeds, and %s is the other stack's: %s", name, p.strangerAdvice(name))
	}
	if _, err := p.deliver(another(s.event("Delete", second.PhysicalResourceID, s.Properties, nil))); err != nil {
		return "", err
	}
	return name, p.checkUntouched(name, before)
}

// checkUntouched checks that a stranger's thing has not changed.
func (p *run) checkUntouched(name string, before any) error {
	if p.err != nil {
		return p.err
	}
	switch now := p.state(name); {
	case now == nil:
		return p.failf("%s, which is somebody else's, was deleted: %s", name, p.strangerAdvice(name))
	case !reflect.DeepEqual(now, before):
		return p.failf("%s, which is somebody else's, was changed: %s", name, p.strangerAdvice(name))
	}
	return nil
}

// strangerAdvice says how a handler leaves a stranger's thing alone. If Find answered
// it, Create was not called.
func (p *run) strangerAdvice(name string) string {
	if p.findAnswered(name) {
		return "Find answered it. Have Find answer only what proves to be this resource's, by the StableID in a tag"
	}
	return "have Create answer AlreadyExists, and call Created only for what it has made"
}

// findAnswered reports whether Find returned an ID, for the stack or for an event
// delivered by hand.
func (p *run) findAnswered(id string) bool {
	for _, r := range p.simulator.Requests() {
		for _, d := range r.Deliveries {
			if slices.ContainsFunc(d.Calls, func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == id }) {
				return true
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.foundIDs, id)
}
