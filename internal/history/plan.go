package history

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Played is what a history that was played says of those that begin with it.
type Played struct {
	History   History
	Situation               // to which its operations led
	Requests  []FaultPoints // of the last operation
	Limit     string        // the name of the limit that excuses its harm
}

// FaultPoints are the points of a request at which a fault can happen.
type FaultPoints struct {
	Steps int  // how many Steps its first invocation reached
	Polls bool // a method waits in a Poll
	Waits bool // it would take further invocations if a Poll waited long enough
}

// Faults are the kinds of faults that happen to single requests.
var Faults = slices.DeleteFunc(simulate.Kinds(), func(k simulate.FaultKind) bool { return k == simulate.CancelWhileRunning })

// Extended returns the histories extended by each operation that CloudFormation accepts.
// can reports whether a version can be deployed in a variant. A history that met a limit
// is not extended.
func Extended(all []*Played, can func(version, variant string) bool) (out []History) {
	for _, p := range all {
		if p.Limit != "" {
			continue
		}
		for _, op := range p.nextOperations(can) {
			out = append(out, append(slices.Clip(p.History), op))
		}
	}
	return out
}

// nextOperations returns the operations that CloudFormation accepts after a history,
// except those that would change nothing.
func (p *Played) nextOperations(can func(version, variant string) bool) (ops []Operation) {
	deploy := func(version string, variants ...string) {
		for _, variant := range variants {
			if can(version, variant) {
				ops = append(ops, Operation{What: version, Variant: variant})
			}
		}
	}
	switch p.Status {
	case "":
		deploy(Original, noVariant, SiblingFails, Cancelled, RollbackDisabled)
		deploy(Refused, noVariant)
	case "DELETE_COMPLETE": // another stack, of the same name
		deploy(Original, noVariant)
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE":
		for _, v := range []string{InPlace, Replacing, Original} {
			switch {
			case v == p.Version:
			case SameIdentity(v, p.Version):
				deploy(v, noVariant, SiblingFails, Cancelled, RollbackDisabled)
			default:
				deploy(v, noVariant, SiblingFails, Cancelled)
			}
		}
		deploy(Refused, noVariant)
		ops = append(ops, Operation{What: Delete})
	case "CREATE_FAILED", "UPDATE_FAILED": // with DisableRollback
		ops = append(ops, Operation{What: Rollback})
		for _, v := range []string{Original, InPlace, Replacing} {
			if SameIdentity(v, p.lastDeployed()) {
				deploy(v, noVariant)
			}
		}
		ops = append(ops, Operation{What: Delete})
	case "ROLLBACK_COMPLETE":
		ops = append(ops, Operation{What: Delete})
	}
	return ops
}

// lastDeployed returns the version that was deployed last.
func (p *Played) lastDeployed() string {
	for _, op := range slices.Backward(p.History) {
		if op.Deploys() {
			return op.What
		}
	}
	return ""
}

// WithFaults returns the histories with each fault at each request of the last operation.
func WithFaults(all []*Played, kinds []simulate.FaultKind) (out []History) {
	for _, p := range all {
		last := len(p.History) - 1
		for _, m := range plannedFaults(p.Requests, kinds) {
			if p.History[last].Variant == Cancelled && (m.Request == 1 || m.Kind == simulate.Twice) {
				continue // the cancellation already affects this request
			}
			h := slices.Clone(p.History)
			h[last].Fault = &m
			out = append(out, h)
		}
	}
	return out
}

// plannedFaults returns all faults that can happen to requests.
func plannedFaults(requests []FaultPoints, kinds []simulate.FaultKind) (all []Fault) {
	for i, r := range requests {
		for _, k := range kinds {
			switch {
			case k.InChain() && !r.Waits, k.InPoll() && !r.Polls:
			case !k.AtStep():
				all = append(all, Fault{Kind: k, Request: i + 1})
			default:
				for step := range r.Steps {
					all = append(all, Fault{Kind: k, Request: i + 1, Step: step + 1})
				}
			}
		}
	}
	return all
}

// SameIdentity reports whether two versions are one physical resource.
func SameIdentity(v, w string) bool { return (v == Replacing) == (w == Replacing) }
