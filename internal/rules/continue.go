package rules

// A Chain is what one invocation tells the next, where an event takes longer than one invocation.
type Chain struct {
	Links     int    // how many invocations were before this one; 0 in an event of CloudFormation's
	CreatedID string // the ID that they passed to Created, or ""; never one that they adopted
}

// A chainStep is what an invocation of a chain may do.
type chainStep int

const (
	chainStops     chainStep = iota // the stack has rolled back, or has gone on without the event
	chainEndsHere                   // it handles the event and answers: it is not known whether CloudFormation still waits
	chainContinues                  // it handles the event, and another invocation may follow
)

// chainSteps says how a chain goes on. A stack sends such requests forward and in a rollback. A
// rollback overtakes a request that was sent forward, and not one that it sent itself.
var chainSteps = map[phaseChange]chainStep{
	{Forward, Forward}:      chainContinues,
	{Forward, PhaseUnknown}: chainEndsHere,

	{Back, Back}:         chainContinues,
	{Back, PhaseUnknown}: chainEndsHere,

	{PhaseUnknown, PhaseUnknown}: chainEndsHere,
	{PhaseUnknown, Forward}:      chainEndsHere,
	{PhaseUnknown, Back}:         chainEndsHere,
}

const phaseUnknownReason = ". No other invocation continues it, since it is not known why the request came: may the function call DescribeStacks?"

// Overtaken reports whether CloudFormation, in the phase now, has stopped waiting
// for an event that came in the phase start.
func Overtaken(start, now Phase) bool { return chainSteps[phaseChange{start, now}] == chainStops }

// awaited reports whether CloudFormation waits for the event, and the phase now. It
// asks only late events, chains, and functions that can continue. For a chain that
// made something, it asks with that ID.
func (e *event) awaited() (now Phase, yes bool) {
	switch {
	case e.Chain.Links > 0:
		now = e.effects.PhaseNow(e.Chain.CreatedID)
		return now, !e.Expired && !Overtaken(e.startPhase(), now)
	case e.Late || e.Continues:
		now = e.phase()
		return now, now.awaited()
	default:
		return PhaseUnknown, true
	}
}

// notAwaited ends an event that CloudFormation does not wait for.
func (e *event) notAwaited(now Phase) result {
	if e.Chain.CreatedID == "" {
		return givenUp()
	}
	return e.compensate(e.Chain.CreatedID, overtakenReason, now)
}

// continueChain hands an event whose call only waits to the next invocation, if one is allowed.
func (e *event) continueChain(r result) result {
	now := e.effects.PhaseNow(e.Chain.CreatedID)
	switch chainSteps[phaseChange{e.startPhase(), now}] {
	case chainStops:
		if r.reason = overtakenReason; e.Chain.CreatedID != "" {
			return e.compensate(e.Chain.CreatedID, r.reason, now)
		}
	case chainEndsHere:
		r.reason += phaseUnknownReason
	case chainContinues:
		o := e.effects.Continue(Chain{Links: e.Chain.Links + 1, CreatedID: e.Chain.CreatedID})
		if o.End != Failed {
			return result{continued: true, reason: o.Reason}
		}
		r.reason += ". " + o.Reason
	}
	return e.chainFailed(r, now)
}

// chainFailed ends an event that failed after an earlier invocation made something.
func (e *event) chainFailed(r result, now Phase) result {
	if e.Chain.CreatedID != "" && e.replaces() {
		return e.compensate(e.Chain.CreatedID, r.reason, now)
	}
	return r
}
