package model

import (
	"slices"
	"time"
)

// Faults in a request that makes or changes something.
var workFaults = []fault{
	{name: "throttled", where: begun, what: throttled},
	{name: "fails before the effect", where: begun, what: fails},
	{name: "fails after the effect, untracked", where: made, what: fails},
	{name: "fails after the effect, tracked", where: done, what: fails},
	{name: "fails after the effect, then cannot delete", where: done, what: fails, stuck: true},
	{name: "returns the ID beside an error", where: made, what: returnsBoth},
	{name: "returns too much data", where: done, what: tooLarge},
	{name: "panics after the effect, untracked", where: made, what: panics},
	{name: "panics after the effect, tracked", where: done, what: panics},
	{name: "hangs after the effect, untracked", where: made, what: hangs},
	{name: "hangs after the effect, tracked", where: done, what: hangs},
	{name: "ignores its context, goes on after the answer", where: begun, what: oversleeps},
	{name: "Find fails", where: searching, what: fails},
	{name: "Find is throttled", where: searching, what: throttled},
	{name: "process dies before the effect, redelivered", where: begun, what: dies, then: again},
	{name: "process dies before the effect, recorded", where: begun, what: dies, then: recorded},
	{name: "process dies before the effect, silence", where: begun, what: dies, then: silence},
	{name: "process dies after the effect, redelivered", where: made, what: dies, then: again},
	{name: "process dies after the effect, recorded", where: made, what: dies, then: recorded},
	{name: "process dies after the effect, silence", where: made, what: dies, then: silence},
	{name: "process dies before the answer, redelivered", where: done, what: dies, then: again},
	{name: "process dies before the answer, recorded", where: done, what: dies, then: recorded},
	{name: "answer undelivered, redelivered", what: undelivered, then: again},
	{name: "answer undelivered, recorded", what: undelivered, then: recorded},
	{name: "answer undelivered, silence", what: undelivered, then: silence},
	{name: "answered, redelivered", then: again},
	{name: "answered, then recorded as failed", then: recorded},
	{name: "delivered twice, second before the effect, first answer read", twice: time.Second},
	{name: "delivered twice, second before the effect, last answer read", twice: time.Second, readsLast: true},
	{name: "delivered twice, second after the effect, first answer read", twice: 2250 * time.Millisecond},
	{name: "delivered twice, second after the effect, last answer read", twice: 2250 * time.Millisecond, readsLast: true},
}

// Late deliveries: of what was undone meanwhile, and of what was done already.
var (
	diesAndComesAgain = fault{name: "process dies before the effect, comes again when the operation is over", where: begun, what: dies, then: belated}
	comesAgain        = fault{name: "answered, comes again when the operation is over", then: belated}
	comesAgainLater   = fault{name: "answered, comes again when the next operation is over", then: stale}
)

// Faults in a rollback's Update, which is to lead back all the same.
var rollbackFaults = pick("throttled", "fails before the effect", "fails after the effect, untracked", "fails after the effect, tracked",
	"returns too much data", "Find is throttled",
	"process dies before the effect, redelivered", "process dies after the effect, redelivered", "process dies after the effect, recorded",
	"answer undelivered, redelivered", "answered, redelivered", "delivered twice, second after the effect, last answer read")

// Faults in a Delete.
var deleteFaults = pick("throttled", "fails before the effect", "fails after the effect, untracked", "panics after the effect, untracked",
	"Find fails", "Find is throttled", "process dies before the effect, redelivered", "process dies after the effect, redelivered",
	"process dies after the effect, recorded", "process dies after the effect, silence", "answer undelivered, redelivered",
	"answered, redelivered", "delivered twice, second before the effect, last answer read")

func pick(names ...string) (some []fault) {
	for _, f := range workFaults {
		if slices.Contains(names, f.name) {
			some = append(some, f)
		}
	}
	if len(some) != len(names) {
		panic("a fault that is not in the table")
	}
	return some
}

// creates are all first steps.
func creates() []step {
	steps := []step{
		{to: "a"}, {to: "a", how: sibling}, {to: "a", how: landed}, {to: "a", how: overtaken},
		{to: "a", bad: "Size"}, {to: "a", bad: "identity"},
	}
	for _, f := range workFaults {
		steps = append(steps, step{to: "a", fault: f})
	}
	for _, f := range deleteFaults {
		steps = append(steps, step{to: "a", how: sibling, fault: f, at: cleanup})
		steps = append(steps, step{to: "a", how: landed, fault: f, at: cleanup})
	}
	return append(steps,
		step{to: "a", fault: diesAndComesAgain}, step{to: "a", fault: comesAgain},
		step{to: "a", how: sibling, fault: comesAgain}, step{to: "a", how: sibling, fault: comesAgain, at: cleanup})
}

// changes are all steps from a resource that is there.
func changes() (steps []step) {
	for _, to := range []string{"b", "a"} {
		steps = append(steps,
			step{to: to}, step{to: to, how: sibling}, step{to: to, how: retains}, step{to: to, how: landed}, step{to: to, how: overtaken},
			step{to: to, how: conflicting}, step{to: to, bad: "Size"}, step{to: to, bad: "identity"})
		for _, f := range workFaults {
			steps = append(steps, step{to: to, fault: f})
		}
		for _, f := range rollbackFaults {
			steps = append(steps, step{to: to, how: sibling, fault: f, at: rollback})
		}
		for _, f := range deleteFaults {
			steps = append(steps, step{to: to, fault: f, at: cleanup})
		}
		steps = append(steps,
			step{to: to, fault: diesAndComesAgain}, step{to: to, fault: comesAgain}, step{to: to, how: sibling, fault: comesAgain},
			step{to: to, how: sibling, fault: comesAgain, at: rollback}, step{to: to, fault: comesAgainLater, at: cleanup},
			step{to: to, how: sibling, outdated: true}, step{to: to, fault: workFaults[1], outdated: true})
	}
	for i := range steps {
		steps[i].op = update
	}
	return steps
}

// common reports whether a step goes well, or wrong in one of the few ways that
// leave something different behind.
func (st step) common() bool {
	if st.at != forward || st.bad != "" || st.outdated || st.how > overtaken {
		return false
	}
	switch st.fault.name {
	case "", "fails before the effect", "process dies after the effect, silence":
		return true
	}
	return false
}

// needsWarmth reports whether a step is one that only a process which stays can
// take: in another one, what goes on after the answer is frozen.
func (st step) needsWarmth() bool { return st.fault.what == oversleeps }

// histories are all short histories, the shortest first. Each ends with the
// deletion of the stack, which goes well unless it is a step of its own.
//
//	a create
//	a create and a deletion
//	a create and an update
//	a create that has a fault and an update that is a common one
//	a create, an update of which something comes again, and one back
//	a create and two updates, both common ones; in long, one of them
func histories(long bool) (all [][]step) {
	good := step{op: create, to: "a"}
	for _, c := range creates() {
		all = append(all, []step{c})
	}
	for _, f := range deleteFaults {
		all = append(all, []step{good, {op: remove, fault: f, at: cleanup}})
	}
	us := changes()
	for _, u := range us {
		all = append(all, []step{good, u})
	}
	for _, f := range workFaults {
		for _, u := range us {
			if u.common() {
				all = append(all, []step{{op: create, to: "a", fault: f}, u})
			}
		}
	}
	for _, u := range us {
		if u.fault.then == stale {
			all = append(all, []step{good, u, {op: update, to: "a"}})
		}
		for _, v := range us {
			if u.common() && v.common() || long && (u.common() || v.common()) {
				all = append(all, []step{good, u, v})
			}
		}
	}
	return all
}
