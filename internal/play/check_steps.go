package play

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// stepsCheck is the name of the check below, which Explore goes by too.
const stepsCheck = "steps-around-effects"

// stepsAroundEffects looks at the service at each Step: a process that dies there leaves it so.
//
// It plays by hand, since a history is judged by itself. Here the service of one play is compared with that of the next, at the
// same moment of the same call: each play dies a Step earlier, and is looked at as late as its next Step would have come.
func stepsAroundEffects(s *suite) error {
	if service := s.newRun().service; service.State == nil && service.List == nil {
		return missingError("the Service has neither State nor List: there is nothing to look at")
	}
	strayed := simulate.StraySteps()
	for _, t := range s.tasks() {
		err := s.stepsAround(t)
		if err != nil && simulate.StraySteps() > strayed {
			return helped(err, "A method calls Step, or a client with the transport of Steps, with a context that is not its own: pass the method's context to every call")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missingStepOf returns the check's message about a replacement, unless it is skipped.
func (x *explorer) missingStepOf() (missing string) {
	if _, skips := x.c.Skip[stepsCheck]; skips || x.c.Replacing == nil {
		return ""
	}
	look := func(t *testing.T) {
		s := &suite{Contract: x.c, t: t, log: new(capture.Log)}
		if found, ok := errors.AsType[*ruleError](s.stepsAround(s.replaces())); ok {
			missing = found.seen
		}
	}
	if x.c.RealTime {
		look(x.t)
	} else if simulate.Bubble(x.t, look) != nil {
		return "" // a history shows what hangs
	}
	return missing
}

// A glance shows the service at the end of a call.
type glance struct {
	method string
	steps  int           // of the invocation until then
	at     time.Duration // since before the request
	there  inventory
	later  inventory // as late as the handler's next Step would have come, had it not died
	hit    bool      // the request met its fault
	unsure bool      // somebody else than the method may have changed the service
}

// stepsAround checks the first invocation of a task.
func (s *suite) stepsAround(t task) error {
	r, ends := s.watch(t, fault.Fault{}, 0, nil)
	if r.err != nil {
		return nil //nolint:nilerr // other checks report it
	}
	most := 0 // in real time a play may take seconds: of each call the last Step is looked at
	if !s.RealTime {
		most = maxSteps
		_, again := s.watch(t, fault.Fault{}, 0, nil)
		if !slices.EqualFunc(ends, again, func(a, b glance) bool { return a.steps == b.steps && a.at == b.at }) {
			s.warnf("the %s goes another way each time it is played, as with a client that waits at random, so this check cannot see whether the service calls each Step", t.request)
			return nil
		}
	}
	for i, end := range ends[1:] {
		before, next := ends[i], end
		c := stepCall{Method: end.method, First: before.steps + 1, Changes: make([]bool, end.steps-before.steps+1)}
		for step := end.steps; step > before.steps; step-- {
			here := glance{at: next.at, unsure: true}
			if step <= most || step == end.steps {
				here = s.glanceAt(t, step, next.at, r.seenIDs())
			}
			c.Changes[step-before.steps] = !here.unsure && !next.unsure && !here.later.same(next.there)
			next = here
		}
		c.Changes[0] = !next.unsure && !before.there.same(next.there)
		if missing := c.missing(); missing != "" {
			return r.failf("In the %s, %s", t.request, missing)
		}
	}
	return nil
}

// glanceAt has the process die at a Step, after which the next would come at a time.
func (s *suite) glanceAt(t task, step int, next time.Duration, seen idSet) glance {
	here := glance{at: next, unsure: true} // if the handler does not come there again
	_, all := s.watch(t, fault.Fault{Kind: fault.DieAtStep, Request: t.request, Step: step}, next, seen)
	for _, g := range all {
		if g.hit && here.unsure {
			here = g
		}
	}
	return here
}

// watch plays a task with a fault, if it has a Kind. It returns a glance before the request,
// and one at the end of each call in its first invocation. It also looks for the IDs that were
// seen in another play: a process that dies before Created names nothing in this one.
func (s *suite) watch(t task, f fault.Fault, next time.Duration, seen idSet) (r *run, all []glance) {
	const mostWait = 30 * time.Second // Lambda tries again after a minute
	var mu sync.Mutex                 // the calls end in goroutines of their own

	// An event says when it was sent in whole seconds: waits that begin with that last as long in each play.
	if now := time.Now(); !s.RealTime {
		<-time.After(now.Truncate(time.Second).Add(time.Second).Sub(now))
	}
	r = s.play(t, func(r *run) {
		maps.Copy(r.seen, seen)
		look := func() inventory { return lookAt(r.remaining(), r.state) }
		began := time.Now()
		all = []glance{{there: look()}}
		r.stack.OnReturn(func(c simulate.Returned) {
			requests := r.stack.Requests()
			q := requests[len(requests)-1]
			if n := len(r.deliveries(t.request)); n != 1 || q.LogicalID != thing || q.Type != t.request {
				return
			}
			d := q.Deliveries[0]
			g := glance{method: c.Method, steps: d.Steps, at: time.Since(began), there: look(), hit: q.FaultHit, unsure: d.Aside}
			if wait := next - g.at; g.hit && wait > 0 {
				g.unsure = g.unsure || wait > mostWait
				r.wait(min(wait, mostWait) + time.Millisecond) // by then, events due at that very time have happened
			}
			g.later = look()
			mu.Lock()
			defer mu.Unlock()
			all = append(all, g)
		})
		if f.Kind != "" {
			r.inject(f)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return r, slices.Clone(all)
}

// A stepCall is one call of a handler's method in which nothing went wrong.
type stepCall struct {
	Method string
	First  int // the number of its first Step among those of the request, from 1
	// Changes says, of each part into which Steps divide the call, whether the service
	// changed in it: before the first Step, between two, and after the last.
	Changes []bool
}

// missing says which Step is missing, or "". A fake that calls Step only after its
// effects is given credit for it: what is lost there is the reply.
func (c stepCall) missing() string {
	last := len(c.Changes) - 1
	switch {
	case last == 0 && c.Changes[0]:
		return "the handler's " + c.Method + " changes something in the service, and calls no Step"
	case c.Changes[last]:
		return fmt.Sprintf("the handler's %s changes something in the service after Step %d, and calls no Step after that", c.Method, c.First+last-1)
	case c.Changes[0]:
		return ""
	}
	for i := 1; i < last; i++ {
		if c.Changes[i] && c.Changes[i+1] {
			return fmt.Sprintf("the handler's %s changes something in the service before Step %d and after it: that is the Step before the second effect, and the one after the first is missing", c.Method, c.First+i)
		}
	}
	return ""
}
