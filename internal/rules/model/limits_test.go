package model

import "github.com/cfnresource/sdk-go/lifecycle"

// What is known not to hold, by the names in docs/rough_edges.md.
const (
	overlapping          = "two Updates that run at once"
	cancelledReplacement = "a cancelled replacement"
	diedReplacement      = "a replacement whose process or answer is lost"
	unsaidReplacement    = "a replacement that fails before Created"
	lateReplacement      = "a replacement that runs out of time"
	keptReplacement      = "a replacement that cannot be undone"
	readopted            = "a retained thing that returns to the stack"
	belatedWork          = "a request that runs after its undo"
	staleDelete          = "a late Delete of a cleanup"
	lostTwice            = "a late Delete of a failed Create"
	givenUpUndo          = "a late undo of an adopted thing"
	outdatedRollback     = "a rollback to properties that are now refused"
	laggingSearch        = "a search that lags for longer than FindLag"
	twins                = "two deliveries of a Create at once"
	twinChosen           = "two things with one mark"
	remarked             = "an Update that rewrites the mark"
	foundGone            = "a Find that returns a deleted thing"
	goesOn               = "a handler that works after its answer"
	lost                 = "an unmarked thing that no answer names"
	madeTwice            = "an unmarked thing whose Create is delivered again"
	saidTooMuch          = "Created for an existing thing"
	recordBeside         = "a chain reported dead while it runs"
	undoneBeside         = "two deliveries at once, one of which fails"
	idleUndo             = "an undo whose Delete waits first"
	takenForGone         = "a live thing with an ID like CloudFormation's"
	strangersCopy        = "a copy that bears the mark"
	lateStack            = "a stack status that is shown late"
	shortenedTimeout     = "a Create that outlives a shortened timeout"
	changedIdentity      = "an identity that changes between a request and its undo"
	changedStable        = "an existing resource whose StableID changes"
	skippedRollback      = "a skipped rollback of a replacement"
	shortLook            = "a lost Delete with too little time to search"
	preservedTwice       = "RollbackStack after two failed updates"
	secondChain          = "a second chain of one event"
	unknownProperty      = "a property that the function does not know"
	saidTooEarly         = "Created before the thing exists"
)

var limits = []string{
	overlapping, cancelledReplacement, diedReplacement, unsaidReplacement, lateReplacement, keptReplacement, readopted, belatedWork, staleDelete,
	lostTwice, givenUpUndo, outdatedRollback, laggingSearch, twins, twinChosen, remarked, foundGone, goesOn, lost, madeTwice, saidTooMuch, saidTooEarly, recordBeside, undoneBeside, idleUndo, takenForGone, strangersCopy, lateStack,
	shortenedTimeout, changedIdentity, changedStable, skippedRollback, shortLook, preservedTwice, secondChain, unknownProperty,
}

// limit returns the name of the limit that a finding is an example of, or "".
func (w *world) limit(f finding) string {
	name := w.limitOf(f)
	for i := range w.deliveries[:min(w.used, len(w.deliveries))] {
		if name == "" && w.deliveries[i].told.misled() {
			name = lateStack
		}
	}
	if name == "" {
		name = w.changeOf(f)
	}
	return name
}

func (w *world) limitOf(f finding) string {
	t := f.thing
	switch {
	case w.k.retags:
		return remarked
	case w.k.presumes:
		return saidTooEarly
	case w.beside:
		return recordBeside
	case t != nil && t.state == stranger && t.tag != "":
		return strangersCopy
	}
	switch f.harm {
	case leftBehind:
		return w.whyLeft(t)
	case otherState, wordless:
		return w.whyChanged(t, f.r)
	case liveDeleted, missing:
		if t != nil && t.killer != nil {
			return w.whyDeleted(t, t.killer)
		}
	case retainedDeleted:
		return readopted
	case updateRollbackFailed, causeless:
		if f.r.problems.Invalid != "" && !w.k.phase {
			return outdatedRollback
		}
		if was := w.stack.last(f.r.id); was != nil && !was.alive && was.killer != nil {
			return w.whyDeleted(was, was.killer)
		}
		if w.k.careless {
			return foundGone
		}
	case rollbackFailed, deleteFailed, cleanupFailed:
		if t != nil {
			return w.whyLeft(t)
		}
	case notReplaced, otherThing:
		return w.whyMixed(t)
	}
	return ""
}

// whyLeft goes by the delivery that made what was left behind.
func (w *world) whyLeft(t *thing) string {
	d := t.by
	if d == nil && t.id == imitated {
		return takenForGone
	} else if d == nil {
		return ""
	}
	k, r := w.k, d.r
	replacement := r.kind == lifecycle.Update && r.id != marker
	switch {
	case d.fault != nil && d.fault.what == oversleeps && d.hit:
		return goesOn
	case d.late && r.forked:
		return secondChain
	case d.late:
		return belatedWork
	case replacement && d.dead:
		return diedReplacement
	case replacement && r.givenUp && !d.askedTooLate():
		return cancelledReplacement
	case replacement && (d.timedOut || r.timedOut || r.untold && !t.said):
		return lateReplacement
	case replacement && t.idled:
		return idleUndo
	case replacement && t.undone:
		return keptReplacement
	case replacement && !t.said && (d.hit || r.faulty && r.chained): // or in a later invocation
		return unsaidReplacement
	case t.twin && r.twice && !k.token:
		return twins
	case r.twice && r.failed:
		return undoneBeside
	case t.twin && k.finds:
		return twinChosen // a search shows only the other one
	case !k.explained() && r.twice:
		return madeTwice
	case !k.explained() && (!t.said || d.dead || r.givenUp || d.hit):
		return lost
	case k.naming == byService && k.finds && w.lag > w.leastFindLag():
		return laggingSearch
	}
	return ""
}

// whyChanged goes by the delivery that wrote last.
func (w *world) whyChanged(t *thing, r *request) string {
	switch d := t.writer; {
	case r != nil && r.read: // it came again
		return belatedWork
	case r != nil && r.givenUp:
		return overlapping
	case d == nil:
	case d.late:
		return belatedWork
	case d.r.givenUp || d.r.twice:
		return overlapping
	}
	return w.whyMixed(t)
}

// whyDeleted goes by the delivery that deleted what was in use.
func (w *world) whyDeleted(t *thing, d *delivery) string {
	switch {
	case d.r.kind == lifecycle.Delete && d.r.preserved && (d.late || d.r.twice):
		return lostTwice
	case d.r.kind == lifecycle.Delete && (d.late || d.r.twice):
		return staleDelete
	case d.r.kind == lifecycle.Delete:
	case d.r.forked && d.late:
		return secondChain
	case w.k.puts && !w.k.silent:
		return saidTooMuch
	case d.r.givenUp || d.late:
		return givenUpUndo
	case d.r.twice && d.r.kind == lifecycle.Update:
		return undoneBeside
	}
	return ""
}

// whyMixed is about searches that show another thing, or none.
func (w *world) whyMixed(t *thing) string {
	switch {
	case t != nil && t.twin:
		return twinChosen
	case w.k.naming == byService && w.k.finds && w.lag > w.leastFindLag():
		return laggingSearch
	}
	return ""
}
