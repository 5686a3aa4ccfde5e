package play

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/judge"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A run is a new service with a stack, or with events that are delivered by hand. Once
// a method for the stack has failed, the others do nothing, and err is its error.
type run struct {
	*suite

	service   Service
	simulator *simulate.Stack
	err       error

	tooSoon bool // err is that a request succeeded too soon

	before       []string   // the things that there were
	mu           sync.Mutex // guards seen, told, found and finds
	seen         idSet      // the IDs that came up in events delivered by hand
	lines        []string
	deletes      int               // calls of Delete in the event that was delivered last
	stopped      stoppedCall       // in an event delivered by hand
	findDisabled bool              // Find is not called, and finds nothing
	foundByID    map[string]string // what Find returned, by the PhysicalID that it got
	foundIDs     []string          // all that Find returned
	delivered    []judge.Response
	largest      int // answer, in bytes
}

// The logical IDs of every run's template.
const (
	thing     = "Thing"     // the handler's
	sibling   = "Sibling"   // the handler's too, in some
	neighbour = "Neighbour" // a stand-in: a stack is never empty
)

func (s *suite) newRun() *run { return s.newRunWith(simulate.Options{}) }

// newWarmRun makes a run in which one process handles all events, as long as it lives.
func (s *suite) newWarmRun() *run { return s.newRunWith(simulate.Options{Warm: true}) }

func (s *suite) newRunWith(o simulate.Options) *run {
	p := &run{suite: s, seen: idSet{}}
	s.log.setRun(p)
	p.service = s.New(s.t)
	if p.service.List != nil {
		p.before = p.service.List()
	}
	o.Timeout, o.RealTime = s.timeout(), s.RealTime
	p.simulator, p.err = simulate.New(context.WithoutCancel(s.t.Context()), p.service.Function, o)
	return p
}

// deploy deploys the resource, or no resource if props is nil, and returns the stack's
// status.
func (p *run) deploy(props any) (status string) {
	return p.deployTemplate(props, simulate.Resource{Type: "AWS::SNS::Topic"})
}

// deployWithFailingNeighbour deploys the resource, and then another one that fails.
func (p *run) deployWithFailingNeighbour(props any) {
	p.deployTemplate(props, simulate.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{thing}, Fails: "it is to fail"})
}

func (p *run) deployTemplate(props any, beside simulate.Resource) string {
	t := simulate.Template{neighbour: beside}
	if props != nil {
		t[thing] = simulate.Resource{Type: p.ResourceType, Properties: props}
	}
	return p.runOperation(func() error { return p.simulator.Deploy(t, simulate.Deployment{}) })
}

func (p *run) destroy() (status string) {
	return p.runOperation(func() error { return p.simulator.Destroy(nil) })
}

func (p *run) continueRollback() (status string) {
	return p.runOperation(func() error { return p.simulator.ContinueRollback(nil) })
}

// runOperation runs a step, and waits until nothing runs any more.
func (p *run) runOperation(step func() error) (status string) {
	if p.err != nil {
		return p.status()
	}
	p.log.setRun(p)
	err := step()
	if err == nil {
		err = p.simulator.Settle()
	}
	if found := p.simulator.TakeViolations(); err == nil && len(found) > 0 {
		err, p.tooSoon = errors.New(found[0].Text), found[0].TooSoon
	}
	p.continues = p.continues || p.simulator.Continues()
	if err != nil {
		p.err = p.failf("%v", err)
	}
	return p.status()
}

func (p *run) inject(f simulate.Fault) {
	f.LogicalID = thing
	if err := p.simulator.Inject(f); err != nil && p.err == nil {
		p.err = err
	}
}

// wait lets time pass, in virtual time only.
func (p *run) wait(d time.Duration) {
	if !p.RealTime {
		<-time.After(d)
	}
}

func (p *run) status() string { return p.simulator.Status() }

// id returns the resource's physical ID.
func (p *run) id() string { return p.simulator.PhysicalID(thing) }

// deliveries returns the deliveries of the resource's requests of a type.
func (p *run) deliveries(request string) (all []simulate.Delivery) {
	for _, r := range p.simulator.Requests() {
		if r.LogicalID == thing && r.Type == request {
			all = append(all, r.Deliveries...)
		}
	}
	return all
}

// answers returns the answers to the requests of a type.
func (p *run) answers(request string) (all []judge.Response) {
	for _, d := range p.deliveries(request) {
		if d.Response != nil {
			all = append(all, *d.Response)
		}
	}
	return all
}

// allAnswers returns the answers to all requests of the stack.
func (p *run) allAnswers() (all []judge.Response) {
	for _, request := range []string{"Create", "Update", "Delete"} {
		all = append(all, p.answers(request)...)
	}
	return all
}
