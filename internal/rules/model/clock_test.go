package model

import (
	"cmp"
	"iter"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A clock is virtual time, in milliseconds, and what goes on in it. One process
// runs at a time, until it sleeps.
type clock struct {
	now   int
	limit int // until when the processes may run
	queue []wake
	idle  []*process
	runs  *process
}

// A wake is the time at which a process goes on.
type wake struct {
	at int
	p  *process
}

// A process is a coroutine that runs one job after the other.
type process struct {
	job   func()
	next  func() (struct{}, bool)
	yield func(struct{}) bool
}

const second = 1000

// start runs job as a process at a time.
func (c *clock) start(at int, job func()) {
	var p *process
	if n := len(c.idle); n > 0 {
		p, c.idle = c.idle[n-1], c.idle[:n-1]
	} else {
		p = &process{}
		p.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			p.yield = yield
			for {
				p.job()
				c.idle = append(c.idle, p)
				if !yield(struct{}{}) {
					return
				}
			}
		})
	}
	p.job = job
	c.queue = append(c.queue, wake{max(at, c.now), p})
}

// first returns the index of the earliest wake, or -1.
func (c *clock) first() int {
	best := -1
	for i, w := range c.queue {
		if best < 0 || w.at < c.queue[best].at {
			best = i
		}
	}
	return best
}

// sleep lets d milliseconds pass for whoever calls it.
func (c *clock) sleep(d int) {
	if d <= 0 {
		return
	}
	if c.runs == nil {
		c.until(c.now+d, func() bool { return false })
		return
	}
	at := c.now + d
	if i := c.first(); at < c.limit && (i < 0 || c.queue[i].at > at) {
		c.now = at // nobody else would run meanwhile
		return
	}
	p := c.runs
	c.queue = append(c.queue, wake{at, p})
	p.yield(struct{}{})
}

// until runs what is to run until done, or a time.
func (c *clock) until(t int, done func() bool) {
	c.limit = t
	for !done() {
		i := c.first()
		if i < 0 || c.queue[i].at > t {
			c.now = max(c.now, t)
			return
		}
		w := c.queue[i]
		c.queue[i] = c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.now, c.runs = w.at, w.p
		w.p.next()
		c.runs = nil
	}
}

// drain runs what is left, all of it.
func (c *clock) drain() {
	for len(c.queue) > 0 {
		c.until(c.queue[c.first()].at, func() bool { return false })
	}
}

// A view is what the stack shows of itself from a time on.
type view struct {
	at     int
	status lifecycle.StackStatus
	began  int    // the operation
	shows  string // the resource's ID
	id     string // of the resource that is the stack's
	exists bool   // there is such a resource
}

// show notes what the stack shows by now.
func (s *stack) show() {
	s.views = append(s.views, view{at: s.now, status: s.status, began: s.began, shows: s.shows, id: s.id, exists: s.exists})
}

// shown returns what the stack showed at a time. It shows something from the first.
func (s *stack) shown(at int) view {
	i := len(s.views) - 1
	for i > 1 && s.views[i].at > at {
		i--
	}
	return s.views[i]
}

// told is what a delivery, or its chain, was told of the phase.
type told struct {
	asked bool
	at    int // when
	start rules.Phase
	was   rules.Phase // in truth, when start was told
	wrong bool        // what decided about an undo was not the truth
	again int         // questions, since the event seemed not to be awaited
}

// misled reports whether the stack showed too late what it did.
func (t *told) misled() bool { return t.wrong || t.asked && t.start != t.was }

func (d *delivery) Phase() rules.Phase {
	d.effect()
	if t := &d.told; !t.asked {
		t.start, t.was = d.look("")
		t.asked, t.at = true, d.w.now
	}
	return d.told.start
}

// askedTooLate reports whether the delivery was told that the stack goes back, and would
// have been told otherwise when it came.
func (d *delivery) askedTooLate() bool {
	t, w := d.told, d.w
	return t.start == rules.Back && t.at > d.start+second && w.late == 0 && d.phaseIn(w.stack.shown(d.start), "") == rules.Forward
}

func (d *delivery) PhaseNow(id string) rules.Phase {
	d.effect()
	return d.ask(id)
}

// ask asks the stack again, and learns from it.
func (d *delivery) ask(id string) rules.Phase {
	p, was := d.look(id)
	if t := &d.told; t.asked && rules.Stale(t.start, p) {
		t.start, t.was = p, was
	}
	d.told.wrong = d.told.wrong || id != "" && p != was
	return p
}

// look returns the phase as the stack shows it, and as it is. A question may fail.
func (d *delivery) look(id string) (shown, is rules.Phase) {
	w := d.w
	if !w.k.phase || d.dead {
		return rules.PhaseUnknown, rules.PhaseUnknown
	}
	if w.unasked > 0 && w.flip(w.unasked) {
		d.r.untold, d.r.refused = true, true // what only waits is not continued
		return rules.PhaseUnknown, rules.PhaseUnknown
	}
	shown, is = d.phaseIn(w.stack.shown(w.now-w.late), id), d.phaseIn(w.stack.shown(w.now), id)
	w.tell("    asked: %d, and it is %d", shown, is)
	return shown, is
}

func (d *delivery) phaseIn(v view, id string) rules.Phase {
	w, removes := d.w, d.r.kind == lifecycle.Delete
	switch {
	case removes && id != "" && !strings.HasSuffix(string(v.status), "_CLEANUP_IN_PROGRESS"):
		return rules.PhaseUnknown
	case goesForward(v.status) && w.startedAfter(v.began, d.r.birth) || !removes && id != "" && id == v.shows || removes && cmp.Or(id, d.r.id) == v.id:
		return rules.NotAwaited // of an operation before this one, or of what is in use
	}
	p := rules.PhaseOf(lifecycle.PhaseOf(v.status, d.r.kind, true))
	if id != "" && !v.exists && !removes && (w.hasty || p != rules.NotAwaited) {
		return rules.GivenUp
	}
	return p
}

// A thing is one resource of the service.
type thing struct {
	id    string
	tag   string // the StableID of the request that made it
	token int    // the request that made it, where the service takes client tokens
	has   properties
	state state
	alive bool

	made, gone int       // when
	ready      int       // from when on it can be used
	leaves     int       // until when the service deletes it
	by         *delivery // made by; nil if it was there before
	said       bool      // Created was
	undone     bool      // an undo was tried, and failed
	idled      bool      // an undo waited, and had asked for nothing
	data       bool      // a deployment that held it has completed: users' data is in it
	killer     *delivery // deleted by
	writer     *delivery // brought to its properties by
	twin       bool      // another one of the same tag was there, or came
}

type state int8

const (
	ours     state = iota
	retained       // left behind on purpose, by a policy
	stranger
)

// properties are what the model's templates say.
type properties struct {
	identity int8
	version  int8
	extra    int8 // a property that not each revision of the function knows
}

func (w *world) read(id string) *thing {
	for i := range w.things {
		if t := w.things[i]; t.alive && t.id == id {
			return t
		}
	}
	return nil
}

// leaving returns what the service still deletes.
func (w *world) leaving(id string) *thing {
	for _, t := range w.things {
		if !t.alive && t.id == id && t.leaves > w.now {
			return t
		}
	}
	return nil
}

// search returns what a search for a tag shows. It shows what was made, or
// deleted, only when the service's lag is over, and of several any.
func (w *world) search(tag string) *thing {
	var found *thing
	for _, t := range w.things {
		shown := t.made+w.lag <= w.now && (t.alive || w.k.careless && t.gone+w.lag > w.now)
		if t.tag == tag && shown && (found == nil || w.flip(2)) {
			found = t
		}
	}
	return found
}

func (w *world) put(t thing) *thing {
	t.alive, t.made, t.writer = true, w.now, t.by
	for _, there := range w.things {
		if there.alive && t.tag != "" && there.tag == t.tag {
			there.twin, t.twin = true, true
		}
	}
	n := len(w.things)
	if n < cap(w.things) { // things of the history before are used again
		w.things = w.things[:n+1]
		if w.things[n] == nil {
			w.things[n] = new(thing)
		}
	} else {
		w.things = append(w.things, new(thing))
	}
	*w.things[n] = t
	w.tell("      made %s", t.id)
	return w.things[n]
}

func (w *world) remove(t *thing, d *delivery) {
	t.alive, t.gone, t.leaves, t.killer = false, w.now, w.now+w.deletes, d
	w.tell("      deleted %s", t.id)
	switch t.state {
	case stranger:
		w.harm(strangerDeleted, t)
	case retained:
		w.harm(retainedDeleted, t)
	}
}

// allowed is how much later than an event the stack's LastUpdatedTime may be of the event's own operation:
// the second in which the URL was signed is known, and the two times are two machines'.
const allowed = 5 * second

// startedAfter reports whether an operation began after a request was sent, as far as LastUpdatedTime and
// the second in which the URL was signed tell.
func (w *world) startedAfter(began, sent int) bool {
	return began+w.ahead > sent/second*second+cmp.Or(w.allowed, allowed)
}

func goesForward(s lifecycle.StackStatus) bool {
	return s == lifecycle.StackCreateInProgress || s == lifecycle.StackUpdateInProgress || s == lifecycle.StackUpdateCompleteCleanupInProgress
}
