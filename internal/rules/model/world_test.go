package model

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// A world is everything that there is in one history. It is used again for the next.
type world struct {
	clock
	k     *kind
	stack *stack
	pcg   *rand.PCG

	things     []*thing
	assigned   int
	lag        int  // of searches
	busy       int  // how long a thing refuses to be deleted, once it is made
	deletes    int  // how long a deletion takes
	late       int  // how long the stack does not show what it does
	ahead      int  // by how much LastUpdatedTime is too late
	allowed    int  // instead of the constant, unless it is 0
	hasty      bool // a resource that a stack at rest does not know is taken for given up
	refusals   int  // of events that somebody waited for
	unasked    int  // one question for the phase of so many fails; 0 is none
	reading    reading
	version    int8
	revision   revision // of the function, by now
	changes    []change // of the function, so far
	changing   bool     // the function may change, and where the resource stands
	aims       string   // a limit: only what it is about changes
	helped     string   // the limit against which is done what helps
	deliveries [64]delivery
	used       int
	requests   [64]request
	sent       int

	over   bool // somebody has to clean up by hand
	kept   bool
	beside bool // a record of a death was answered beside a chain that goes on
	found  []finding
	told   []string
	tells  bool
}

// A reading is what CloudFormation does when an Update that FAILED answers with
// a new ID. AWS does not document it.
type reading int8

const (
	pointsBack reading = iota // to the old ID, and deletes the new one in its cleanup
	updates                   // sends the rollback's Update with the new ID
	keeps                     // takes the new ID for the resource's
)

// A harm is what a history must not do.
type harm string

const (
	leftBehind           harm = "left behind"
	liveDeleted          harm = "a live resource deleted"
	retainedDeleted      harm = "a retained resource deleted"
	strangerDeleted      harm = "a stranger's resource deleted"
	strangerTouched      harm = "a stranger's resource modified"
	strangerTaken        harm = "a stranger's resource taken for the stack's"
	missing              harm = "the stack's resource does not exist"
	otherThing           harm = "another resource than before"
	otherState           harm = "not in the state that the template says"
	notReplaced          harm = "not replaced"
	replacedIdly         harm = "replaced without need"
	wordless             harm = "an identity changed in place without a word"
	causeless            harm = "a failure without a cause"
	rollbackFailed       harm = "ROLLBACK_FAILED"
	updateRollbackFailed harm = "UPDATE_ROLLBACK_FAILED"
	deleteFailed         harm = "DELETE_FAILED"
	cleanupFailed        harm = "a cleanup that fails"
)

// A finding is a harm, and what it was done to or by.
type finding struct {
	harm  harm
	thing *thing
	r     *request
	limit string // its name, or ""
}

func (w *world) harm(h harm, t *thing) { w.blame(h, t, nil) }

func (w *world) blame(h harm, t *thing, r *request) {
	f := finding{harm: h, thing: t, r: r}
	f.limit = w.limit(f)
	w.found = append(w.found, f)
	if t != nil {
		w.tell("  HARM: %s: %s", h, t.id)
	} else {
		w.tell("  HARM: %s", h)
	}
}

func (w *world) tell(format string, args ...any) {
	if w.tells {
		w.told = append(w.told, fmt.Sprintf("%8.1f ", float64(w.now)/second)+fmt.Sprintf(format, args...))
	}
}

func (w *world) roll(n int) int  { return int(w.pcg.Uint64() >> 33 % uint64(n)) }
func (w *world) flip(n int) bool { return w.roll(n) == 0 }

func (w *world) delivery() *delivery {
	w.used++
	if w.used > len(w.deliveries) {
		return new(delivery)
	}
	return &w.deliveries[w.used-1]
}

func (w *world) nextRequest() *request {
	w.sent++
	if w.sent > len(w.requests) {
		return new(request)
	}
	return &w.requests[w.sent-1]
}

func (r *request) String() string {
	return fmt.Sprintf("%s(%s; %v; %v) number %d", r.kind, r.id, r.p, r.old, r.number)
}

var assigned = func() (ids []string) {
	for i := range 64 {
		ids = append(ids, "svc-"+strconv.Itoa(i))
	}
	return ids
}()

// play plays the history of a seed, and returns what it found.
func (w *world) play(base kind, seed uint64) []finding {
	w.pcg.Seed(seed, 0x6366)
	k := w.vary(base)
	w.k = &k
	w.clock.now, w.clock.limit, w.clock.queue = 1_000_000*second, 0, w.clock.queue[:0]
	w.things, w.found, w.told = w.things[:0], w.found[:0], w.told[:0]
	w.assigned, w.version, w.used, w.sent, w.over, w.kept, w.beside = 0, 0, 0, 0, false, false, false
	w.lag, w.busy, w.deletes, w.late, w.unasked = 0, 0, 0, 0, 0
	w.revision, w.changes = firstRevision, w.changes[:0]
	if w.flip(2) {
		w.lag = w.roll(findLag - second)
	}
	if w.flip(16) {
		w.lag = 20 * second
	}
	if w.flip(4) {
		w.busy = w.roll(10 * second)
	}
	w.reading = reading(w.roll(3))
	if w.flip(4) {
		w.deletes = w.roll(50 * second)
	}
	if k.phase {
		w.drawPhase()
	}
	*w.stack = stack{world: w, views: w.stack.views[:0], made: w.stack.made[:0]}
	if w.changing {
		w.drawChanges()
	}
	w.stack.show()
	w.tell("%+v, lag %d, busy %d, deletes %d, late %d, unasked %d, reading %d", k, w.lag, w.busy, w.deletes, w.late, w.unasked, w.reading)
	s := w.stack
	if k.taken != 0 {
		w.put(thing{id: names[k.taken], state: stranger, has: properties{identity: k.taken}})
	}
	if k.legacy != "" {
		s.id, s.p = k.legacy, properties{identity: 1}
		s.wants = s.p
		w.put(thing{id: k.legacy, has: s.p, data: true})
		w.sleep(60 * second)
	}
	var st step
	var f [5]fault
	for i := range 1 + w.roll(4) {
		w.draw(&st, &f[i])
		if w.changing {
			w.drawChange(&st, &f[i])
		}
		s.play(&st)
		if len(w.found) > 0 || w.over {
			break
		}
		w.sleep(st.pause)
		if t := w.read(s.id); k.copied && t != nil {
			w.put(thing{id: "svc-copy", tag: t.tag, has: t.has, state: stranger})
			k.copied = false
		}
		if s.steady(); len(w.found) > 0 {
			break
		}
	}
	if len(w.found) == 0 && !w.over {
		if w.flip(2) {
			w.drain()
			s.steady()
		}
		st = step{}
		if w.flip(4) {
			w.drawFault(&f[4])
			if f[4].what == oversleeps || f[4].what == unusable {
				f[4].what = fails
			}
			st.fault, st.at = &f[4], removal
		}
		s.step, s.used = &st, false
		s.repair()
		if len(w.found) == 0 && !w.over {
			s.delete()
		}
	}
	w.drain()
	if len(w.found) == 0 {
		s.audit()
	}
	return w.found
}

// drawPhase draws how the stack tells what it does.
func (w *world) drawPhase() {
	if w.flip(3) {
		w.late = w.roll(3 * second)
	}
	if w.flip(4) {
		w.unasked = 1 + w.roll(6)
	}
}

// vary draws how a handler of the kind is written, and over what.
func (w *world) vary(k kind) kind {
	k.phase = w.flip(2)
	k.continues = k.phase && w.flip(2)
	k.lenient = w.flip(2)
	k.patient = w.flip(3)
	k.idle = w.flip(8)
	k.retags = k.finds && w.flip(50)
	k.careless = k.finds && w.flip(4)
	switch k.naming {
	case byService:
		k.copied = k.finds && w.flip(50)
	case byStableID:
		k.silent = w.flip(3)
		k.puts = k.silent && w.flip(2)
		if !k.silent && w.flip(16) {
			k.puts = true // and says Created of what it met
		}
	case byTemplate:
		k.mute = w.flip(2)
		if w.flip(8) {
			k.taken = int8(1 + w.roll(2))
			k.presumes = w.flip(4)
		}
	}
	if !k.explained() {
		k.rigid = w.flip(2)
		if k.naming == byService {
			k.token = w.flip(2)
		}
	}
	if k.taken == 0 && w.flip(8) {
		k.legacy = []string{"svc-legacy", imitated}[w.roll(2)]
	}
	return k
}
