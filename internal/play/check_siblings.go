package play

import (
	"strings"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A pair is two logical IDs, in the order in which the resources are created.
type pair struct{ first, second string }

// siblingLeftAlone deploys two resources of one stack, in both orders: a mark is easily
// taken for one that begins with it.
func siblingLeftAlone(s *suite) error {
	for _, p := range []pair{{thing, sibling}, {sibling, thing}} {
		r, beside, err := s.createPair(p)
		if err != nil {
			return err
		}
		if r.checkIndependent(p, beside); r.err != nil {
			return r.err
		}
	}
	return nil
}

// createPair creates two resources with the same properties, or with different ones
// if both would have the same name. It returns the properties of the second.
func (s *suite) createPair(p pair) (r *run, beside any, err error) {
	for _, beside := range given(s.Properties, s.Replacing) {
		r = s.newRun()
		if r.deployPair(p, s.Properties, beside) == lifecycle.StackCreateComplete || r.err != nil {
			return r, beside, r.err
		}
	}
	return r, nil, missingError("two resources of one stack cannot be created beside each other: if they want one name, set the Contract's Replacing to another")
}

// deployPair deploys the first resource, unless props is nil, and the second.
func (r *run) deployPair(p pair, props, beside any) (status lifecycle.StackStatus) {
	t := simulate.Template{neighbour: {Type: "AWS::SNS::Topic"}}
	second := simulate.Resource{Type: r.ResourceType, Properties: beside}
	if props != nil {
		t[p.first] = simulate.Resource{Type: r.ResourceType, Properties: props}
		second.DependsOn = []string{p.first} // one after the other, so that one process can do both
	}
	t[p.second] = second
	return r.runOperation(func() error { return r.stack.Deploy(t, simulate.DeployOptions{}) })
}

// checkIndependent checks that the second does not change when the first does.
func (r *run) checkIndependent(p pair, beside any) {
	id, other := r.stack.PhysicalID(p.first), r.stack.PhysicalID(p.second)
	if id == other && r.service.State != nil {
		r.err = r.failf("two resources of one stack have the ID %s: one of them is taken for the other. %s", id, r.sharedIDAdvice(id))
	}
	r.checkState(id, r.Properties)
	next := []any{r.InPlace, nil}
	if r.InPlace == nil {
		next = next[1:]
	}
	for _, props := range next {
		r.deployPair(p, props, beside)
		r.mustBeIn(lifecycle.StackUpdateComplete)
		r.checkState(other, beside)
	}
}

// sharedIDAdvice says how to keep two resources from sharing an ID.
func (r *run) sharedIDAdvice(id string) string {
	if r.findAnswered(id) {
		return r.strangerAdvice(id)
	}
	return "Have Create make a thing of its own, and name it, or mark it, by the StableID"
}

// deleteLeavesNeighbours occupies an ID that begins with the resource's ID.
func deleteLeavesNeighbours(s *suite) error {
	if s.newRun().service.Occupy == nil {
		return missingError("the Service has no Occupy: nothing can be put beside the resource")
	}
	r, other := s.newRunOf(s.Properties), s.newRun()
	if r.err != nil {
		return r.err
	}
	name := r.id() + "-2"
	r.occupy(name)
	other.occupy(name)
	if s.InPlace != nil {
		r.deploy(s.InPlace)
	}
	r.destroy()
	r.checkUntouched(name, other.state(name))
	return r.err
}

// longNames uses a stack whose name is so long that StableIDs reach their limit of
// 63 characters.
func longNames(s *suite) error {
	r := s.newRunWith(simulate.Options{Name: strings.Repeat("a-stack-of-a-long-name-", 5) + "1"})
	r.mustDeploy(s.Properties)
	r.checkState(r.id(), s.Properties)
	if id := r.id(); s.Replacing != nil {
		if r.mustReach(lifecycle.StackUpdateComplete, s.Replacing); r.id() == id {
			return r.failf("the Update to Replacing kept the ID %s: where it does not in a stack of a short name, do not cut the StableID, and set Options.IDLength", id)
		}
		r.checkState(r.id(), s.Replacing)
	}
	r.destroy()
	r.checkNothingLeft()
	return r.err
}
