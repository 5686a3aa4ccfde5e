package history

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A limit is harm that no handler can prevent. Its name is that in docs/rough_edges.md.
type limit struct {
	name string
	// holds reports whether a deployment meets it.
	holds func(d Deployed) bool
	// neither is set if it is one of handlers of that kind, in a Create; else it is one of
	// replacements.
	neither bool
	// once is set if the limit applies only to the first of the steps at which it holds. At a later
	// step the handler had the service's reply, and could have called Created.
	once bool
}

// Deployed is a deployment in a history, and its first request.
type Deployed struct {
	Op         Operation
	Replaces   bool // it is, or may be, of another identity than what there is
	Overwrites bool // Create puts over what is there, and cannot call Created
	Neither    bool // nothing leads from an event to what the handler makes
	Request    simulate.Request
}

// limits are about what a replacement leaves, and about the kind "neither". An Update that failed
// is answered with the old physical ID, as AWS documents, so no later request names the new one.
var limits = []limit{{
	name: "a replacement that is cancelled leaves its new resource",
	holds: func(d Deployed) bool {
		return d.Op.Variant == Cancelled || d.Overwrites && d.ended(simulate.EndsCancelled)
	},
}, {
	name: "a replacement whose process dies, or whose answer is lost, leaves its new resource",
	holds: func(d Deployed) bool {
		// A retry adopts it. What is adopted is not undone if the retry fails.
		return d.ended(simulate.EndsUnknown) || d.Op.What == Refused && d.ended(simulate.EndsFound)
	},
}, {
	name:  "a replacement that fails after its effect and before Created leaves its new resource",
	holds: func(d Deployed) bool { return d.ended(simulate.EndsFailed) && d.unnamed() }, once: true,
}, {
	name:  "a replacement that runs out of time leaves what it made",
	holds: func(d Deployed) bool { return d.ended(simulate.EndsOutOfTime) && d.unnamed() }, once: true,
}, {
	name: "what a Create made before it said Created is lost with its answer",
	holds: func(d Deployed) bool {
		return d.Op.Variant == Cancelled || d.ended(simulate.EndsUnknown) || d.ended(simulate.EndsCancelled) ||
			(d.ended(simulate.EndsFailed) || d.ended(simulate.EndsOutOfTime)) && d.unnamed()
	}, neither: true, once: true,
}, {
	name:  "a Create that is delivered again meets its own work, or makes another one",
	holds: func(d Deployed) bool { return d.ended(simulate.EndsWell) || d.ended(simulate.EndsFound) }, neither: true,
}}

// ended reports whether a fault ended the request in a way.
func (d Deployed) ended(end simulate.End) bool {
	return d.Request.FaultHit && d.Request.Fault.Kind.End() == end
}

// unnamed reports whether Create could not call Created: the fault came before, or it overwrites.
func (d Deployed) unnamed() bool {
	return (d.Overwrites || d.Request.Fault.Kind.AtStep()) &&
		!slices.ContainsFunc(d.Request.Calls(), func(c simulate.Call) bool { return c.Created != "" })
}

// LimitOf returns the name of the limit that excuses what a deployment left, or "".
func LimitOf(d Deployed) string {
	i := slices.IndexFunc(limits, func(l limit) bool {
		if l.neither {
			return d.Neither && d.Request.Type == "Create" && l.holds(d)
		}
		return d.Replaces && l.holds(d)
	})
	if i < 0 {
		return ""
	}
	return limits[i].name
}

// Limits returns the names of the limits of replacements, or of the kind "neither".
func Limits(neither bool) (names []string) {
	for _, l := range limits {
		if l.neither == neither {
			names = append(names, l.name)
		}
	}
	return names
}

// OneStepEarlier returns the history whose fault comes one step earlier, if the limit of
// that name applies only to the first of the steps at which it holds.
func (h History) OneStepEarlier(limitName string) (earlier History, ok bool) {
	op, at := h.faulty()
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == limitName })
	if i < 0 || !limits[i].once || at < 0 || op.Variant == Cancelled || op.Fault.Step < 2 {
		return nil, false
	}
	m := *op.Fault
	m.Step--
	earlier = slices.Clone(h)
	earlier[at].Fault = &m
	return earlier, true
}
