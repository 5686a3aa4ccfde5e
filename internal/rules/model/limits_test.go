package model

import "github.com/cfnresource/sdk-go/lifecycle"

// What is known not to hold, by the names in docs/rough_edges.md.
const (
	overlapping          = "updates that overlap end in any order"
	cancelledReplacement = "a replacement that is cancelled leaves its new resource"
	diedReplacement      = "a replacement whose process dies, or whose answer is lost, leaves its new resource"
	unsaidReplacement    = "a replacement that fails after its effect and before Created leaves its new resource"
	lateReplacement      = "a replacement that runs out of time leaves what it made"
	keptReplacement      = "a replacement that failed and could not be undone stays, if CloudFormation keeps its ID"
	readopted            = "a retained resource that the template comes back to is the stack's again, and a rollback deletes it"
	belatedWork          = "what comes again when it has been undone is done again"
	staleDelete          = "a cleanup's Delete that comes again deletes what the template has come back to"
	lostTwice            = "a lost Delete that comes again deletes what the next deployment made"
	givenUpUndo          = "an Update that was given up undoes what a later deployment has taken over"
	outdatedRollback     = "a rollback to properties that the provider has learned to refuse fails"
	laggingSearch        = "a search that lags for longer than FindLag hides what there is"
	twins                = "a Create delivered to two processes at once makes two, where the service takes no client token"
	twinChosen           = "two things that bear one mark hide each other"
	remarked             = "a mark that Update writes anew makes the way back a replacement"
	foundGone            = "a Find that answers what is deleted fails what adopts it"
	goesOn               = "a handler that goes on after its answer makes what nobody deletes"
	lost                 = "what a Create made before it said Created is lost with its answer"
	madeTwice            = "a Create that is delivered again meets its own work, or makes another one"
	saidTooMuch          = "what is said Created although it was there already is deleted when that Create fails"
	recordBeside         = "a chain that goes on beside the record of its death is failed by it"
	undoneBeside         = "of two deliveries of one replacement, the one that fails undoes, or leaves, what the other one answered"
	idleUndo             = "an undo that waits before it has asked for the deletion leaves what was made"
	takenForGone         = "a live resource whose ID has the shape of CloudFormation's, and whose Delete fails without a code, is taken for deleted"
	strangersCopy        = "a stranger's copy that bears the mark is deleted, or adopted"
	lateStack            = "a stack that DescribeStacks shows late is taken for what it was"
	shortenedTimeout     = "a Create that outlives a shortened timeout"
	changedIdentity      = "an identity that changes between a request and its undo"
	changedStable        = "an existing resource whose StableID changes"
	skippedRollback      = "a skipped rollback of a replacement"
	shortLook            = "a lost Delete without the time to wait for a search"
	preservedTwice       = "RollbackStack after two preserved updates"
	secondChain          = "a second chain of one event"
	unknownProperty      = "a property that the function does not know"
	saidTooEarly         = "what is said Created before it is made is deleted, whosever it is"
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
