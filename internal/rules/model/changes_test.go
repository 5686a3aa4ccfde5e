package model

import (
	"slices"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// drawChanges draws how a function is written that changes, and where its resource stands.
func (w *world) drawChanges() {
	v := &w.revision
	if w.flip(2) {
		v.timeout = longTimeout
	}
	if w.flip(4) {
		v.findLag = 30 * second
	}
	if w.flip(4) {
		v.reads[3] = 1
	}
	v.knows = !w.flip(4) || w.aims != "" && w.aims != unknownProperty
	if w.flip(4) {
		v.grace = longTimeout
	}
	if w.aims == shortLook { // FindLag is above the real lag
		w.lag = 20 * second
		v.findLag, v.timeout, v.grace = w.lag+second, timeout, timeout
		if w.helped == shortLook {
			v.timeout = longTimeout
		}
	}
	w.stack.grown = w.flip(2)
	w.k.rigid = w.k.rigid || w.flip(4)
}

// drawChange draws what changes about the function, or about the resource's place, in a step.
func (w *world) drawChange(st *step, f *fault) {
	if st.occasion = occasion(w.roll(4)); w.stack.id == "" && st.occasion == never && w.flip(2) {
		st.occasion = within
	}
	st.former, st.revision = w.revision, w.revision
	v := &st.revision
	switch w.roll(5) {
	case 0:
		if v.timeout = longTimeout; w.revision.timeout == longTimeout {
			v.timeout = timeout
		}
	case 1:
		if v.findLag = 30 * second; w.revision.findLag > findLag {
			v.findLag = findLag
		}
	case 2:
		v.reads[1+w.roll(3)] = 1 + int8(w.roll(3))
	case 3:
		v.names = 1 - v.names
	case 4:
		v.knows = !v.knows
	}
	if max(st.former.timeout, v.timeout) == longTimeout && w.flip(2) {
		st.slow = w.roll(250 * second)
	}
	st.extra = w.flip(2)
	st.takesOut = w.flip(8)
	st.skips = w.flip(4)
	if w.k.continues && (w.aims == secondChain || w.flip(4)) {
		st.waits = 60*second + w.roll(120*second)
		*f = fault{where: continuing, what: hangs, stuck: true}
		st.fault, st.at = f, forward
	}
	if w.aims != "" {
		w.aim(st)
	}
	w.help(st)
}

// aim leaves out of a step what is not about the limit that is aimed at.
func (w *world) aim(st *step) {
	drawn := st.revision
	st.revision = w.revision
	switch v := &st.revision; w.aims {
	case shortenedTimeout:
		v.timeout = drawn.timeout
	case changedIdentity, changedStable:
		v.reads, v.names = drawn.reads, drawn.names
	case unknownProperty:
		v.knows = drawn.knows
	case skippedRollback:
		st.outdated = st.outdated || w.flip(2) // its rollback fails
	case preservedTwice:
		if st.preserves, st.takesOut = true, false; st.how == cancelled {
			st.how = siblingFails
		}
	case shortLook:
		st.slow = w.roll(55 * second)
	}
	st.skips = w.aims == skippedRollback
}

// help does with a step what docs/rough_edges.md says against the limit whose help is played.
func (w *world) help(st *step) {
	s, former, next := w.stack, &st.former, &st.revision
	switch w.helped {
	case shortenedTimeout: // the function and its resource are deployed apart
		if st.occasion != never {
			st.occasion = alone
		}
	case changedIdentity: // what repairs a stack at rest makes the same StableIDs
		if st.occasion == atRest || st.occasion == within {
			next.names, next.reads = former.names, former.reads
		}
	case changedStable: // the template names the value first
		if p := (properties{identity: st.to}); former.differs(next, s.p) || st.occasion != alone && former.differs(next, p) {
			next.names, next.reads = former.names, former.reads
		}
	case unknownProperty: // the function knows it before the template has it, and for as long
		next.knows = former.knows || next.knows && !st.extra
		st.extra = st.extra && former.knows
	}
}

// changeOf returns the name of the limit that a finding is an example of because something about the
// function has changed, or "".
func (w *world) changeOf(f finding) string {
	t, s := f.thing, w.stack
	switch {
	case slices.ContainsFunc(w.things, func(t *thing) bool { return t.killer != nil && t.killer.r.read && t.killer.r.hasSecondChain() }):
		return secondChain
	case t != nil && t.by != nil && w.outlives(t):
		return shortenedTimeout
	case f.harm == leftBehind && w.k.careless && w.lag > findLag:
		return foundGone // a Delete took it for what it looked for
	case f.harm == leftBehind && w.k.finds && w.hides(t):
		return shortLook
	case t != nil && f.harm == otherState && s.lacks(t):
		return unknownProperty
	case s.skippedOnce:
		return skippedRollback
	case s.astray:
		return preservedTwice
	}
	return w.identityChange()
}

// outlives reports whether a thing was made after a Delete had waited for it, by a Create that may run for longer.
func (w *world) outlives(t *thing) bool {
	return slices.ContainsFunc(w.deliveries[:min(w.used, len(w.deliveries))], func(d delivery) bool {
		return d.r.kind == lifecycle.Delete && d.start < t.made && d.start > t.by.start && d.revision.timeout < t.by.revision.timeout
	})
}

// hides reports whether searches did not yet show a thing when a Delete that waited for it had to end.
func (w *world) hides(t *thing) bool {
	return slices.ContainsFunc(w.deliveries[:min(w.used, len(w.deliveries))], func(d delivery) bool {
		return d.r.kind == lifecycle.Delete && d.start < t.made+w.lag && d.finished > d.deadline && d.finished < t.made+w.lag+second
	})
}

// lacks reports whether a thing is what the template says but for a property that the function did not know.
func (s *stack) lacks(t *thing) bool {
	has := t.has
	has.extra = s.p.extra
	return t.has != has && (has == s.wants || has == s.revision.means(s.p)) && !t.writer.revision.knows
}

// identityChange names the change that gave things other StableIDs, if there was one.
func (w *world) identityChange() (name string) {
	for _, c := range w.changes {
		switch {
		case c.from.reads == c.to.reads && c.from.names == c.to.names:
		case c.occasion != alone:
			return changedIdentity
		default:
			name = changedStable
		}
	}
	return name
}

// leastFindLag is the FindLag of the function, or the shortest of its revisions so far.
func (w *world) leastFindLag() int {
	least := w.revision.findLag
	for _, c := range w.changes {
		least = min(least, c.from.findLag)
	}
	return least
}
