package rules

// A Chain is what one invocation tells the next of an event whose handler only
// waits: work that is longer than an invocation.
type Chain struct {
	Links   int    // how many invocations were before this one; 0 in an event of CloudFormation's
	Created string // what they said Created, never what they adopted, or ""
	Began   Phase  // why the event came, as of the first invocation
}

// A course is what an invocation of a chain may do.
type course int

const (
	stops  course = iota // the stack has turned round, or has gone on without the event
	works                // and answers: nobody knows whether the next one would be awaited
	goesOn               // works, and is followed by another one
)

// courses says what becomes of a chain. The stack sends such requests in both
// directions, so one that began forward is overtaken by a stack that goes back,
// and one that began in a rollback is not.
var courses = map[turn]course{
	{Forward, Forward}: goesOn,
	{Forward, Untold}:  works,

	{Back, Back}:   goesOn,
	{Back, Untold}: works,

	{Untold, Untold}:  works,
	{Untold, Forward}: works,
	{Untold, Back}:    works,
}

const untold = ". It does not go on in another invocation, since it is not known why the request came: may the function ask CloudFormation?"

// Overtaken reports whether nobody waits any more, as of now, for an event that
// came in start.
func Overtaken(start, now Phase) bool { return courses[turn{start, now}] == stops }

// awaited reports whether somebody waits for the event, as far as that was worth
// asking, and the phase now. What made something is asked about with its ID.
func (e *event) awaited() (now Phase, yes bool) {
	switch {
	case e.Chain.Links > 0:
		now = e.do.Phase(e.Chain.Created)
		return now, !e.Expired && !Overtaken(e.start, now)
	case e.Late || e.Continues:
		now = e.began()
		return now, now.awaited()
	default:
		return Untold, true
	}
}

// stopped is the end of an event that nobody waits for.
func (e *event) stopped(now Phase) result {
	if e.Chain.Created == "" {
		return givenUp()
	}
	return e.takeBack(e.Chain.Created, overtaken, now)
}

// goOn goes on after a call that only waits: in the next invocation, if there may
// be one.
func (e *event) goOn(r result) result {
	now := e.do.Phase(e.Chain.Created)
	switch courses[turn{e.start, now}] {
	case stops:
		if r.why = overtaken; e.Chain.Created != "" {
			return e.takeBack(e.Chain.Created, r.why, now)
		}
	case works:
		r.why += untold
	case goesOn:
		o := e.do.Continue(Chain{Links: e.Chain.Links + 1, Created: e.Chain.Created, Began: e.start})
		if o.End != Failed {
			return result{later: true, why: o.Why}
		}
		r.why += ". " + o.Why
	}
	return e.failed(r, now)
}

// failed is the end of an event that failed after an invocation that made
// something.
func (e *event) failed(r result, now Phase) result {
	if e.Chain.Created != "" && e.replaces() {
		return e.takeBack(e.Chain.Created, r.why, now)
	}
	return r
}
