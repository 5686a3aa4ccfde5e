package rules

// A turn is the phase in which an event came, and the phase now.
type turn struct{ start, now Phase }

// An undoing says how long it may be tried to delete what this event made, and
// what is left if that does not succeed.
type undoing struct {
	until Moment
	left  Left
}

// undoings says what may be undone of a Create or replacement that failed or was
// given up. While the operation goes on, or goes back, nobody else can have
// taken over what it made. Where that is not known, a later deployment may have.
// In any other turn nothing is undone: a leak is better than the loss of what is
// in use. So an event that came in a rollback undoes nothing, since its Create
// may have met what was in use before.
var undoings = map[turn]undoing{
	{Forward, Forward}: {NextTry, Made},
	{Forward, Back}:    {NextTry, Abandoned},
	{Forward, GivenUp}: {NextUndo, Abandoned},
	{Forward, Untold}:  {NextUndo, Made},

	{Untold, Untold}:  {NextUndo, Made},
	{Untold, Forward}: {NextUndo, Made},
	{Untold, GivenUp}: {NextUndo, Abandoned},
}

// undo deletes what this event made, if that is allowed now, and as long as it
// is. It is the one compensation.
func (e *event) undo(id string, now Phase) (Left, Outcome) {
	for {
		row, ok := undoings[turn{e.start, now}]
		if !ok {
			return Abandoned, Outcome{Why: "it may be in use by now"}
		}
		o := e.do.Delete(id, true)
		switch {
		case o.End == Done || o.End == Gone:
			return Undone, Outcome{}
		case o.End != Passing && o.End != Throttled, !e.do.Wait(row.until):
			return row.left, o
		}
		now = e.do.Phase(id)
	}
}

// takeBack undoes what this event, or its chain, made: no later event may name
// it. why says what went wrong.
func (e *event) takeBack(id, why string, now Phase) result {
	left, undo := e.undo(id, now)
	if left == Undone {
		why += ". What was made is deleted again"
	} else {
		why += ". What was made is left behind: " + undo.Why
	}
	return result{id: id, left: left, why: why}
}
