package rules

import "github.com/cfnresource/sdk-go/lifecycle"

// Phase is why an event came, as far as the rules care.
type Phase int

const (
	PhaseUnknown Phase = iota
	Forward            // the stack is created or updated
	Back               // the stack rolls back or is deleted, and sent the event for that
	GivenUp            // CloudFormation no longer waits: the stack rolls back, or is gone
	NotAwaited         // CloudFormation no longer waits, and what the event made may be in use
)

// phases are the lifecycle's, as the rules see them.
var phases = map[lifecycle.Phase]Phase{
	lifecycle.PhaseUnknown:               PhaseUnknown,
	lifecycle.PhaseCreating:              Forward,
	lifecycle.PhaseUpdating:              Forward,
	lifecycle.PhaseReplacementCleanup:    Forward,
	lifecycle.PhaseRemoval:               Forward,
	lifecycle.PhaseCreateRollback:        Back,
	lifecycle.PhaseUpdateRollback:        Back,
	lifecycle.PhaseUpdateRollbackCleanup: Back,
	lifecycle.PhaseDeleting:              Back,
	lifecycle.PhaseGivenUp:               GivenUp,
	lifecycle.PhaseNotAwaited:            NotAwaited,
}

// PhaseOf returns what p means for the rules.
func PhaseOf(p lifecycle.Phase) Phase { return phases[p] }

func (p Phase) awaited() bool { return p != GivenUp && p != NotAwaited }

// A phaseChange is the phase in which an event came, and the phase now.
type phaseChange struct{ start, now Phase }

// staleStarts are the changes that no stack makes: what is given up is not awaited again, and no
// operation that began before the event turns forward. There DescribeStacks was late at first, and
// the later answer says why the event came. An Update that is not awaited and then belongs to a
// rollback may also have been sent forward, a few seconds before the stack turned: nothing tells.
var staleStarts = map[phaseChange]bool{
	{Back, Forward}:       true,
	{GivenUp, Forward}:    true,
	{GivenUp, Back}:       true,
	{NotAwaited, Forward}: true,
	{NotAwaited, Back}:    true,
}

// Stale reports whether the phase now is why the event came, and start was late.
func Stale(start, now Phase) bool { return staleStarts[phaseChange{start, now}] }

// phase returns why the event came. A young event that seems not to be awaited asks
// again: the stack may show late what it does.
func (e *event) phase() Phase {
	if !e.phaseAsked {
		e.phaseAsked = true
		for !e.effects.Phase().awaited() && !e.Late && e.effects.Wait(NextAnswer) {
			e.effects.PhaseNow("")
		}
	}
	return e.effects.Phase()
}

// startPhase returns why the event came, or PhaseUnknown if nothing has asked.
func (e *event) startPhase() Phase {
	if !e.phaseAsked {
		return PhaseUnknown
	}
	return e.effects.Phase()
}
