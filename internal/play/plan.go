package play

import (
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A playedHistory is a history that was played, and what it shows about histories that begin with it.
type playedHistory struct {
	History  history
	Reached  situation     // to which its operations led
	Requests []faultPoints // of the last operation
	Limit    string        // the name of the limit that excuses its harm
}

// faultPoints are the points of a request at which a fault can happen.
type faultPoints struct {
	Steps int  // how many Steps its first invocation reached
	Polls bool // a method waits in a Poll
	Waits bool // it would take further invocations if a Poll waited long enough
	Fails bool // no method does its work
}

// The kinds of faults that happen to single requests, and those of them that Explore plays: a Create need not survive a
// busy service, a Delete that no process gets removes nothing, and a Step that takes long does nothing to a stack's one resource.
var (
	requestFaults  = slices.DeleteFunc(simulate.Kinds(), func(k fault.Kind) bool { return k == fault.CancelWhileRunning })
	exploredFaults = slices.DeleteFunc(slices.Clone(requestFaults), func(k fault.Kind) bool {
		return slices.Contains([]fault.Kind{fault.ThrottleAtStep, fault.HeldAtStep, fault.NeverDelivered}, k)
	})
)

// extended returns the histories extended by each operation that CloudFormation accepts.
// can reports whether a version can be deployed in a variant. A history that met a limit
// is not extended.
func extended(all []*playedHistory, can func(version, variant string) bool) (out []history) {
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

// withFaults returns the histories with each fault at each request of the last operation.
func withFaults(all []*playedHistory, kinds []fault.Kind) (out []history) {
	for _, p := range all {
		last := len(p.History) - 1
		if last > 0 && p.History[last-1].What == before {
			continue // nothing goes wrong in the program before
		}
		isCancelled := p.History[last].Variant == cancelled
		for _, m := range plannedFaults(p.Requests, kinds) {
			affects := m.Request == 1 || m.Kind == fault.Twice
			if isCancelled && affects {
				continue // the cancellation already does
			}
			h := slices.Clone(p.History)
			h[last].Fault = &m
			out = append(out, h)
		}
	}
	return out
}

// plannedFaults returns all faults that can happen to requests.
func plannedFaults(requests []faultPoints, kinds []fault.Kind) (all []plannedFault) {
	for i, r := range requests {
		for _, k := range kinds {
			switch {
			case !r.takes(k):
			case !simulate.AtStep(k):
				all = append(all, plannedFault{Kind: k, Request: i + 1})
			default:
				for step := range r.Steps {
					all = append(all, plannedFault{Kind: k, Request: i + 1, Step: step + 1})
				}
			}
		}
	}
	return all
}

// takes reports whether a fault of a kind can happen to a request.
func (r faultPoints) takes(k fault.Kind) bool {
	for _, place := range []struct {
		of  func(fault.Kind) bool
		has bool
	}{
		{simulate.InChain, r.Waits},
		{simulate.InPoll, r.Polls},
		{simulate.InStep, r.Steps > 0},
		{simulate.AfterWork, !r.Fails},
	} {
		if place.of(k) && !place.has {
			return false
		}
	}
	return true
}

// A situation is the result of a history, as far as it can be seen: what
// CloudFormation knows of the resource, and the things in the service.
type situation struct {
	Status   lifecycle.StackStatus // of the stack
	Version  string                // of its settled template
	Resource string                // the resource's status
	Sent     map[string]any        // the properties that CloudFormation holds of it
	Named    bool                  // it has a physical ID
	State    any                   // of what is under that
	Others   []any                 // the States of all other things
	Before   bool                  // the program before has made it
	Gone     int                   // how many IDs came up under which nothing exists
}

// situationOf returns the situation of a stack with a resource. version is that of the
// settled template, there are the IDs of all existing things, and state may be nil.
func situationOf(stack *simulate.Stack, logicalID, version string, there []string, state func(id string) any) situation {
	s := situation{Status: stack.Status(), Version: version, Gone: len(stack.SeenIDs()) - len(there)}
	s.Resource, s.Sent = stack.Sent(logicalID)
	id := stack.PhysicalID(logicalID)
	s.Named = id != ""
	// A thing counts by what it is, not by its ID, which differs each time.
	for _, other := range there {
		var what any
		if state != nil {
			what = state(other)
		}
		if other == id {
			s.State = what
		} else {
			s.Others = append(s.Others, what)
		}
	}
	return s
}

// situations are those to which the played histories have led.
type situations struct{ reached []situation }

// split returns, of histories that were played, the first that led to each new situation, and the
// others: whatever can follow those has been played in an equal situation.
func (s *situations) split(all []*playedHistory) (first, again []*playedHistory) {
	for _, p := range all {
		switch {
		case p.Limit != "": // nothing follows
		case slices.ContainsFunc(s.reached, func(k situation) bool { return reflect.DeepEqual(k, p.Reached) }):
			again = append(again, p)
		default:
			s.reached = append(s.reached, p.Reached)
			first = append(first, p)
		}
	}
	return first, again
}

// nextOperations returns the operations that CloudFormation accepts after a history,
// except those that would change nothing.
func (p *playedHistory) nextOperations(can func(version, variant string) bool) (ops []operation) {
	deploy := func(version string, variants ...string) {
		for _, variant := range variants {
			if can(version, variant) {
				ops = append(ops, operation{What: version, Variant: variant})
			}
		}
	}

	// By the status at which the stack is at rest.
	switch p.Reached.Status {
	case lifecycle.StackNone:
		if p.Reached.Before {
			deploy(original, noVariant)
			break
		}
		deploy(original, noVariant, siblingFails, cancelled, rollbackDisabled)
		deploy(refused, noVariant)
	case lifecycle.StackDeleteComplete: // another stack, of the same name
		deploy(original, noVariant)
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete, lifecycle.StackUpdateRollbackComplete:
		for _, v := range []string{inPlace, replacing, original} {
			switch {
			case v == p.Reached.Version:
			case sameIdentity(v, p.Reached.Version):
				deploy(v, noVariant, siblingFails, cancelled, rollbackDisabled)
			default:
				deploy(v, noVariant, siblingFails, cancelled)
			}
		}
		deploy(refused, noVariant)
		ops = append(ops, operation{What: deletesStack})
	case lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed: // with DisableRollback
		ops = append(ops, operation{What: rollsBack})
		for _, v := range []string{original, inPlace, replacing} {
			if sameIdentity(v, p.lastDeployed()) {
				deploy(v, noVariant)
			}
		}
		ops = append(ops, operation{What: deletesStack})
	case lifecycle.StackRollbackComplete:
		ops = append(ops, operation{What: deletesStack})
	}
	return ops
}

// lastDeployed returns the version that was deployed last.
func (p *playedHistory) lastDeployed() string {
	for _, op := range slices.Backward(p.History) {
		if op.deploys() {
			return op.What
		}
	}
	return ""
}

// canDeploy reports whether a version can be deployed in a variant.
func (c *Contract) canDeploy(version, variant string) bool {
	if c.RealTime && variant == cancelled {
		return false // the order of events would depend on chance
	}
	return c.version(version) != nil
}
