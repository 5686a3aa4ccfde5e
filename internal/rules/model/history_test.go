package model

import "fmt"

// A step is one deployment.
type step struct {
	to        int8
	how       course
	fault     *fault
	at        part // which request of the step the fault meets
	head      int  // of a request that is cancelled, when
	slow      int  // and how slow it is
	held      int  // for how long throttling keeps it and what follows, which then come at once
	preserves bool // a Create that fails stays (DisableRollback)
	outdated  bool // the provider has learned to refuse the properties of before
	pause     int  // after it
	waits     int  // how long what is made takes to get ready
	link      *fault

	occasion         occasion // on which another revision of the function is deployed
	former, revision revision
	extra            bool // the template has the property that not each revision knows
	takesOut         bool // the resource leaves the template
	skips            bool // a rollback's Update that fails is skipped
	returns          bool // it deploys the template of the stable stack instead of RollbackStack
}

type course int8

const (
	goesWell     course = iota
	siblingFails        // after the resource is done
	cancelled           // while it is at work
	retains             // UpdateReplacePolicy: Retain
)

type part int8

const (
	forward part = iota
	back
	removal // any Delete
)

// A fault is what goes wrong with one request.
type fault struct {
	where point
	what  mishap
	then  aftermath
	stuck bool   // from then on the handler can delete nothing in this delivery
	twice int    // delivered again so much later, at once
	other *fault // of that delivery
	last  bool   // and CloudFormation reads the last answer
	after int    // belated by, or after its sending the permission is in force

	codeless bool // an error has no code
}

type point int8

const (
	nowhere point = iota
	searching
	begun
	made // before Created
	done
	continuing
)

type mishap int8

const (
	nothing mishap = iota
	fails
	throttles
	denies
	panics
	hangs
	oversleeps // ignores its context, and goes on when the answer is out
	unusable   // names an ID that CloudFormation cannot keep
	dies
	undelivered
)

type aftermath int8

const (
	silence aftermath = iota
	again
	recorded
	belated // it comes again when it is over
)

func (f *fault) String() string { return fmt.Sprintf("%+v", *f) }

func (st *step) String() string {
	return fmt.Sprintf("to %s, how %d, fault %v at %d, head %d, slow %d, preserves %t, outdated %t", names[st.to], st.how, st.fault, st.at, st.head, st.slow, st.preserves, st.outdated)
}

// draw draws a step.
func (w *world) draw(st *step, f *fault) {
	*st = step{to: 1 + int8(w.roll(8)%3), at: forward, pause: second * w.roll(30)}
	if w.flip(4) {
		st.pause = 90 * second
	}
	switch w.roll(8) {
	case 0, 1:
		st.how = siblingFails
	case 2, 3:
		st.how, st.head = cancelled, 200+w.roll(20*second)
		st.slow = w.roll(28) * second
		if w.flip(4) {
			st.held = w.roll(300) * second
		}
	case 4:
		if w.flip(2) {
			st.how = retains
		}
	}
	st.outdated = w.flip(20)
	st.preserves = w.flip(8)
	if w.k.continues && !w.flip(3) {
		w.drawWait(st)
	}
	if w.flip(2) {
		return
	}
	w.drawFault(f)
	st.fault = f
	if w.flip(3) {
		st.at = part(w.roll(3))
	}
	if f.what == oversleeps && st.at != forward {
		f.what = hangs
	}
}

// drawWait draws how long a thing takes, and what goes wrong on the way.
func (w *world) drawWait(st *step) {
	st.waits = w.roll(200) * second
	if w.flip(20) {
		st.waits = 1000 * second
	}
	if st.how == cancelled && w.flip(2) {
		st.head = w.roll(200 * second)
	}
	if w.flip(2) {
		return
	}
	st.link = &fault{where: continuing, then: aftermath(w.roll(3)), stuck: w.flip(2), after: w.roll(90) * second}
	switch w.roll(6) {
	case 0:
		st.link.what = fails
	case 1:
		st.link.what = hangs
	case 2:
		st.link.what = dies
	case 3:
		st.link.what = nothing // comes twice
	default:
		w.drawFault(st.link)
		if st.link.where == nowhere {
			st.link.where, st.link.what = begun, dies
		}
	}
}

func (w *world) drawFault(f *fault) {
	*f = fault{where: searching + point(w.roll(4)), then: aftermath(w.roll(3)), stuck: w.flip(6)}
	switch w.roll(12) {
	case 0:
		w.drawTwice(f)
	case 1:
		f.where, f.then, f.after = nowhere, belated, w.roll(300)*second
	case 2:
		f.where, f.what = nowhere, undelivered
	case 3:
		f.where, f.then = nowhere, again
	case 4:
		f.where, f.what = begun, oversleeps
	case 5:
		f.where, f.what = made, unusable
	default:
		f.what, f.codeless = []mishap{fails, throttles, denies, panics, hangs, dies, dies}[w.roll(7)], w.flip(4)
		if (f.what == throttles || f.what == denies) && f.where > begun {
			f.what = fails
		}
		f.after = w.roll(60) * second
	}
}

// drawTwice draws two deliveries at once, of which one may fail.
func (w *world) drawTwice(f *fault) {
	f.twice, f.last = 1+w.roll(5*second), w.flip(2)
	one := fault{where: begun + point(w.roll(3)), what: fails}
	switch w.roll(4) {
	case 0:
		f.where = nowhere
	case 1:
		f.where = nowhere
		f.other = &one
	default:
		f.where, f.what = one.where, one.what
	}
}
