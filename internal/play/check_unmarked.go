package play

import (
	"context"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// besideHalfMade has the process of another stack's Create die at each of its steps, and
// creates the resource before Lambda tries that one again. What the other stack has made
// may bear no mark yet, and is not the resource's for that.
func (s *suite) besideHalfMade() error {
	if s.RealTime {
		return nil // in which Lambda's next try comes at once
	}
	steps, err := s.stepsOf(s.creates())
	for _, f := range failures(simulate.DieAtStep, steps) {
		if err != nil {
			break
		}
		err = s.createBeside(f)
	}
	return err
}

// createBeside creates the resource beside that of another stack whose Create has a fault.
func (s *suite) createBeside(f simulate.Fault) error {
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
		return r.failf("the Create succeeds, and %s is another stack's, whose own Create has died at step %d and is tried again: what bears no mark is not this resource's. "+
			"Mark a thing in the call that makes it", id, f.Step)
	}
	return r.err
}

// faultHit reports whether a fault has happened.
func faultHit(s *simulate.Stack) bool {
	return slices.ContainsFunc(s.Requests(), func(q simulate.Request) bool { return q.FaultHit })
}
