package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A run is a new service with a stack, or with events that are delivered by hand. Once
// something is wrong, nothing more is played or checked, and err says what.
type run struct {
	*suite

	service Service
	stack   *simulate.Stack
	before  []string // the things that existed before the run
	err     error

	// Of events delivered by hand.
	largest int // answer, in bytes

	mu      sync.Mutex // guards the rest, which methods that have been abandoned change too
	seen    idSet      // the IDs that came up
	lines   []string   // the story
	stopped stoppedCall

	// Of events delivered by hand.
	byHand   []simulate.Call
	deletes  int  // calls of Delete in the last event
	findsNot bool // Find is not called, and finds nothing
}

// The logical IDs of every run's template.
const (
	thing     = "Thing" // the handler's
	sibling   = "ThingTwo"
	neighbour = "Neighbour" // a stand-in: a stack is never empty
)

// newRunOf makes a run with the resource deployed.
func (s *suite) newRunOf(props any) *run {
	r := s.newRun()
	r.mustDeploy(props)
	return r
}

func (s *suite) newRun() *run {
	r := &run{suite: s, seen: idSet{}}
	s.log.SetOwner(r)
	r.service = s.New(s.t)
	if r.service.List != nil {
		r.before = r.service.List()
	}
	var err error
	o := simulate.Options{Timeout: s.timeout(), RealTime: s.RealTime}
	if r.stack, err = simulate.New(context.WithoutCancel(s.t.Context()), r.service.Function, o); err != nil {
		s.t.Fatalf("cfntest: %v", err)
	}
	return r
}

// deploy deploys the resource, and returns the stack's status.
func (r *run) deploy(props any) (status lifecycle.StackStatus) {
	t := simulate.Template{neighbour: {Type: "AWS::SNS::Topic"}, thing: {Type: r.ResourceType, Properties: props}}
	return r.runOperation(func() error { return r.stack.Deploy(t, simulate.DeployOptions{}) })
}

func (r *run) destroy() {
	r.runOperation(func() error { return r.stack.Destroy(nil) })
}

// runOperation runs a step, and waits until nothing runs any more.
func (r *run) runOperation(step func() error) (status lifecycle.StackStatus) {
	if r.err != nil {
		return r.status()
	}
	r.log.SetOwner(r)
	err := step()
	if err == nil {
		err = r.stack.Settle()
	}
	if found := r.stack.TakeViolations(); err == nil && len(found) > 0 {
		err = errors.New(found[0].Text)
	}
	if err != nil {
		r.err = r.failf("%v", err)
	}
	return r.status()
}

func (r *run) inject(f fault.Fault) {
	f.LogicalID = thing
	if err := r.stack.Inject(f); err != nil && r.err == nil {
		r.err = err
	}
}

// wait lets time pass, in virtual time only.
func (r *run) wait(d time.Duration) {
	if !r.RealTime {
		<-time.After(d)
	}
}

func (r *run) status() lifecycle.StackStatus { return r.stack.Status() }

// id returns the resource's physical ID.
func (r *run) id() string { return r.stack.PhysicalID(thing) }

// deliveries returns the deliveries of the resource's requests of a type.
func (r *run) deliveries(request string) (all []simulate.Delivery) {
	for _, q := range r.stack.Requests() {
		if q.LogicalID == thing && q.Type == request {
			all = append(all, q.Deliveries...)
		}
	}
	return all
}

// allAnswers returns the answers to all requests of the stack.
func (r *run) allAnswers() (all []answercheck.Response) {
	for _, request := range []string{"Create", "Update", "Delete"} {
		for _, d := range r.deliveries(request) {
			if d.Response != nil {
				all = append(all, *d.Response)
			}
		}
	}
	return all
}

// A suite is the run of one check.
type suite struct {
	Contract

	t     testing.TB // of the check that is run
	prior *priorResults

	log      *capture.Log
	warnings []string
}

// reference returns the state of a thing just created with properties.
func (s *suite) reference(props any) (state any, err error) {
	key := fmt.Sprint("state ", simulate.Properties(props))
	if state, ok := s.prior.seen[key]; ok {
		return state, nil
	}
	r := s.newRunOf(props)
	if state = r.state(r.id()); r.err == nil && state == nil {
		r.err = unjudgedError("State returns nil for what a Create has just made")
	}
	if r.err == nil {
		s.prior.seen[key] = state
	}
	return state, r.err
}

func (s *suite) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// event returns an event about the suite's resource.
func (s *suite) event(requestType, id string, props, old any) simulate.Event {
	e := simulate.NewEvent(requestType, id, props, old)
	e.ResourceType = cmp.Or(s.ResourceType, "Custom::Resource")
	if s.RealTime && requestType == "Delete" {
		e.Sent = time.Now().Add(-s.timeout() - 30*time.Second) // no Create can run, and no search lag, for which it would wait
	}
	return e
}

func (s *suite) createEvent(props any) []byte { return s.event("Create", "", props, nil).Encode() }

func (s *suite) updateEvent(id string, props, old any) []byte {
	return s.event("Update", id, props, old).Encode()
}

// missing says what a check needs and the Contract does not have, or "".
func (s *suite) missing(n need) string {
	switch {
	case n&needInPlace != 0 && s.InPlace == nil:
		return "set the Contract's InPlace"
	case n&needReplacing != 0 && s.Replacing == nil:
		return "set the Contract's Replacing"
	case n&needUse != 0 && s.newRun().service.Use == nil:
		return "set the Service's Use, if users can put something into a thing"
	case n&needEffects != 0 && s.newRun().service.Effects == nil:
		return "set the Service's Effects, if the handler has effects that cannot be undone, such as mails"
	case n&needBefore != 0 && !s.hasBefore(s.t):
		return "set the Service's Before, if the handler takes over things that another program made"
	case n&(needContinue|needVirtualTime) != 0 && s.RealTime:
		return "it would take too long in real time"
	case n&needState != 0 && s.newRun().service.State == nil:
		return "the Service has no State, so nothing shows what the handler does"
	}
	return ""
}

// An idSet holds physical IDs.
type idSet map[string]bool

func (s idSet) add(id string) {
	if id != "" {
		s[id] = true
	}
}

// given returns the properties that the Contract has.
func given(props ...any) []any {
	return slices.DeleteFunc(props, func(p any) bool { return p == nil })
}

// probeCreate finds out whether the handler's Create overwrites.
func (x *explorer) probeCreate() {
	h := history{{What: original, Fault: &plannedFault{Kind: fault.Redeliver, Request: 1}}}
	x.overwrites = x.known(h).createOverwrites
}

// state returns the state of the thing with an ID, or nil.
func (r *run) state(id string) any {
	if r.service.State == nil || id == "" {
		return nil
	}
	if state := r.service.State(id); !isNothing(state) {
		return state
	}
	return nil
}

// remaining returns the IDs of all things that can be seen, except those that existed
// before the run.
func (r *run) remaining() []string {
	ids := r.seenIDs()
	maps.DeleteFunc(ids, func(id string, _ bool) bool { return r.state(id) == nil })
	if r.service.List != nil {
		for _, id := range r.service.List() {
			ids.add(id)
		}
	}
	for _, id := range r.before {
		delete(ids, id)
	}
	return slices.Sorted(maps.Keys(ids))
}

// mustDeploy deploys properties, without which there is nothing to judge.
func (r *run) mustDeploy(props any) {
	status := r.deploy(props)
	if r.err == nil && status != lifecycle.StackCreateComplete {
		r.err = unjudgedError(fmt.Sprintf("the stack that the check needs is in %s", status))
	}
}
