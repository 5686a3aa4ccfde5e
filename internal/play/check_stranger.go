package play

import (
	"reflect"
	"slices"
)

// strangerHoldsTheName has the resource's name belong to another stack, and,
// where the service can be told so, to nobody's stack.
func strangerHoldsTheName(s *suite) error {
	name, err := s.heldByAnotherStack()
	if err != nil || s.newRun().service.Occupy == nil {
		return err
	}
	steps, err := s.stepsOf("Create", nil, s.Properties)
	if err != nil {
		return err
	}
	if err := s.checkOccupied(name, nil, s.Properties, Fault{}); err != nil {
		return err
	}
	for step := range steps { // a Create that fails before it knows
		f := Fault{Kind: FailAtStep, Request: "Create", Step: step + 1}
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
	return s.checkOccupied(made.PhysicalResourceID, s.Properties, s.Replacing, Fault{})
}

// checkOccupied deploys properties (after others, if not nil) whose name is a
// stranger's by then.
func (s *suite) checkOccupied(name string, first, props any, f Fault) error {
	p := s.newRun()
	if first != nil {
		if err := p.mustDeploy(first); err != nil {
			return err
		}
	}
	p.service.Occupy(name)
	other := s.newRun()
	other.service.Occupy(name)
	before := other.state(name) // State may return what there is itself, which would change as well
	if f.Kind != "" {
		p.inject(f)
	}
	if status := p.deploy(props); (status == "CREATE_COMPLETE" || status == "UPDATE_COMPLETE") && p.id() == name {
		return p.failf("the operation succeeds, and %s is somebody else's: %s", name, p.strangerAdvice(name))
	}
	p.destroy()
	return p.checkUntouched(name, before)
}

// heldByAnotherStack has two stacks want one name, and returns it.
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
	another := func(e Event) []byte {
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

// checkUntouched holds that what somebody else has under a name is as it was.
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

// strangerAdvice says what keeps a handler from what somebody else has under a name. If
// Find answered it, Create was not asked.
func (p *run) strangerAdvice(name string) string {
	if p.findAnswered(name) {
		return "Find answered it. Have Find answer only what proves to be this resource's, by the StableID in a tag"
	}
	return "have Create answer AlreadyExists, and call Created only for what it has made"
}

// findAnswered reports whether Find answered an ID, in the stack or by hand.
func (p *run) findAnswered(id string) bool {
	for _, r := range p.simulator.Requests() {
		for _, d := range r.Deliveries {
			if slices.ContainsFunc(d.Calls, func(c Call) bool { return c.Method == "Find" && c.Returned == id }) {
				return true
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.foundIDs, id)
}
