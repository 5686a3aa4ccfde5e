package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A limit is harm that no handler can prevent. Its name is that in
// docs/rough_edges.md.
type limit struct {
	name string
	// holds reports whether a deployment meets it.
	holds func(d deployed) bool
	// once is set if the limit applies only to the first of the steps at which it
	// holds. At a later step the handler had the service's reply, and could have
	// called Created.
	once bool
}

// A deployed is a deployment in a history, and its first request.
type deployed struct {
	op            operation
	replaces      bool     // it is, or may be, of another identity than what there is
	existedBefore []string // the IDs under which there was something before
	ownIDsBefore  int      // how many own IDs the run had before
	overwrites    bool     // Create cannot call Created: see createOverwrites
	request       simulate.Request
}

// limits are all about what a replacement leaves. An Update that failed is answered
// with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	"a replacement that is cancelled leaves its new resource",
	func(d deployed) bool {
		return d.op.variant == cancelled || d.overwrites && d.ended(simulate.EndsCancelled)
	}, false,
}, {
	"a replacement whose process dies, or whose answer is lost, leaves its new resource",
	func(d deployed) bool {
		// A retry adopts it. What is adopted is not undone if the retry fails.
		return d.ended(simulate.EndsUnknown) || d.op.what == refused && d.ended(simulate.EndsFound)
	}, false,
}, {
	"a replacement that fails after its effect and before Created leaves its new resource",
	func(d deployed) bool { return d.ended(simulate.EndsFailed) && d.unnamed() }, true,
}, {
	"a replacement that runs out of time leaves what it made",
	func(d deployed) bool { return d.ended(simulate.EndsOutOfTime) && d.unnamed() }, true,
}}

// ended reports whether a fault ended the request in a way.
func (d deployed) ended(end simulate.End) bool {
	return d.request.FaultHit && d.request.Fault.Kind.End() == end
}

// unnamed reports whether Create could not call Created: the fault came before, or it
// overwrites.
func (d deployed) unnamed() bool {
	return (d.overwrites || d.request.Fault.Kind.AtStep()) &&
		!slices.ContainsFunc(d.request.Calls(), func(c simulate.Call) bool { return c.Created != "" })
}

// sameLimitOneStepEarlier reports whether a limit with once set excuses the history
// whose fault comes one step earlier.
func (x *explorer) sameLimitOneStepEarlier(h history, name string) bool {
	op, at := h.faulty()
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == name })
	if i < 0 || !limits[i].once || x.overwrites || op.fault.step < 2 {
		return false
	}
	m := *op.fault
	m.step--
	earlier := slices.Clone(h)
	earlier[at].fault = &m
	return x.runAlone(earlier).limit == name
}

// findLimit returns the name of the limit that excuses what is left, or "". A limit
// excuses a single thing that was never the stack's, made by a deployment that met the
// limit: the last deployment before which the thing did not exist.
func (h *historyRun) findLimit(left []string) string {
	for _, d := range slices.Backward(h.deployed) {
		if slices.Contains(d.existedBefore, left[0]) {
			continue
		}
		i := slices.IndexFunc(limits, func(l limit) bool { return d.replaces && l.holds(d) })
		if i < 0 || len(left) > 1 || slices.Contains(h.ownIDs[d.ownIDsBefore:], left[0]) {
			return ""
		}
		return limits[i].name
	}
	return ""
}
