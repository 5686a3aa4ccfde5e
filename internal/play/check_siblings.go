package play

import (
	"maps"
	"reflect"
	"strings"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// siblingLeftAlone deploys two resources of one stack.
func siblingLeftAlone(s *suite) error {
	p, beside, err := s.createPair()
	if err != nil {
		return err
	}
	return p.checkIndependent(beside)
}

// warmServesSeveral has one process handle all events of two resources.
func warmServesSeveral(s *suite) error {
	_, beside, err := s.createPair()
	if err != nil {
		return err
	}
	p := s.newWarmRun()
	if status := p.deployPair(s.Properties, beside); status != "CREATE_COMPLETE" {
		return p.failf("the stack is in %s, and with a new process for each event in CREATE_COMPLETE", status)
	}
	return p.checkIndependent(beside)
}

// createPair creates two resources with the same properties, or with different ones
// if both would have the same name. It returns the properties of the second.
func (s *suite) createPair() (p *run, beside any, err error) {
	for _, beside := range []any{s.Properties, s.Replacing} {
		if beside == nil {
			continue
		}
		p = s.newRun()
		if p.deployPair(s.Properties, beside) == "CREATE_COMPLETE" || p.err != nil {
			return p, beside, p.err
		}
	}
	return p, nil, missing("two resources of one stack cannot be created beside each other: if they want one name, set the Contract's Replacing to another")
}

// deployPair deploys the resource, unless props is nil, and a sibling.
func (p *run) deployPair(props, beside any) (status string) {
	t := simulate.Template{neighbour: {Type: "AWS::SNS::Topic"}}
	second := simulate.Resource{Type: p.ResourceType, Properties: beside}
	if props != nil {
		t[thing] = simulate.Resource{Type: p.ResourceType, Properties: props}
		second.DependsOn = []string{thing} // one after the other, so that one process can do both
	}
	t[sibling] = second
	return p.runOperation(func() error { return p.simulator.Deploy(t, simulate.Deployment{}) })
}

// checkIndependent checks that the sibling does not change when the resource does.
func (p *run) checkIndependent(beside any) error {
	id, other := p.id(), p.simulator.PhysicalID(sibling)
	if id == other && p.service.State != nil {
		return p.failf("two resources of one stack have the ID %s: one of them is taken for the other. %s", id, p.sharedIDAdvice(id))
	}
	if err := p.checkState(id, p.Properties); err != nil {
		return err
	}
	steps := []func() string{
		func() string { return p.deployPair(p.InPlace, beside) },
		func() string { return p.deployPair(nil, beside) },
	}
	if p.InPlace == nil {
		steps = steps[1:]
	}
	for _, step := range steps {
		if status := step(); status != "UPDATE_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if err := p.checkState(other, beside); err != nil {
			return err
		}
	}
	return nil
}

// sharedIDAdvice says how to keep two resources from sharing an ID.
func (p *run) sharedIDAdvice(id string) string {
	if p.findAnswered(id) {
		return p.strangerAdvice(id)
	}
	return "Have Create make a thing of its own, and name it, or mark it, by the StableID"
}

// deleteLeavesNeighbours occupies an ID that begins with the resource's ID.
func deleteLeavesNeighbours(s *suite) error {
	if s.newRun().service.Occupy == nil {
		return missing("the Service has no Occupy: nothing can be put beside the resource")
	}
	p, other := s.newRun(), s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	name := p.id() + "-2"
	p.service.Occupy(name)
	other.service.Occupy(name)
	before := other.state(name)
	if s.InPlace != nil {
		p.deploy(s.InPlace)
	}
	p.destroy()
	return p.checkUntouched(name, before)
}

// longNames uses a stack whose name is so long that StableIDs reach their limit of
// 63 characters.
func longNames(s *suite) error {
	p := s.newRunWith(simulate.Options{Name: strings.Repeat("a-stack-of-a-long-name-", 5) + "1"})
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	if err := p.checkState(p.id(), s.Properties); err != nil {
		return err
	}
	if id := p.id(); s.Replacing != nil {
		if status := p.deploy(s.Replacing); status != "UPDATE_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if p.id() == id {
			return p.failf("the Update to Replacing kept the ID %s, and does not where names are short: do not cut the StableID, set Options.IDLength", id)
		}
		if err := p.checkState(p.id(), s.Replacing); err != nil {
			return err
		}
	}
	p.destroy()
	return p.checkNothingLeft()
}

// updateOfWhatIsGone has somebody remove the thing behind the stack's back.
func updateOfWhatIsGone(s *suite) error {
	for _, props := range []any{s.Properties, s.InPlace} {
		if props == nil {
			continue
		}
		p, err := s.createAndDelete(s.Properties, s.Properties)
		if err != nil {
			return err
		}
		if p.last().Status != "SUCCESS" {
			return unjudgedError{"a Delete is not answered SUCCESS"}
		}
		id := p.last().PhysicalResourceID
		a, err := p.deliver(s.updateEvent(id, props, s.Properties))
		if err != nil {
			return err
		}
		if a.Status == "SUCCESS" {
			err = p.checkState(id, props)
		}
		if err == nil {
			err = p.checkNothingBeside(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// updateEachProperty changes each property that InPlace changes, one at a time.
func updateEachProperty(s *suite) error {
	was, to := simulate.Properties(s.Properties), simulate.Properties(s.InPlace)
	for _, name := range differentKeys(was, to) {
		props := maps.Clone(was)
		if value, ok := to[name]; ok {
			props[name] = value
		} else {
			delete(props, name)
		}
		want, err := s.reference(props)
		if err != nil {
			continue // it cannot have this value without the others
		}
		p := s.newRun()
		made, err := p.create(s.Properties)
		if err != nil {
			return err
		}
		a, err := p.deliver(s.updateEvent(made.PhysicalResourceID, props, s.Properties))
		switch {
		case err != nil:
			return err
		case a.Status == "SUCCESS" && !reflect.DeepEqual(p.state(made.PhysicalResourceID), want):
			return p.failf("after an Update of %s alone the state is\n\t%s\nwant, as of one just made,\n\t%s", name, shorten(p.state(made.PhysicalResourceID)), shorten(want))
		}
	}
	return nil
}

// findReadsTheID makes a second thing with the same StableID, as a second delivery
// of a Create does if searches do not show the first yet, and calls Find for each.
func findReadsTheID(s *suite) error {
	p := s.newRun()
	first, err := p.create(s.Properties)
	if err != nil {
		return err
	}
	p.findDisabled = true
	second, err := p.deliver(s.createEvent(s.Properties))
	p.findDisabled = false
	if err != nil || second.Status != "SUCCESS" || second.PhysicalResourceID == first.PhysicalResourceID {
		return err // the handler does not make a second one
	}
	for _, id := range []string{first.PhysicalResourceID, second.PhysicalResourceID} {
		p.foundByID = nil
		if _, err := p.deliver(s.updateEvent(id, s.Properties, s.Replacing)); err != nil {
			return err
		}
		if answered, asked := p.foundByID[id]; asked && answered != id {
			return p.failf("Find was asked with the PhysicalID %s, which bears the StableID, and answered %q: "+
				"have it read that thing directly before it searches", id, answered)
		}
	}
	return nil
}
