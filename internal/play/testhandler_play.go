package play

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A play is a new service, and what happens to it: a stack that is played, or
// events that are delivered by hand. Its methods for the stack do nothing once
// one has failed; err says with what.
type play struct {
	*suite

	service Service
	player  *Player
	err     error

	violation violationKind // that is err

	before    []string   // the things that there were
	mu        sync.Mutex // guards seen, told, found and finds
	seen      idSet      // the IDs that came up in events delivered by hand
	told      []string
	deletes   int               // calls of Delete in the event that was delivered last
	blind     bool              // Find is not called, and finds nothing
	found     map[string]string // what Find answered, by the ID that it was asked with
	finds     []string          // all that Find answered
	delivered []Answer
	largest   int // answer, in bytes
}

// The logical IDs of every play's template.
const (
	thing     = "Thing"     // the handler's
	sibling   = "Sibling"   // the handler's too, in some
	neighbour = "Neighbour" // a stand-in: a stack is never empty
)

func (s *suite) play() *play { return s.playWith(StackOptions{}) }

// playWarm plays with a process that works on all events, as long as it lives.
func (s *suite) playWarm() *play { return s.playWith(StackOptions{Warm: true}) }

func (s *suite) playWith(o StackOptions) *play {
	p := &play{suite: s, seen: idSet{}}
	s.log.plays(p)
	p.service = s.New(s.t)
	if p.service.List != nil {
		p.before = p.service.List()
	}
	o.Timeout, o.RealTime = s.timeout(), s.RealTime
	p.player, p.err = NewPlayer(context.WithoutCancel(s.t.Context()), p.service.Function, o)
	return p
}

// deploy deploys the resource with properties, nil being none, and returns the
// stack's status.
func (p *play) deploy(props any) (status string) {
	return p.deployTemplate(props, Resource{Type: "AWS::SNS::Topic"})
}

// deployBeside deploys the resource, and then another one that fails.
func (p *play) deployBeside(props any) {
	p.deployTemplate(props, Resource{Type: "AWS::SNS::Topic", DependsOn: []string{thing}, Fails: "it is to fail"})
}

func (p *play) deployTemplate(props any, beside Resource) string {
	t := Template{neighbour: beside}
	if props != nil {
		t[thing] = Resource{Type: p.ResourceType, Properties: props}
	}
	return p.after(func() error { return p.player.Deploy(t, Deployment{}) })
}

func (p *play) destroy() (status string) {
	return p.after(func() error { return p.player.Destroy(nil) })
}

func (p *play) continueRollback() (status string) {
	return p.after(func() error { return p.player.ContinueRollback(nil) })
}

// after does a step, and has all that runs come to its end.
func (p *play) after(step func() error) (status string) {
	if p.err != nil {
		return p.status()
	}
	p.log.plays(p)
	err := step()
	if err == nil {
		err = p.player.Settle()
	}
	if found := p.player.TakeViolations(); err == nil && len(found) > 0 {
		err, p.violation = errors.New(found[0].Text), found[0].Kind
	}
	p.continues = p.continues || p.player.mayContinue()
	if err != nil {
		p.err = p.wrong("%v", err)
	}
	return p.status()
}

func (p *play) inject(f Fault) {
	f.LogicalID = thing
	if err := p.player.Inject(f); err != nil && p.err == nil {
		p.err = err
	}
}

// wait lets time pass, where that takes none.
func (p *play) wait(d time.Duration) {
	if !p.RealTime {
		<-time.After(d)
	}
}

func (p *play) status() string { return p.player.Status() }

// id returns the resource's physical ID.
func (p *play) id() string { return p.player.PhysicalID(thing) }

// deliveries returns those of the resource's requests of a type.
func (p *play) deliveries(request string) (all []Delivery) {
	for _, r := range p.player.Requests() {
		if r.LogicalID == thing && r.Type == request {
			all = append(all, r.Deliveries...)
		}
	}
	return all
}

// answers returns the answers to the requests of a type.
func (p *play) answers(request string) (all []Answer) {
	for _, d := range p.deliveries(request) {
		if d.Answer != nil {
			all = append(all, *d.Answer)
		}
	}
	return all
}

// allAnswers returns the answers to all requests of the stack.
func (p *play) allAnswers() (all []Answer) {
	for _, request := range []string{"Create", "Update", "Delete"} {
		all = append(all, p.answers(request)...)
	}
	return all
}
