package play

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A pair is two logical IDs, in the order in which the resources are created, and a third one, or "".
type pair struct{ first, second, third string }

// siblingLeftAlone deploys two resources of one stack, in both orders: a mark is easily
// taken for one that begins with it.
func siblingLeftAlone(s *suite) error {
	for _, p := range []pair{{thing, sibling, ""}, {sibling, thing, ""}} {
		r, beside, err := s.createPair(p, false)
		if err != nil {
			return err
		}
		if r.checkIndependent(p, beside); r.err != nil {
			return r.err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Others)) {
		r := s.newRun()
		if r.checkOtherType(simulate.Resource{Type: name, Properties: s.Others[name]}); r.err != nil {
			return r.err
		}
	}
	return nil
}

// checkOtherType checks that a resource of another type does not change when one of this type is made and deleted, nor
// this one when the other is deleted.
func (r *run) checkOtherType(other simulate.Resource) {
	deploy := func(want lifecycle.StackStatus, props any, beside ...simulate.Resource) {
		t := simulate.Template{neighbour: {Type: "AWS::SNS::Topic"}}
		for _, b := range beside {
			t[sibling] = b
		}
		if props != nil {
			t[thing] = simulate.Resource{Type: r.ResourceType, Properties: props}
		}
		if r.runOperation(func() error { return r.stack.Deploy(t, simulate.DeployOptions{}) }); r.err == nil {
			r.mustBeIn(want)
		}
	}

	// The other resource.
	if deploy(lifecycle.StackCreateComplete, nil, other); r.err != nil {
		r.err = contractError(fmt.Sprintf("the Contract's Others has %s, but a stack with it is in %s: give it properties that its handler accepts", other.Type, r.status()))
		return
	}
	id := r.stack.PhysicalID(sibling)
	shown := func() map[string]any {
		all := map[string]any{"State": r.state(id)}
		if r.service.Around != nil && r.id() == "" {
			all["Around"] = r.service.Around()
		}
		return all
	}
	was := shown()
	if was["State"] == nil && was["Around"] == nil {
		r.warnf("neither State nor Around shows a %s, so this check cannot see whether it is left alone", other.Type)
	}

	// One comes, changes and goes.
	for _, props := range given(r.Properties, r.InPlace, r.Replacing) {
		deploy(lifecycle.StackUpdateComplete, props, other)
		r.checkState(r.id(), props)
		if now := r.state(id); r.err == nil && !sameState(now, was["State"]) {
			r.err = r.failf("the %s beside the resource has changed:\n%s", other.Type, differences(now, was["State"]))
		}
	}
	deploy(lifecycle.StackUpdateComplete, nil, other)
	if now := shown(); r.err == nil && !sameState(now, was) {
		r.err = r.failf("after the resource is deleted, the %s beside it is not as it was:\n%s", other.Type, differences(now, was))
	}

	// It comes again, and the other one goes.
	deploy(lifecycle.StackUpdateComplete, r.Properties, other)
	deploy(lifecycle.StackUpdateComplete, r.Properties)
	r.checkState(r.id(), r.Properties)
}

// createPair creates two resources with the same properties, or with different ones
// if both would have the same name, or, where apart is set, the same ID. It returns the properties of the second.
func (s *suite) createPair(p pair, apart bool) (r *run, beside any, err error) {
	besides := []any{s.Properties}
	for _, word := range s.besideWords(original) {
		besides = append(besides, s.version(word))
	}
	for _, beside := range given(append(besides, s.Replacing)...) {
		r = s.newRun()
		created := r.deployPair(p, s.Properties, beside) == lifecycle.StackCreateComplete
		two := !apart || r.stack.PhysicalID(p.first) != r.stack.PhysicalID(p.second)
		if created && two || r.err != nil {
			return r, beside, r.err
		}
	}
	return r, nil, missingError("two resources of one stack cannot be created beside each other: if both need one name, set the Contract's Replacing to another name")
}

// besideWords returns the versions with another text in one createOnly property: they differ in as little as possible.
func (s *suite) besideWords(base string) (words []string) {
	for _, ch := range s.changes(original) {
		if ch.Kind == "other" && (s.handler.isCreateOnly(ch.Path) || !s.handler.isTold()) {
			words = append(words, ch.in(base))
		}
	}
	return words
}

// inPlaceBeside returns the InPlace of a second resource, or nil if that is not known.
func (s *suite) inPlaceBeside(beside any) any {
	if reflect.DeepEqual(beside, s.Properties) {
		return s.InPlace
	}
	for i, word := range s.besideWords(original) {
		if reflect.DeepEqual(beside, s.version(word)) {
			return s.version(s.besideWords(inPlace)[i])
		}
	}
	return nil
}

// deployPair deploys the first resource, unless props is nil, and then the second: one after the other,
// so that one process can do both.
func (r *run) deployPair(p pair, props, beside any) (status lifecycle.StackStatus) {
	if props == nil {
		return r.deployBoth(p, nil, beside)
	}
	return r.deployBoth(p, props, beside, p.first)
}

// deployBoth is deployPair, in which the second resource depends on others.
func (r *run) deployBoth(p pair, props, beside any, dependsOn ...string) (status lifecycle.StackStatus) {
	t := simulate.Template{
		neighbour: {Type: "AWS::SNS::Topic"},
		p.second:  {Type: r.ResourceType, Properties: beside, DependsOn: dependsOn},
	}
	if p.third != "" {
		if len(dependsOn) > 0 {
			dependsOn = append(dependsOn, p.second)
		}
		t[p.third] = simulate.Resource{Type: r.ResourceType, Properties: beside, DependsOn: dependsOn}
	}
	if props != nil {
		t[p.first] = simulate.Resource{Type: r.ResourceType, Properties: props}
	}
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
		if r.err == nil && r.service.State != nil && r.state(other) == nil {
			r.err = r.failf("what was done to %s removed %s", id, other)
		}
		r.checkState(other, beside)
	}
}

// siblingsAtOnce has CloudFormation create, update and delete two resources at once, as it does if
// neither depends on the other, and has all of the second done while the first is at a Step.
func siblingsAtOnce(s *suite) error {
	_, beside, err := s.createPair(pair{thing, sibling, ""}, true)
	if err != nil {
		return err
	}
	for _, request := range []string{"Create", "Update", "Delete"} {
		for step := 1; step <= maxSteps; step++ {
			r := s.newRun()
			reached, clean := r.atOnce(request, step, beside)
			if r.err != nil {
				return r.err
			}
			if !clean {
				s.warnf("two %ss at once, one held at step %d, do not both succeed, so this check cannot see whether one overwrites the other", request, step)
			}
			if !reached || !clean {
				break
			}
		}
	}
	return s.threeAtOnce(beside)
}

// threeAtOnce asks a slow service for three things at once: a request that waits for its turn waits for two others.
func (s *suite) threeAtOnce(beside any) error {
	if !reflect.DeepEqual(beside, s.Properties) {
		return nil // the third would need the name of another
	}
	three, after, atOnce := pair{thing, sibling, third}, s.newRun(), s.newRun()
	after.stack.Hold("Create", "", 0)
	atOnce.stack.Hold("Create", "", 0)
	if after.deployPair(three, s.Properties, beside) != lifecycle.StackCreateComplete || after.err != nil {
		return nil //nolint:nilerr // other checks report it
	}
	if status := atOnce.deployBoth(three, s.Properties, beside); atOnce.err == nil && status != lifecycle.StackCreateComplete {
		return atOnce.failf("of three resources that are created at once, in a slow service, one fails, but one after the other they succeed. Have each wait for its turn as long as it has time, and give passing errors a code that is tried again, such as ResourceConflict")
	}
	return atOnce.err
}

// atOnce plays one request of two resources at once, and checks the results. It reports whether
// the request reaches the Step, and whether it succeeds.
func (r *run) atOnce(request string, step int, beside any) (reached, clean bool) {
	// The requests.
	p, props := pair{thing, sibling, ""}, r.Properties
	if request != "Create" {
		r.deployPair(p, props, beside)
	}
	r.stack.Hold(request, p.first, step)
	switch request {
	case "Create":
		clean = r.deployBoth(p, props, beside) == lifecycle.StackCreateComplete
	case "Update":
		other := r.inPlaceBeside(beside)
		if r.InPlace == nil || other == nil {
			return false, true // one of them would be replaced
		}
		props, beside = r.InPlace, other
		clean = r.deployBoth(p, props, beside) == lifecycle.StackUpdateComplete
	case "Delete":
		clean = r.destroy() == lifecycle.StackDeleteComplete
	}
	if r.err != nil || !clean {
		return false, clean
	}

	// Their results.
	if request == "Delete" {
		r.checkNothingLeft()
	} else {
		r.checkState(r.id(), props)
		r.checkState(r.stack.PhysicalID(p.second), beside)
	}
	for _, d := range r.deliveries(request) {
		reached = reached || d.Steps >= step
	}
	return reached, true
}

// sharedIDAdvice says how to keep two resources from sharing an ID.
func (r *run) sharedIDAdvice(id string) string {
	if r.findAnswered(id) {
		return r.strangerAdvice(id)
	}
	return "Have Create return AlreadyExists if there is a thing of that name, and give each resource a name or a mark of its own, such as the StableID"
}
