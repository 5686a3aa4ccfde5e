package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// What follows answers the requests of a play as the scenario says, and keeps the order that the
// engine says. An answer is sent when its time has come and everything has happened that the
// engine has before it. If that does not happen in time, CloudFormation goes another way than the
// engine, and from then on only the time counts.

// setStep notes that a step begins.
func (p *play) setStep(s enginetest.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.Breaks {
		p.step++
	}
}

// orderOf returns the place in the plan at which a step begins.
func (p *play) orderOf(step int) int {
	return slices.IndexFunc(p.plan.run.Acts, func(a enginetest.Act) bool { return a.Kind == enginetest.Orders && a.N == step })
}

// happened notes an act of the plan.
func (p *play) happened(act int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(act)
}

func (p *play) note(act int) {
	if act >= 0 && !p.done[act] {
		p.done[act] = true
		p.tell()
	}
}

func (p *play) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// drain waits until no request is being handled, and returns those that there were.
func (p *play) drain(ctx context.Context) []request {
	for {
		p.mu.Lock()
		running, changed, requests := p.running, p.changed, slices.Clone(p.requests)
		p.mu.Unlock()
		if running == 0 {
			return requests
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return requests
		}
	}
}

// await waits until everything has happened that comes before an act.
func (p *play) await(ctx context.Context, act int) {
	for {
		p.mu.Lock()
		ready, changed := p.strayed || act < 0, p.changed
		if !ready {
			ready = true
			for i := range p.plan.run.Acts[act].From {
				ready = ready && (i == act || p.done[i])
			}
		}
		p.mu.Unlock()
		if ready {
			return
		}
		select {
		case <-changed:
		case <-time.After(p.patience):
			p.mu.Lock()
			if changed == p.changed { // nothing has happened for so long
				p.strayed = true
				p.note(act)
			}
			p.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// pause waits until the time has come, if it counts.
func (p *play) pause(ctx context.Context, since time.Time, d time.Duration) {
	p.mu.Lock()
	second := p.second
	if p.strayed {
		second = max(second, whenStrayed)
	}
	p.mu.Unlock()
	wait := time.Duration(d.Seconds() * float64(second))
	_ = sleep(ctx, time.Until(since.Add(wait))) // who waits is told by what comes next
}

// whenStrayed is how long a second takes at least when only the time counts.
const whenStrayed = 100 * time.Millisecond

// An event is what the topic passes on.
type event struct {
	RequestType, RequestId, StackId, LogicalResourceId, PhysicalResourceId, ResourceType, ResponseURL string
	ServiceTimeout                                                                                    any
	ResourceProperties, OldResourceProperties                                                         engine.Properties

	to allowed
}

// handle answers an event, or does not, as the scenario says.
func (p *play) handle(ctx context.Context, path string, e *event) (answered bool, err error) {
	at := time.Now()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running--
		p.tell()
	}()

	// What is asked, and what the scenario answers.
	p.mu.Lock()
	p.running++
	q := engine.Request{RequestType: e.RequestType, RequestID: e.RequestId, StackID: e.StackId, LogicalID: e.LogicalResourceId, PhysicalID: e.PhysicalResourceId}
	r := request{path, p.step, e.RequestType, e.RequestId, e.PhysicalResourceId, "", withoutToken(e.ResourceProperties), withoutToken(e.OldResourceProperties)}
	if e.ServiceTimeout != nil {
		r.ServiceTimeout = fmt.Sprint(e.ServiceTimeout)
	}
	p.requests = append(p.requests, r)
	key := r.key()
	answer, created, acts := p.foreseen(key, r.PhysicalResourceId)
	p.mu.Unlock()

	// The answer.
	body := answer.Body(&q, created)
	for i, d := range answer.Deliveries() {
		if body == nil || d.Lost {
			continue
		}
		act := -1
		if i < len(acts) {
			act = acts[i]
		}
		p.await(ctx, act)
		p.pause(ctx, at, d.After+d.Takes)
		err = e.answer(ctx, body)
		p.happened(act)
		if err != nil {
			return false, err
		}
		answered = true
	}
	return answered, nil
}

// foreseen returns what is answered to a request, the physical ID that a Create without one is
// given, and the acts that the answer's deliveries are. The request is the next one of the plan
// with its key, or rather the one about the same thing; or it is none of the plan, and has a line
// that no other one has had.
func (p *play) foreseen(key, physicalID string) (answer enginetest.Answer, created string, answers []int) {
	acts, found := p.plan.run.Acts, -1
	for i, a := range acts {
		if a.Kind == enginetest.Asks && a.Key == key && !p.done[i] && (found < 0 || a.PhysicalID == physicalID && acts[found].PhysicalID != physicalID) {
			found = i
		}
	}
	ownLine := slices.Index(p.used[key], false)
	if found >= 0 {
		p.note(found)
		ownLine = acts[found].Line
		for i, a := range acts {
			if a.Kind == enginetest.Answered && a.Key == key && a.N == acts[found].N {
				answers, created = append(answers, i), a.Created
			}
		}
	}
	if created == "" {
		p.created++
		created = fmt.Sprintf("unforeseen-%d", p.created)
	}
	if ownLine >= 0 {
		p.used[key][ownLine], answer = true, p.plan.Answers[key][ownLine]
	}
	return answer, created, answers
}
