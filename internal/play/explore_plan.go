package play

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A historyResult is the result of playing a history.
type historyResult struct {
	history  history
	status   string        // the stack's after the last operation; "" before the first
	version  string        // of the settled template; "" if there is none
	requests []faultPoints // of the last operation

	waited           bool // for an answer that nobody gave, though none was lost
	createOverwrites bool // the first Create was delivered twice, and put over what was there

	found   *finding // nil if it did no harm
	limit   string   // the name of the limit that excuses its harm
	excused *finding // that harm
	story   string   // if it is to be told
}

// faultPoints are the points of a request at which a fault can happen.
type faultPoints struct {
	steps int  // how many Steps its first invocation reached
	waits bool // it would take further invocations if a Poll waited long enough
}

// explored are the kinds of faults that happen to single requests.
var explored = slices.DeleteFunc(simulate.Kinds(), func(k simulate.FaultKind) bool { return k == simulate.CancelWhileRunning })

// extended returns the histories extended by each possible operation.
func extended(all []*historyResult, c *Contract) (out []history) {
	for _, p := range all {
		if p.limit != "" {
			continue
		}
		for _, op := range p.nextOperations(c) {
			out = append(out, append(slices.Clip(p.history), op))
		}
	}
	return out
}

// nextOperations returns the operations that CloudFormation accepts after a history,
// except those that would change nothing.
func (r *historyResult) nextOperations(c *Contract) (ops []operation) {
	deploy := func(version string, variants ...string) {
		if c.version(version) == nil {
			return
		}
		for _, variant := range variants {
			if variant == cancelled && c.RealTime {
				continue // the order of events would depend on chance
			}
			ops = append(ops, operation{what: version, variant: variant})
		}
	}
	switch r.status {
	case "":
		deploy(original, noVariant, siblingFails, cancelled, rollbackDisabled)
		deploy(refused, noVariant)
	case "DELETE_COMPLETE": // another stack, of the same name
		deploy(original, noVariant)
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE":
		for _, v := range []string{inPlace, replacing, original} {
			switch {
			case v == r.version:
			case sameIdentity(v, r.version):
				deploy(v, noVariant, siblingFails, cancelled, rollbackDisabled)
			default:
				deploy(v, noVariant, siblingFails, cancelled)
			}
		}
		deploy(refused, noVariant)
		ops = append(ops, operation{what: remove})
	case "CREATE_FAILED", "UPDATE_FAILED": // with DisableRollback
		ops = append(ops, operation{what: rollback})
		for _, v := range []string{original, inPlace, replacing} {
			if sameIdentity(v, r.lastDeployed()) {
				deploy(v, noVariant)
			}
		}
		ops = append(ops, operation{what: remove})
	case "ROLLBACK_COMPLETE":
		ops = append(ops, operation{what: remove})
	}
	return ops
}

// lastDeployed returns the version that was deployed last.
func (r *historyResult) lastDeployed() string {
	for _, op := range slices.Backward(r.history) {
		if op.deploys() {
			return op.what
		}
	}
	return ""
}

// withFaults returns the histories with each fault at each request of the last
// operation.
func withFaults(all []*historyResult, kinds []simulate.FaultKind) (out []history) {
	for _, p := range all {
		last := len(p.history) - 1
		for _, m := range plannedFaults(p.requests, kinds) {
			if p.history[last].variant == cancelled && (m.request == 1 || m.kind == simulate.Twice) {
				continue // the cancellation already affects this request
			}
			h := slices.Clone(p.history)
			h[last].fault = &m
			out = append(out, h)
		}
	}
	return out
}

// plannedFaults returns all faults that can happen to requests.
func plannedFaults(requests []faultPoints, kinds []simulate.FaultKind) (all []plannedFault) {
	for i, r := range requests {
		for _, k := range kinds {
			switch {
			case k.InChain() && !r.waits:
			case !k.AtStep():
				all = append(all, plannedFault{kind: k, request: i + 1})
			default:
				for step := range r.steps {
					all = append(all, plannedFault{kind: k, request: i + 1, step: step + 1})
				}
			}
		}
	}
	return all
}

// version returns the properties of a version, or nil.
func (c *Contract) version(word string) any {
	switch word {
	case original:
		return c.Properties
	case inPlace:
		return c.InPlace
	case replacing:
		return c.Replacing
	case refused:
		return c.Refused
	}
	return nil
}

// sameIdentity reports whether two versions are one physical resource.
func sameIdentity(v, w string) bool { return (v == replacing) == (w == replacing) }
