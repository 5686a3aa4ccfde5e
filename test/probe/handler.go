package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A handler answers the requests of a play as the scenario says, and keeps the order that
// the engine says. An answer is sent when its time has come and everything has happened
// that the engine has before it. If that does not happen in time, CloudFormation goes
// another way than the engine, and from then on only the time counts.
type handler struct {
	plan  *plan
	world *world

	mu       sync.Mutex
	changed  chan struct{}     // closed, and made anew, at each change
	running  int               // requests that are being handled
	done     []bool            // the acts of the plan
	strayed  bool              // it goes another way than the engine
	used     map[string][]bool // the lines of the answers
	created  int
	step     int
	requests []request
}

func (h *handler) begin(p *plan, w *world) {
	h.plan, h.world, h.changed = p, w, make(chan struct{})
	h.done, h.used = make([]bool, len(p.run.Acts)), map[string][]bool{}
	for key, lines := range p.Answers {
		h.used[key] = make([]bool, len(lines))
	}
}

// setStep notes that a step begins.
func (h *handler) setStep(s enginetest.Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !s.Breaks {
		h.step++
	}
}

// orderOf returns the place in the plan at which a step begins.
func (h *handler) orderOf(step int) int {
	return slices.IndexFunc(h.plan.run.Acts, func(a enginetest.Act) bool { return a.Kind == enginetest.Orders && a.N == step })
}

// happened notes an act of the plan.
func (h *handler) happened(act int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(act)
}

func (h *handler) note(act int) {
	if act >= 0 && !h.done[act] {
		h.done[act] = true
		h.tell()
	}
}

func (h *handler) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// drain waits until no request is being handled, and returns those that there were.
func (h *handler) drain(ctx context.Context) []request {
	for {
		h.mu.Lock()
		running, changed, requests := h.running, h.changed, slices.Clone(h.requests)
		h.mu.Unlock()
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
func (h *handler) await(ctx context.Context, act int) {
	for {
		h.mu.Lock()
		ready, changed := h.strayed || act < 0, h.changed
		if !ready {
			ready = true
			for i := range h.plan.run.Acts[act].From {
				ready = ready && (i == act || h.done[i])
			}
		}
		h.mu.Unlock()
		if ready {
			return
		}
		select {
		case <-changed:
		case <-time.After(h.world.patience):
			h.mu.Lock()
			if changed == h.changed { // nothing has happened for so long
				h.strayed = true
				h.note(act)
			}
			h.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// pause waits until the time has come, if it counts.
func (h *handler) pause(ctx context.Context, since time.Time, d time.Duration) {
	h.mu.Lock()
	second := h.world.second
	if h.strayed {
		second = max(second, whenStrayed)
	}
	h.mu.Unlock()
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
func (h *handler) handle(ctx context.Context, path string, e *event) (answered bool, err error) {
	at := time.Now()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.running--
		h.tell()
	}()

	// What is asked, and what the scenario answers.
	h.mu.Lock()
	h.running++
	q := engine.Request{RequestType: e.RequestType, RequestID: e.RequestId, StackID: e.StackId, LogicalID: e.LogicalResourceId, PhysicalID: e.PhysicalResourceId}
	r := request{path, h.step, e.RequestType, e.RequestId, e.PhysicalResourceId, "", withoutToken(e.ResourceProperties), withoutToken(e.OldResourceProperties)}
	if e.ServiceTimeout != nil {
		r.ServiceTimeout = fmt.Sprint(e.ServiceTimeout)
	}
	h.requests = append(h.requests, r)
	key := r.key()
	answer, created, acts := h.foreseen(key, r.PhysicalResourceId)
	h.mu.Unlock()

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
		h.await(ctx, act)
		h.pause(ctx, at, d.After+d.Takes)
		err = e.answer(ctx, body)
		h.happened(act)
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
func (h *handler) foreseen(key, physicalID string) (answer enginetest.Answer, created string, answers []int) {
	acts, found := h.plan.run.Acts, -1
	for i, a := range acts {
		if a.Kind == enginetest.Asks && a.Key == key && !h.done[i] && (found < 0 || a.PhysicalID == physicalID && acts[found].PhysicalID != physicalID) {
			found = i
		}
	}
	ownLine := slices.Index(h.used[key], false)
	if found >= 0 {
		h.note(found)
		ownLine = acts[found].Line
		for i, a := range acts {
			if a.Kind == enginetest.Answered && a.Key == key && a.N == acts[found].N {
				answers, created = append(answers, i), a.Created
			}
		}
	}
	if created == "" {
		h.created++
		created = fmt.Sprintf("unforeseen-%d", h.created)
	}
	if ownLine >= 0 {
		h.used[key][ownLine], answer = true, h.plan.Answers[key][ownLine]
	}
	return answer, created, answers
}
