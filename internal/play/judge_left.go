package play

// Judges what is left of a stack that has no resource any more, and says what no handler can prevent.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// judgeLeft checks that nothing is left of a stack that has no resources any more.
func (h *historyRun) judgeLeft(op operation) {
	left := h.remainingBeside("")
	if op.Variant == unreadable && h.learned.keeps[h.leaves] {
		return // as judgeKept judges
	}
	left = slices.DeleteFunc(left, func(id string) bool { return id == h.foreign.id }) // which a Delete may leave
	// Users' content may have kept it from being deleted.
	if h.used != "" {
		deletion := scene{requests: h.stack.Requests(), left: []string{h.used}}.lastDelete()
		if did(deletion) != "Delete" {
			left = slices.DeleteFunc(left, func(id string) bool { return id == h.used })
		}
	}
	if len(left) == 0 {
		h.judgeAround(op)
		return
	}
	h.record(leftBehind, op, "The service still has %s, or a part of it.", strings.Join(left, ", "))
	if h.Limit = h.findLimit(left); h.Limit != "" {
		h.excused, h.found = h.found, nil
	}
}

// remainingBeside returns the physical IDs of all things but one that exist when the service has had its time.
func (h *historyRun) remainingBeside(id string) []string {
	is := func(other string) bool { return other == id }
	left := slices.DeleteFunc(h.remaining(), is)
	if len(left) > 0 { // what undoes a replacement does not wait to the end
		h.c.wait(serviceTime)
		left = slices.DeleteFunc(h.remaining(), is)
	}
	return left
}

// remaining returns the physical IDs of all things that exist. What New has put into the service is other people's, unless the
// handler has taken it.
func (h *historyRun) remaining() (ids []string) {
	seen := h.stack.SeenIDs()
	if h.service.List != nil {
		isThere := func(id string) bool { return slices.Contains(h.there, id) && lacks(seen, id) }
		ids = slices.DeleteFunc(slices.Clone(h.service.List()), isThere)
	}
	if h.service.State != nil {
		for _, id := range seen {
			if h.exists(id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(ids, func(id string) bool { return h.isOthers(id) || h.isTwin(id) })
	return slices.Compact(ids)
}

// judgeKept judges that a Delete whose properties cannot be read keeps what it keeps otherwise. id was the resource's.
func (h *historyRun) judgeKept(op operation, settled, id string) {
	h.stands = id != "" && slices.Contains(h.remaining(), id)
	switch {
	case h.stands, op.What != deletesStack:
	case h.learned.keeps[settled]:
		h.record(keptDeleted, op, "%s was deleted, but a Delete with properties that can be read keeps it.", id)
	}
}

// judgeAround judges that Around shows nothing more and nothing less than before the stack.
func (h *historyRun) judgeAround(op operation) {
	want, known := h.around[fmt.Sprint(h.beside)]
	switch {
	case h.service.Around == nil, h.used != "", !known:
		return
	}
	now := h.service.Around()
	if differ(now, want) {
		h.c.wait(serviceTime)
		now = h.service.Around()
	}
	if differ(now, want) {
		h.record(aroundTouched, op, "Around does not show what it showed before the Create:\n%s%s", differences(now, want), h.lostSince(now, want))
	}
}

// findLimit returns the name of the limit that excuses what is left, or "". A limit excuses a
// single thing that was never the stack's, or several where each delivery makes another one, made
// by a deployment that met the limit: the last one before which the first of them did not exist. The
// next update to the same identity adopts what the limit excuses.
func (h *historyRun) findLimit(left []string) string {
	for i, d := range slices.Backward(h.deployed) {
		if slices.Contains(d.existedBefore, left[0]) {
			continue
		}
		own := func(id string) bool { return slices.Contains(h.ownIDs[d.ownIDsBefore:], id) }
		adopts := func(later pastDeployment) bool { return h.adopts(later, d) }
		switch {
		case slices.ContainsFunc(left, own):
			return ""
		case h.c.Neither: // each delivery makes another thing, and no update adopts one
		case len(left) > 1, slices.ContainsFunc(h.deployed[i+1:], adopts):
			return ""
		}
		return limitOf(d.limitCase)
	}
	return ""
}

// adopts reports whether a deployment without a fault succeeded in replacing the resource by what an earlier one of the
// same identity has left.
func (h *historyRun) adopts(later, earlier pastDeployment) bool {
	r := later.Request
	switch {
	case later.Op.Variant != noVariant, r.FaultHit, r.Outcome != string(engine.Succeeded):
		return false
	case h.isOneThing(later.Op.What, earlier.Op.What):
		return replaces(r)
	}
	return false
}

// isOneThing reports whether it is known of two versions that they are the same identity.
func (h *historyRun) isOneThing(version, other string) bool {
	switch {
	case version == other:
		return true
	case isChanged(version) && h.c.handler.isTold():
		return h.c.oneIdentity(version, other)
	}
	return false
}

// replaces reports whether a request has given the resource another physical ID.
func replaces(r simulate.Request) bool {
	answer := r.Response()
	switch {
	case answer == nil, r.PhysicalID == "":
		return false
	}
	return answer.PhysicalResourceID != r.PhysicalID
}

// A limit is harm that no handler can prevent. Its name is that in docs/rough_edges.md. Those of a function that changes,
// of skipped rollbacks and of preserved replacements are not here: a history has one program, and none of these.
type limit struct {
	name string
	// holds reports whether a deployment meets it.
	holds func(d limitCase) bool
	// neither is set if it is one of handlers of that kind, in a Create; else it is one of
	// replacements.
	neither bool
	// once is set if the limit applies only to the first of the steps at which it holds. At a later
	// step the handler had the service's reply, and could have called Created.
	once bool
}

// limitCase is a deployment in a history, and its first request.
type limitCase struct {
	Op         operation
	Replaces   bool // it is, or may be, of another identity than the existing thing
	Overwrites bool // Create overwrites an existing thing, and cannot call Created
	Neither    bool // nothing leads from an event to what the handler makes
	Request    simulate.Request
}

// limits are about things that a replacement leaves, and about the kind "neither". An Update that failed
// is answered with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	name: "a cancelled replacement",
	holds: func(d limitCase) bool {
		if d.Op.Variant == cancelled {
			return true
		}
		return d.ended(simulate.EndsCancelled) && (d.Overwrites || d.undoIsRefused())
	},
}, {
	name: "a replacement whose process or answer is lost",
	holds: func(d limitCase) bool {
		switch {
		case d.Op.What == refused && d.ended(simulate.EndsFound): // a retry adopts the new resource, and does not undo it if the retry fails
			return true
		case hitBy(d.Request) == fault.LinkDiesForGood:
			return d.lateCreated()
		}
		return d.ended(simulate.EndsUnknown)
	},
}, {
	name: "two deliveries at once, one of which fails",
	holds: func(d limitCase) bool {
		// The other delivery has adopted the resource: it makes again what the first undoes, and is refused.
		return d.Op.What == refused && hitBy(d.Request) == fault.Twice
	},
}, {
	name:  "a replacement that fails before Created",
	holds: func(d limitCase) bool { return d.unnamed(simulate.EndsFailed) }, once: true,
}, {
	name:  "a replacement that runs out of time",
	holds: func(d limitCase) bool { return d.unnamed(simulate.EndsOutOfTime) || d.undoIsCutOff() }, once: true,
}, {
	name: "an unmarked thing that no answer names",
	holds: func(d limitCase) bool {
		if d.Op.Variant == cancelled {
			return true
		}
		return d.ended(simulate.EndsUnknown, simulate.EndsCancelled) || d.unnamed(simulate.EndsFailed, simulate.EndsOutOfTime)
	}, neither: true, once: true,
}, {
	name:  "an unmarked thing whose Create is delivered again",
	holds: func(d limitCase) bool { return d.ended(simulate.EndsWell, simulate.EndsFound) }, neither: true,
}}

// ended reports whether a fault ended the request in one of some ways.
func (d limitCase) ended(ends ...simulate.End) bool {
	return d.Request.FaultHit && slices.Contains(ends, simulate.EndOf(d.Request.Fault.Kind))
}

// lateCreated reports whether Created was called in the last of several invocations, which nobody has heard of.
func (d limitCase) lateCreated() bool {
	calls := d.Request.Calls()
	first := slices.IndexFunc(calls, func(c simulate.Call) bool { return c.Method == "Create" })
	return first >= 0 && calls[first].Created == ""
}

// unnamed reports whether the request ended in one of some ways, and Create could not call Created: the fault came before,
// or it overwrites.
func (d limitCase) unnamed(ends ...simulate.End) bool {
	hasNamed := func(c simulate.Call) bool { return c.Created != "" }
	if slices.ContainsFunc(d.Request.Calls(), hasNamed) {
		return false
	}
	couldNot := d.Overwrites || simulate.AtStep(d.Request.Fault.Kind)
	return couldNot && d.ended(ends...)
}

// undoIsRefused reports whether the service refused, for as long as an undo is retried, to delete what the request had made.
func (d limitCase) undoIsRefused() bool {
	_, undo := d.failedUndo()
	return cfnresource.Code(undo.Code).Transient()
}

// undoIsCutOff reports whether the time was over while the request waited, and again while the Delete of what it had made did.
// The SDK then takes that for deleted, whatever Delete would have removed next.
func (d limitCase) undoIsCutOff() bool {
	isOver := func(c simulate.Call) bool { return c.Code == string(cfnresource.CodeNotStabilized) }
	work, undo := d.failedUndo()
	return isOver(work) && isOver(undo)
}

// failedUndo returns the call that the request ended with, if it is a Delete that undoes and failed, and the call before it.
func (d limitCase) failedUndo() (work, undo simulate.Call) {
	calls := d.Request.Calls()
	n := len(calls)
	if d.Request.Type != "Update" || n < 2 || did(calls[n-1]) != "Delete failed" {
		return simulate.Call{}, simulate.Call{}
	}
	return calls[n-2], calls[n-1]
}

// limitOf returns the name of the limit that excuses what a deployment left, or "".
func limitOf(d limitCase) string {
	i := slices.IndexFunc(limits, func(l limit) bool {
		isOfKind := d.Replaces
		if l.neither {
			isOfKind = d.Neither && d.Request.Type == "Create"
		}
		return isOfKind && l.holds(d)
	})
	if i < 0 {
		return ""
	}
	return limits[i].name
}

// oneStepEarlier returns the history whose fault comes one step earlier, if the limit of
// that name applies only to the first of the steps at which it holds.
func (h history) oneStepEarlier(limitName string) (earlier history, ok bool) {
	op, at := h.faulty()
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == limitName })
	switch {
	case i < 0, at < 0, op.Variant == cancelled:
		return nil, false
	case op.Fault.Step < 2:
		return nil, false
	}
	m := *op.Fault
	m.Step--
	earlier = slices.Clone(h)
	earlier[at].Fault = &m
	return earlier, limits[i].once
}
