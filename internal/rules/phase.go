package rules

import "github.com/cfnresource/sdk-go/lifecycle"

// Phase is why an event came, as far as the rules care.
type Phase int

const (
	Untold     Phase = iota
	Forward          // the stack is created or updated
	Back             // the stack rolls back or is deleted, which sends such events
	GivenUp          // nobody waits for the event: the stack goes back, or has gone
	NotAwaited       // nobody waits for the event, and what it made may be in use
)

// phases are the lifecycle's, as the rules see them.
var phases = map[lifecycle.Phase]Phase{
	lifecycle.PhaseUnknown:               Untold,
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

// began returns why the event came. It asks once.
func (e *event) began() Phase {
	if !e.asked {
		e.start, e.asked = e.do.Phase(""), true
	}
	return e.start
}
