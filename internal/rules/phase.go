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

// phase returns why the event came. It asks once.
func (e *event) phase() Phase {
	if !e.phaseAsked {
		e.startPhase, e.phaseAsked = e.effects.Phase(""), true
	}
	return e.startPhase
}
