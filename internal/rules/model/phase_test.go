package model

import (
	"cmp"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

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
	removes := d.r.kind == lifecycle.Delete
	switch {
	case removes && id != "" && !strings.HasSuffix(string(v.status), "_CLEANUP_IN_PROGRESS"):
		return rules.PhaseUnknown
	case d.r.birth < v.began || !removes && id != "" && id == v.shows || removes && cmp.Or(id, d.r.id) == v.id:
		return rules.NotAwaited // of an operation before this one, or of what is in use
	case id != "" && !v.exists && !removes:
		return rules.GivenUp
	}
	return rules.PhaseOf(lifecycle.PhaseOf(v.status, d.r.kind, true))
}
