package model

import "slices"

// What is known not to hold, by name: what a stateless SDK cannot hold, and
// what a handler gives up that nothing leads back to.
const (
	// Only the service can put updates in order that run at the same time.
	overlapping = "updates that overlap end in any order"
	// CloudFormation sends no request that names the new resource. The next
	// update to the same identity adopts it.
	cancelledReplacement = "a replacement that is cancelled leaves its new resource"
	diedReplacement      = "a replacement whose process dies, or whose answer is lost, leaves its new resource"
	// An answer with the new ID would lead to it, but what CloudFormation makes
	// of one in an Update that FAILED is not known.
	untrackedReplacement = "a replacement that fails after its effect and before Track leaves its new resource"
	lateReplacement      = "a replacement that runs out of time leaves what it did not track"
	keptReplacement      = "a replacement that failed and could not be undone stays, if CloudFormation keeps its ID"
	// An event does not tell a resource that a policy kept from one's own.
	readopted = "a retained resource that the template comes back to is the stack's again, and a rollback deletes it"

	// An event does not say that CloudFormation has given it up.
	belatedWork = "what comes again when it has been undone is done again"
	staleDelete = "a cleanup's Delete that comes again deletes what the template has come back to"
	// Nor does it say that it leads back.
	outdatedRollback = "a rollback to properties that the provider has learned to refuse fails"

	// Each looks, finds nothing, and makes one.
	twins = "a Create delivered to two processes at once makes two, where the service takes no client token"

	lost      = "what a Create made before it tracked it is lost with its answer"
	madeTwice = "a Create that is delivered again meets its own work, or makes another one"
	// In the rollback of a replacement, that is the resource in use.
	trackedUnmade = "what is tracked although it was there already is deleted when that Create fails"
	presumed      = "what is tracked before it is made is deleted, whosever it is"
	leftBehind    = harm("left behind")
)

// limit returns the name of the limit that a finding is an example of, or "".
func (f finding) limit(k *kind) string {
	rest := slices.DeleteFunc(slices.Clone(f.harms), func(h harm) bool { return h == leftBehind })
	if f.last().outdated && slices.Equal(rest, []harm{"UPDATE_ROLLBACK_FAILED"}) {
		return outdatedRollback
	}
	if len(f.harms) != 1 {
		return ""
	}
	st, w := f.last(), f.last().fault
	failsAt := func(p point) bool { return w.where == p && (w.what == fails || w.what == panics) }
	known := k.tracks || k.returns                        // what the handler has when its work is done
	cancelled := st.how >= landed && (!k.phase || !known) // else it is taken back
	unanswered := (w.what == dies || w.what == undelivered) && w.then != again

	switch f.harms[0] {
	case "not in the state that the template says":
		switch {
		case st.op == update && st.how == overtaken:
			return overlapping
		case w.then == belated:
			return belatedWork
		}
	case "a retained resource deleted":
		if st.op == update && f.at > 1 && slices.ContainsFunc(f.history[:f.at-1], func(st step) bool { return st.how == retains }) {
			return readopted
		}
	case "a live resource deleted":
		switch {
		case f.at > 1 && f.history[f.at-2].fault.then == stale:
			return staleDelete
		case k.puts && k.tracks:
			return trackedUnmade
		}
	case "a stranger's resource deleted":
		if k.presumes && w.where == begun {
			return presumed
		}
	case leftBehind:
		switch {
		case w.then == belated && st.how == goesWell && w.what == nothing && st.op == create:
			return madeTwice
		case w.then == belated:
			return belatedWork
		case k.plain && w.twice > 0:
			return twins
		case st.op == update && st.how >= landed:
			return cancelledReplacement
		case st.op == update && unanswered:
			return diedReplacement
		case st.op == update && (w.what == hangs && (w.where == made || !known) || w.what == oversleeps):
			return lateReplacement
		case st.op == update && f.reading == keeps && (w.stuck || w.what == hangs):
			return keptReplacement
		case st.op == update && !k.finds && (failsAt(made) || failsAt(done) && !known || w.what == tooLarge && !known || w.where == done && w.what == panics && !k.tracks):
			return untrackedReplacement
		case st.op == create && !k.finds && (w.then == again || w.twice > 0) && st.at == forward:
			return madeTwice
		case st.op == create && !k.finds && (cancelled || failsAt(made) || w.what == hangs || unanswered || w.what == oversleeps):
			return lost
		}
	}
	return ""
}
