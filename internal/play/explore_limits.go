package play

import "slices"

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
	x             *exchange
}

// limits are all about what a replacement leaves. An Update that failed is answered
// with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	"a replacement that is cancelled leaves its new resource",
	func(d deployed) bool {
		return d.op.variant == cancelled || d.overwrites && d.metFault(CancelBetween, CancelWaiting)
	}, false,
}, {
	"a replacement whose process dies, or whose answer is lost, leaves its new resource",
	func(d deployed) bool {
		// A retry adopts it. What is adopted is not undone if the retry fails.
		return d.metFault(DieForGood, LoseAnswer) || d.op.what == refused && d.metFault(DieAfter, DieAtStep, Undelivered)
	}, false,
}, {
	"a replacement that fails after its effect and before Created leaves its new resource",
	func(d deployed) bool {
		return (d.metFault(FailAtStep) || d.overwrites && d.metFault(ErrorAfter, PanicAfter, LinkFails, LinkDiesForGood, ContinueRefused, PhaseUnknown, PhaseLost)) && !d.calledCreated()
	}, true,
}, {
	"a replacement that runs out of time leaves what it made",
	func(d deployed) bool {
		return (d.metFault(HangAtStep) || d.overwrites && d.metFault(OutOfTimeAfter)) && !d.calledCreated()
	}, true,
}}

// metFault reports whether one of these faults happened to the request.
func (d deployed) metFault(kinds ...FaultKind) bool {
	return d.x.faultHappened && slices.Contains(kinds, d.x.fault.Kind)
}

// calledCreated reports whether Create has called Created.
func (d deployed) calledCreated() bool {
	return slices.ContainsFunc(d.x.calls(), func(c Call) bool { return c.Created != "" })
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
func (j *historyRun) findLimit(left []string) string {
	for _, d := range slices.Backward(j.deployed) {
		if slices.Contains(d.existedBefore, left[0]) {
			continue
		}
		i := slices.IndexFunc(limits, func(l limit) bool { return d.replaces && l.holds(d) })
		if i < 0 || len(left) > 1 || slices.Contains(j.ownIDs[d.ownIDsBefore:], left[0]) {
			return ""
		}
		return limits[i].name
	}
	return ""
}
