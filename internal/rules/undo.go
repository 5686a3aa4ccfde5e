package rules

// An undoRule says how long the deletion of what this event made is retried, and what
// is left if it fails.
type undoRule struct {
	until    Moment
	leftover Leftover
}

// undoRules says what may be undone of a Create or replacement that failed or was given up. While
// the operation goes on, or goes back, nobody else can have taken over what it made. Where that is
// not known, a later deployment may have. Without a row nothing is undone: a leak is better than
// the loss of what is in use. So an event that came in a rollback undoes nothing, since its Create
// may have met what was in use before.
var undoRules = map[phaseChange]undoRule{
	{Forward, Forward}:      {NextTry, Made},
	{Forward, Back}:         {NextTry, Abandoned},
	{Forward, GivenUp}:      {NextUndo, Abandoned},
	{Forward, PhaseUnknown}: {NextUndo, Made},

	{PhaseUnknown, PhaseUnknown}: {NextUndo, Made},
	{PhaseUnknown, Forward}:      {NextUndo, Made},
	{PhaseUnknown, GivenUp}:      {NextUndo, Abandoned},
}

// undo deletes what this event made, if and as long as that is allowed. Another delivery of a
// replacement may have been answered with it, which the stack shows only after a while.
func (e *event) undo(id string, now Phase) (Leftover, Outcome) {
	for first := true; ; first = false {
		row, ok := undoRules[phaseChange{e.startPhase(), now}]
		if !ok {
			return Abandoned, Outcome{Reason: "it may be in use by now"}
		}
		known := now != PhaseUnknown || e.startPhase() != PhaseUnknown // a question may fail once
		if first && known && e.replaces() && e.effects.Wait(OtherAnswers) {
			now = e.effects.PhaseNow(id)
			continue
		}
		o := e.effects.Delete(id, true)
		switch {
		case o.End == Done || o.End == NotFound:
			return Undone, Outcome{Reason: "is deleted again"}
		case o.End == Deleting: // the service has it in hand
			return Undone, Outcome{Reason: "is being deleted"}
		case o.End != Transient && o.End != Throttled, !e.effects.Wait(row.until):
			return row.leftover, o
		}
		now = e.effects.PhaseNow(id)
	}
}

// compensate undoes what this event, or its chain, made, since no later event may
// name it. why says what went wrong.
func (e *event) compensate(id, reason string, now Phase) result {
	left, undo := e.undo(id, now)
	reason += ". What was made "
	switch left {
	case Made: // the answer names it
		reason += "is left for the stack to delete: "
	case Abandoned:
		reason += "is left behind: "
	}
	return result{id: id, leftover: left, reason: reason + undo.Reason}
}
