package play

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// stepsCheck is the name of the check below, which Explore goes by too.
const stepsCheck = "steps-around-effects"

// stepsAroundEffects looks at the service at each Step: a process that dies there leaves it so. In real time Lambda's next try
// would come while the service is looked at.
func stepsAroundEffects(s *suite, k *check, x *explorer) error {
	if !s.New(s.t).showsThings() {
		return missingError("the Service has neither State nor List: there is nothing to look at")
	}
	// A Step with a wrong context is not counted, so it may be the one that is missing.
	strayed := simulate.StraySteps()
	for _, line := range s.playable(k.lines) {
		a, helps := x.stepsAround(line), ""
		if a.unsure {
			s.warnf("the %s goes another way each time it is played, as with a client that waits at random or with the order of a map, so this check cannot see whether the service calls each Step", a.request)
		}
		if simulate.StraySteps() > strayed {
			helps = whatHelps("A method calls Step, or sends a request through a client that Steps wraps, with a context that is not its own: pass the method's context to every call")
		}
		if a.missing != "" {
			return &ruleError{
				seen: fmt.Sprintf("In the %s, %s", a.request, a.missing), story: a.story, helps: helps,
				would: "met failures between two effects, which the kit cannot play: a passing test proves less.",
			}
		}
	}
	return nil
}

// missingStepOf returns the check's message about a replacement, unless it is skipped.
func (x *explorer) missingStepOf() string {
	switch _, skips := x.c.Skip[stepsCheck]; {
	case skips, x.c.RealTime, x.c.Replacing == nil:
		return ""
	}
	return x.stepsAround(history{{What: original}, {What: replacing}}).missing
}

// A stepsAnswer is what is known of the Steps of a request.
type stepsAnswer struct {
	request string
	missing string // the Step that is missing, or ""
	story   string // of the request
	unsure  bool   // its Steps are others each time
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

// isAtOnceWith reports whether two plays came to the end of a call in the same way: by as many Steps, and in the same time.
func (g glance) isAtOnceWith(other glance) bool {
	return g.steps == other.steps && g.at == other.at
}

// changedUntil reports whether the method has changed the service between two glances, if that is sure.
func (g glance) changedUntil(next glance) bool {
	if g.unsure || next.unsure {
		return false
	}
	return !g.later.same(next.there)
}

// stepsAround looks at the first invocation of the last operation's first request. The service of one play is compared with
// that of the next, at the same moment of the same call: each play dies a Step earlier, and is looked at as late as its next
// Step would have come.
func (x *explorer) stepsAround(line history) (a stepsAnswer) {
	plain := x.watched(line, 0, 0, nil)
	a.request = plain.request
	ends := plain.all()
	switch {
	case len(ends) == 0, plain.result.does(neverReturns): // other checks report it
		return a
	}
	// Two plays have to go the same way, or nothing can be compared.
	again := x.watched(line, 0, 0, nil)
	if a.unsure = !slices.EqualFunc(ends, again.all(), glance.isAtOnceWith); a.unsure {
		return a
	}

	// What each call changed before its first Step, between two, and after the last.
	for i, end := range ends[1:] {
		before, next := ends[i], end
		c := stepCall{Method: end.method, First: before.steps + 1, Changes: make([]bool, end.steps-before.steps+1)}
		for step := end.steps; step > before.steps; step-- {
			here := glance{at: next.at, unsure: true}
			if step <= maxSteps || step == end.steps {
				here = x.watched(line, step, next.at, plain.seen).hit()
			}
			c.Changes[step-before.steps] = here.changedUntil(next)
			next = here
		}
		before.later, before.unsure = before.there, false // nothing is under way between two calls
		c.Changes[0] = before.changedUntil(next)
		missing, at := c.missing()
		if missing == "" {
			continue
		}
		if a.unsure = !x.repeats(line, at, plain.seen); !a.unsure {
			a.missing, a.story = missing, plain.result.story
		}
		return a
	}
	return a
}

// repeats reports whether the service is the same at a Step each time: the effects of a method that goes through a map come in
// another order in each play, and those of two plays cannot be compared. Without a Step, with 0, there is nothing to repeat.
func (x *explorer) repeats(line history, step int, seen []string) bool {
	const plays = 100 // Go goes through a small map in one order seven times of eight
	if step == 0 {
		return true
	}
	first := x.watched(line, step, 0, seen).hit()
	for range plays - 1 {
		if !x.watched(line, step, 0, seen).hit().there.same(first.there) {
			return false
		}
	}
	return true
}

// A watch looks at the service before the last operation of a history, and at the end of each call of its first request.
type watch struct {
	request string        // the type of the request
	next    time.Duration // when the next Step would come, had the process not died
	seen    []string      // IDs under which there may be something: a process that dies before Created names none
	began   time.Time
	before  int // requests before the one that is watched
	result  *historyResult

	mu      sync.Mutex // guards the glances: a method may outlive its event
	glances []glance
}

// watched plays a line whose last operation dies at a Step, from 1, or does not, with 0.
func (x *explorer) watched(line history, step int, next time.Duration, seen []string) *watch {
	last := line[len(line)-1]
	w := &watch{request: "Update", next: next, seen: seen}
	switch {
	case last.What == deletesStack:
		w.request = "Delete"
	case len(line) == 1:
		w.request = "Create"
	}
	line = slices.Clone(line)
	if step > 0 {
		line[len(line)-1].Fault = &plannedFault{Kind: fault.DieAtStep, Step: step, Request: 1}
	}
	w.result = x.runAlone(line, playing{watch: w, tells: true})
	return w
}

// add adds a glance; all returns those so far.
func (w *watch) add(g glance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.glances = append(w.glances, g)
}

func (w *watch) all() []glance {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.glances)
}

// hit returns the first glance after the fault, or one that is unsure if the handler does not come there again.
func (w *watch) hit() glance {
	for _, g := range w.all() {
		if g.hit {
			return g
		}
	}
	return glance{at: w.next, unsure: true}
}

// begins looks at the service before the operation.
func (w *watch) begins(h *historyRun) {
	// An event says when it was sent in whole seconds: waits that begin with that last as long in each play.
	now := time.Now()
	<-time.After(now.Truncate(time.Second).Add(time.Second).Sub(now))
	w.began, w.before = time.Now(), len(h.stack.Requests())
	w.add(glance{there: w.look(h)})
}

// look returns what there is now.
func (w *watch) look(h *historyRun) inventory {
	ids := h.remaining()
	for _, id := range w.seen {
		if h.exists(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return lookAt(slices.Compact(ids), h.stateOf)
}

// returned looks at the service at the end of a call, if that is one of the first delivery of the request.
func (w *watch) returned(h *historyRun, c simulate.Returned) {
	const mostWait = 30 * time.Second // Lambda tries again after a minute
	requests := h.stack.Requests()
	q := requests[len(requests)-1]
	switch {
	case len(w.all()) == 0, len(requests) != w.before+1, len(q.Deliveries) > 1:
		return // it is of another operation, of a rollback, or of a later delivery
	}
	d := q.Deliveries[0]
	g := glance{method: c.Method, steps: d.Steps, at: time.Since(w.began), there: w.look(h), hit: q.FaultHit, unsure: d.Aside}
	if wait := w.next - g.at; g.hit && wait > 0 {
		g.unsure = d.Aside || wait > mostWait
		<-time.After(min(wait, mostWait) + time.Millisecond) // by then, events due at that very time have happened
	}
	g.later = w.look(h)
	w.add(g)
}

// A stepCall is one call of a handler's method in which nothing went wrong.
type stepCall struct {
	Method string
	First  int // the number of its first Step among those of the request, from 1
	// Changes says, of each part into which Steps divide the call, whether the service
	// changed in it: before the first Step, between two, and after the last.
	Changes []bool
}

// missing says which Step is missing, or "", and at which Step that shows, or 0. A fake that calls Step only after its
// effects is given credit for it: what is lost there is the reply.
func (c stepCall) missing() (what string, at int) {
	last := len(c.Changes) - 1
	switch {
	case last == 0 && c.Changes[0]:
		return "the handler's " + c.Method + " changes something in the service, and calls no Step", 0
	case c.Changes[last]:
		at = c.First + last - 1
		return fmt.Sprintf("the handler's %s changes something in the service after Step %d, and calls no Step after that", c.Method, at), at
	case c.Changes[0]:
		return "", 0
	}
	for i := 1; i < last; i++ {
		if c.Changes[i] && c.Changes[i+1] {
			at = c.First + i
			return fmt.Sprintf("the handler's %s changes something in the service before Step %d and after it: a Step after the first effect, or before the second one, is missing", c.Method, at), at
		}
	}
	return "", 0
}
