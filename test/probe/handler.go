package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/response"
)

// What follows answers the requests of a play as the scenario says, and keeps the order that the
// engine says. An answer is sent when its time has come and everything has happened that the
// engine has before it. If that does not happen in time, CloudFormation goes another way than the
// engine, and from then on only the time counts.

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
	p.mu.Unlock()
	if err := p.noteUpdated(ctx, e.StackId, e.ResponseURL); err != nil {
		return false, err
	}
	p.mu.Lock()
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
		isCandidate := a.Key == key && a.Kind == enginetest.Asks
		if !isCandidate || p.done[i] {
			continue
		}
		isFirst := found < 0
		isNearer := a.PhysicalID == physicalID && (isFirst || acts[found].PhysicalID != physicalID)
		if isFirst || isNearer {
			found = i
		}
	}
	// The acts of the plan say the line. A request beyond them gets the next one that is left.
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

// A router leads what the topic passes on to the plays.
type router struct {
	to     allowed
	report func(error)

	mu    sync.Mutex
	plays map[string]*play  // by the stack's name
	seen  map[string]bool   // messages, and whether they are handled: a queue may deliver one twice
	open  map[string]*event // requests that nobody has answered, by RequestId
}

func newRouter(to allowed, report func(error)) *router {
	return &router{to: to, report: report, plays: map[string]*play{}, seen: map[string]bool{}, open: map[string]*event{}}
}

func (r *router) add(p *play) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plays[p.name] = p
}

// message handles what the topic has passed on, and reports whether it is handled when it returns.
func (r *router) message(ctx context.Context, id, text string) (handled bool, err error) {
	e := event{to: r.to}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return true, errors.New("the topic has passed on what is no request")
	}
	name := rootOf(stackName(e.StackId))
	// A queue delivers a message again if nobody has deleted it in time.
	r.mu.Lock()
	handled, twice := r.seen[id]
	if twice {
		r.mu.Unlock()
		return handled, nil
	}
	r.seen[id] = false
	p := r.plays[name]
	if p != nil {
		r.open[e.RequestId] = &e
	}
	r.mu.Unlock()
	// A stack without a play is being removed, which needs a SUCCESS from every handler.
	var answered bool
	if p != nil {
		answered, err = p.handle(ctx, p.pathOf(e.StackId, e.LogicalResourceId), &e)
	} else {
		err = e.succeed(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[id] = true
	if answered {
		delete(r.open, e.RequestId)
	}
	return true, err
}

// remove has all requests of a play answered SUCCESS from now on, also those that have
// come before: its stack is to be removed.
func (r *router) remove(ctx context.Context, name string) {
	r.mu.Lock()
	delete(r.plays, name)
	var open []*event
	for id, e := range r.open {
		if rootOf(stackName(e.StackId)) == name {
			open = append(open, e)
			delete(r.open, id)
		}
	}
	r.mu.Unlock()
	for _, e := range open {
		_ = e.succeed(ctx) // most are answered, or nobody waits for them
	}
}

func (e *event) succeed(ctx context.Context) error {
	q := engine.Request{RequestType: e.RequestType, RequestID: e.RequestId, StackID: e.StackId, LogicalID: e.LogicalResourceId, PhysicalID: e.PhysicalResourceId}
	return e.answer(ctx, enginetest.Answer{}.Body(&q, "removed"))
}

func stackName(id string) string {
	if parts := strings.Split(id, "/"); len(parts) > 1 {
		return parts[1]
	}
	return id
}

// rootOf is the name of the stack that another one is nested in: it has one hyphen.
func rootOf(name string) string {
	name, _ = strings.CutPrefix(name, prefix)
	name, _, _ = strings.Cut(name, "-")
	return prefix + name
}

// pathOf names a resource from the root stack: a nested stack's name has the name of what it
// is nested in, its logical ID and a suffix.
func (p *play) pathOf(stackID, logicalID string) string {
	words := strings.Split(strings.TrimPrefix(stackName(stackID), p.name), "-")
	var path []string
	for i := 1; i < len(words); i += 2 {
		path = append(path, words[i])
	}
	if logicalID != "" {
		path = append(path, logicalID)
	}
	return strings.Join(path, ".")
}

// allowed reports, by an error, whether answers may go to a URL.
type allowed func(response.URL) error

// onlyLoopback allows this machine: a sender takes no other host for http.
func onlyLoopback(to response.URL) error {
	return response.NewSender("", response.SenderOptions{Hosts: []string{"http://" + to.Host()}}).Check(to)
}

// once sends an answer once, and to nowhere else: a scenario says how often it is sent.
var once = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// answer sends an answer, if the ResponseURL is one that answers may go to. The URL is signed:
// it is in no error.
func (e *event) answer(ctx context.Context, body []byte) error {
	to, err := response.ParseURL(e.ResponseURL)
	if err != nil || e.to(to) != nil { // whose text has the host
		return errors.New("the ResponseURL of a request is none of CloudFormation's: no answer was sent to it")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, e.ResponseURL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the ResponseURL of a request cannot be used")
	}
	resp, err := once.Do(r)
	if err != nil {
		return errors.New("an answer was not taken")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("an answer was refused: %s", resp.Status)
	}
	return nil
}
