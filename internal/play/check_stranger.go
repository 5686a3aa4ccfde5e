package play

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// strangerHoldsTheName has another stack hold the resource's name, with a whole thing or one
// half made, and then, if the Service has Occupy, something outside of any stack.
func strangerHoldsTheName(s *suite) error {
	name, err := s.heldByAnotherStack()
	if err == nil {
		err = s.besideHalfMade()
	}
	if err == nil && name == "" {
		err = missingError("no two stacks need one name, so no stranger can hold it")
	}
	if err != nil || s.newRun().service.Occupy == nil {
		return err
	}
	steps, err := s.stepsOf(s.creates())
	if err != nil {
		return err
	}
	if err := s.checkOccupied(name, nil, s.Properties, fault.Fault{}); err != nil {
		return err
	}
	for _, f := range failures(fault.FailAtStep, steps) { // a Create that fails before it knows whose thing it is
		f.Request = "Create"
		if err := s.checkOccupied(name, nil, s.Properties, f); err != nil {
			return err
		}
	}
	if s.Replacing == nil {
		return nil
	}
	r := s.newRun()
	if name = r.create(s.Replacing); r.err != nil {
		return r.err
	}
	return s.checkOccupied(name, s.Properties, s.Replacing, fault.Fault{})
}

// checkOccupied deploys first, unless it is nil, has a stranger take the name, and
// then deploys props, which need that name.
func (s *suite) checkOccupied(name string, first, props any, f fault.Fault) error {
	r := s.newRun()
	if first != nil {
		r.mustDeploy(first)
	}
	r.occupy(name)
	other := s.newRun()
	other.occupy(name)
	if f.Kind != "" {
		r.inject(f)
	}
	if status := r.deploy(props); (status == lifecycle.StackCreateComplete || status == lifecycle.StackUpdateComplete) && r.id() == name {
		return r.failf("the operation succeeds, but %s is somebody else's: %s", name, r.strangerAdvice(name))
	}
	r.destroy()
	r.checkUntouched(name, other.state(name))
	return r.err
}

// otherStacks are easily taken for the stack of all events: those of its name, which was
// deleted or is in another Region, and one whose name begins with it.
var otherStacks = []string{
	"arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/0f6a2c40-6b52-11f0-8f6e-0a58a9feac02",
	"arn:aws:cloudformation:eu-west-1:123456789012:stack/my-stack/31d0b7e0-6b52-11f0-a3c5-0a58a9feac02",
	"arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack-two/5e94cf20-6b52-11f0-b41d-0a58a9feac02",
}

// heldByAnotherStack has each of two stacks hold the name that the other needs, and returns
// that name, or "" if each has its own.
func (s *suite) heldByAnotherStack() (name string, err error) {
	stack := s.event("Create", "", nil, nil).StackID
	for _, another := range otherStacks {
		for _, holds := range []string{stack, another} {
			wants := another
			if holds == another {
				wants = stack
			}
			held, err := s.heldBy(holds, wants)
			if err != nil {
				return "", err
			}
			name = cmp.Or(name, held)
		}
	}
	return name, nil
}

// heldBy creates the same resource in two stacks, and deletes the second. It returns the
// name that both need, or "" if each has its own.
func (s *suite) heldBy(holds, wants string) (name string, err error) {
	of := func(stack, requestType, id string) []byte {
		e := s.event(requestType, id, s.Properties, nil)
		e.StackID = stack
		return e.Encode()
	}

	// The first stack's thing.
	r, other := s.newRun(), s.newRun()
	made := r.deliver(of(holds, "Create", ""))
	same := other.deliver(of(holds, "Create", ""))
	switch {
	case r.err != nil || other.err != nil:
		return "", cmp.Or(r.err, other.err)
	case made.Status != "SUCCESS" || same.Status != "SUCCESS":
		return "", unjudgedError("a Create is not answered SUCCESS")
	}

	// The second stack's requests. The last Delete is that of a Create whose answer was lost.
	r.logf("The same from another stack:")
	r.takeCalls()
	name = made.PhysicalResourceID
	second := r.deliver(of(wants, "Create", ""))
	if second.Status == "SUCCESS" && second.PhysicalResourceID == name {
		return "", r.failf("the Create succeeds, but %s is the other stack's: %s", name, r.strangerAdvice(name))
	}
	r.deliver(of(wants, "Delete", second.PhysicalResourceID))
	r.deliver(of(wants, "Delete", madeUpID))
	r.checkUntouched(name, other.state(same.PhysicalResourceID))
	if second.Status == "SUCCESS" {
		name = ""
	}
	return name, r.err
}

// occupyForeign makes a thing of somebody else's under an ID of any form, which the service may not have.
func (r *run) occupyForeign(name string) {
	if r.occupy(name); errors.As(r.err, new(contractError)) {
		r.err = missingError(r.err.Error() + ". If the service's IDs have one form, nothing can be under such an ID")
	}
}

// occupy makes a thing of somebody else's.
func (r *run) occupy(name string) {
	if r.err != nil {
		return
	}
	if r.service.Occupy(name); r.state(name) == nil {
		r.err = contractError("the Service's Occupy makes nothing that State shows: State returns nil for " + name)
	}
}

// checkUntouched checks that a stranger's thing is as the same thing is by now in another
// service: its status may change by itself, and State may return no copy.
func (r *run) checkUntouched(name string, untouched any) {
	switch now := r.state(name); {
	case now == nil:
		r.err = r.failf("%s, which is somebody else's, was deleted: %s", name, r.strangerAdvice(name))
	case !reflect.DeepEqual(now, untouched):
		r.err = r.failf("%s, which is somebody else's, was changed: %s", name, r.strangerAdvice(name))
	}
}

// strangerAdvice says how a handler leaves a stranger's thing alone, by the method that took it for the resource.
func (r *run) strangerAdvice(name string) string {
	isNamed := func(c simulate.Call) bool { return c.Created == name }
	isOf := func(c simulate.Call) bool { return c.PhysicalID == name }
	switch {
	case r.findAnswered(name):
		return "Find returned it. Have Find return only a thing that proves to be this resource's, by the StableID in a tag"
	case r.hasCall(isNamed):
		return "Create named it: have Create return AlreadyExists, and call Created only for a thing that it has made"
	case r.hasCall(isOf):
		return "it has the physical ID that the resource has. Give each resource a name or a mark of its own, such as the StableID, and have Create return AlreadyExists for any other thing"
	}
	return "no method was called for it. Have Update and Delete touch only what has the physical ID, whatever its name, and have Create undo nothing that it has not made"
}

// hasCall reports whether there was such a call, for the stack or for an event delivered by hand.
func (r *run) hasCall(is func(c simulate.Call) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.calls(), is)
}

// findAnswered reports whether Find returned an ID.
func (r *run) findAnswered(id string) bool {
	return r.hasCall(func(c simulate.Call) bool { return c.Method == "Find" && c.Returned == id })
}

// besideHalfMade has the process of another stack's Create die at each of its steps, and
// creates the resource before Lambda tries that Create again. The other stack's thing may
// bear no mark yet: that does not make it this resource's.
func (s *suite) besideHalfMade() error {
	if s.RealTime {
		return nil // in which Lambda's next try comes at once
	}
	steps, err := s.stepsOf(s.creates())
	for _, f := range failures(fault.DieAtStep, steps) {
		if err != nil {
			break
		}
		err = s.createBeside(f)
	}
	return err
}

// createBeside creates the resource beside that of another stack whose Create has a fault.
func (s *suite) createBeside(f fault.Fault) error {
	// The other stack, until its process has died.
	r := s.newRun()
	other, err := simulate.New(context.WithoutCancel(s.t.Context()), r.service.Function, simulate.Options{Name: "another-stack", Timeout: s.timeout()})
	if err != nil {
		return err
	}
	f.Request = "Create"
	if err := other.Inject(f); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		t := simulate.Template{thing: {Type: s.ResourceType, Properties: s.Properties}}
		ended <- other.Deploy(t, simulate.DeployOptions{})
	}()
	for !faultHit(other) && len(ended) == 0 {
		r.wait(time.Second)
	}

	// The resource.
	var made []string
	if r.service.List != nil {
		made = r.service.List()
	}
	r.deploy(s.Properties)
	if err := <-ended; err != nil {
		return err
	}
	if err := other.Settle(); err != nil {
		return err
	}
	id := r.id()
	shared := other.Status() == lifecycle.StackCreateComplete && other.PhysicalID(thing) == id
	if r.err == nil && r.status() == lifecycle.StackCreateComplete && (shared || slices.Contains(made, id)) {
		return r.failf("the Create succeeds, but %s is another stack's, whose own Create died at step %d and is tried again: a thing without a mark is not this resource's. "+
			"Mark a thing in the call that makes it", id, f.Step)
	}
	return r.err
}

// faultHit reports whether a fault has happened.
func faultHit(s *simulate.Stack) bool {
	return slices.ContainsFunc(s.Requests(), func(q simulate.Request) bool { return q.FaultHit })
}
