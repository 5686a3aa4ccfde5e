package play

// Judges the requests of an operation, one after the other. explore_settled.go judges what they lead to.

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// harm records the first harm that a history does. Harm that is in answers alone does not end the history, and counts if it
// does no other: of that it records the first of each kind.
func (h *historyRun) harm(what harm, at operation, format string, args ...any) {
	if check, isInAnswers := inAnswers[what]; isInAnswers {
		isKnown := slices.ContainsFunc(h.inAnswers, func(f *finding) bool { return f.harm == what })
		switch {
		case isKnown, h.c.Skip[check] != "":
		default:
			h.inAnswers = append(h.inAnswers, h.finding(what, at, fmt.Sprintf(format, args...)))
		}
		return
	}

	// Only the first counts: what follows may come of it.
	switch {
	case h.found != nil:
		return
	case what == unplayable:
	case h.runsBefore(): // so nothing is the handler's
		if what = wrongBefore; h.changed() { // which it need not know how to make
			what = unplayable
		}
	}
	h.found = h.finding(what, at, fmt.Sprintf(format, args...))
}

// runsBefore reports whether the program before still runs.
func (h *historyRun) runsBefore() bool { return h.History.has(before) && !h.over.Load() }

// finding returns what is told of a harm.
func (h *historyRun) finding(what harm, at operation, detail string) *finding {
	mayBeRight := lastStopped(h.stack.Requests()).Text(h.c.timeout())
	if mayBeRight != "" {
		detail += "\n" + mayBeRight + "."
	}
	f := &finding{assume: h.o.Assume, history: h.History, harm: what, at: at, detail: detail, story: h.stack.Story()}
	f.helps, f.caused = h.helpWith(what, at, mayBeRight != "")
	if h.how.log != nil {
		f.log = h.how.log.Last(h)
	}
	if h.o.HTML != "" {
		f.page = pageOf(h.stack)
	}
	return f
}

// judgeRequests judges the requests that have ended since it was last called. It returns the points
// of each at which a fault can happen. n is how many requests of the operation were judged before.
func (h *historyRun) judgeRequests(op operation, n int) (points []faultPoints) {
	requests := h.stack.Requests()[h.judgedRequests:] // nothing runs any more
	h.judgedRequests += len(requests)
	for _, r := range requests {
		// Another resource's only has to go well.
		if r.LogicalID != theResource {
			if !h.judgeBesideMade(op, r) {
				h.judgeRequest(op, r, false)
			}
			continue
		}

		// The deployment, which excuses what it leaves if it met a limit.
		points = append(points, faultPoints{Steps: r.FirstSteps(), Polls: r.Polls(), Waits: r.Waits() && !h.c.RealTime, Fails: r.Fails()})
		isDeployment := n+len(points) == 1 && op.deploys()
		if isDeployment {
			if createOverwrites(r.Calls()) {
				h.createOverwrites = true
			}
			h.deployed = append(h.deployed, pastDeployment{
				limitCase: limitCase{
					Op:         op,
					Replaces:   h.mayReplace(op),
					Overwrites: h.learned.overwrites,
					Neither:    h.c.Neither,
					Request:    r,
				},
				existedBefore: h.existedBefore,
				ownIDsBefore:  len(h.ownIDs),
			})
		}

		// What was said in it, and its end.
		h.judgeAnswers(op, r)
		switch {
		case !isDeployment:
			h.judgeRequest(op, r, false)
		case h.mayBeRefusal(op, r):
			h.judgeRefusal(op, r)
		default:
			h.judgeRequest(op, r, op.What == refused)
		}
	}
	return points
}

// mayReplace reports whether a deployment may give the resource another physical ID.
func (h *historyRun) mayReplace(op operation) bool {
	switch {
	case h.Version == "": // there is none yet
		return false
	case op.What == refused, h.changed(): // of which it is not known
		return true
	}
	return !sameIdentity(op.What, h.Version)
}

// mayBeRefusal reports whether a request may have failed because its properties are invalid.
func (h *historyRun) mayBeRefusal(op operation, r simulate.Request) bool {
	switch {
	case r.Outcome != string(engine.Failed):
		return false
	case h.isOfBefore(h.Version, op.What):
		return true
	}
	return h.changed() && !r.FaultHit
}

// judgeRefusal judges a request that failed for properties that may be invalid: they are not if a Create accepts them.
func (h *historyRun) judgeRefusal(op operation, r simulate.Request) {
	h.refusal = refusalOf(op, r)
	if h.how.learns {
		h.taught.refused[op.What] = h.refusal.code != cfnresource.CodeServiceLimitExceeded
	}
	switch r.Type {
	case "Create":
		if saysNothing := !h.refusal.says(); saysNothing && kindOf(op.What).less {
			h.harm(failsWithoutCause, op, "The Create %s, though its properties hold nothing beside those of a Create that succeeds.", failureText(r))
		}
	case "Update":
		isValid := h.changed() && h.learned.want[op.What] != nil
		switch {
		case h.refusal.ofUpdate(), h.refusal.code == cfnresource.CodeAlreadyExists: // which no Create meets
		case isValid:
			h.harm(failsWithoutCause, op, "The Update %s, but a Create of the same properties succeeds.", failureText(r))
		}
	}
}

// judgeRequest judges a request: one that failed needs a cause. refuses says that its
// properties are those of Contract.Refused.
func (h *historyRun) judgeRequest(op operation, r simulate.Request, refuses bool) {
	ok := r.Outcome == string(engine.Succeeded)
	waited := r.Outcome == string(engine.TimedOut) && !slices.Contains(losesAnswer, r.Fault.Kind)
	if waited {
		h.waited = true
	}
	excused := h.mayFail(op, r)
	if name := abandoned(r); name != "" {
		h.harm(neverReturns, op, "The handler's %s was still running when the %s had been answered.", name, r.Type)
	}
	switch {
	case r.Outcome == string(engine.Cancelled):
	case h.isToNotUpdatable(op, r):
		h.judgeNotUpdatable(op, r)

	// What CloudFormation was told.
	case refuses && simulate.RanOut(r.Deliveries):
		h.ranOut = true
	case ok && refuses:
		h.harm(notRefused, op, "The %s of Contract.Refused was answered SUCCESS.", r.Type)
	case waited:
		h.harm(badAnswer, op, "The %s was never answered.", r.Type)
	case ok:
		h.judgeDeliveries(op, r)
		if r.Type == "Delete" && h.usedBy == uses {
			h.emptied = true
		}

	// It failed, and needs a cause.
	case refuses, excused:
	case r.Type == "Delete":
		h.judgeFailedDelete(op, r)
	case r.CutOff():
		h.harm(cutOff, op, "The %s waits in a Poll until its invocation ends, and fails.", r.Type)
	case op.What == again && r.Type == "Update":
		h.harm(failsWithoutCause, op, "The Update %s, though the properties are those that the resource has.", failureText(r))
	default:
		h.harm(failsWithoutCause, op, "The %s %s.", r.Type, failureText(r))
	}
}

// losesAnswer are the faults because of which CloudFormation gets no answer, whatever the handler does.
var losesAnswer = []fault.Kind{fault.LoseAnswer, fault.NeverDelivered}

// isMadeToFail reports whether a request has met a fault with which it need not succeed.
func isMadeToFail(r simulate.Request) bool { return r.FaultHit && !cured(r.Fault.Kind) }

// judgeFailedDelete judges a Delete that fails without another cause than what others have put into the resource, which it
// may refuse to remove.
func (h *historyRun) judgeFailedDelete(op operation, r simulate.Request) {
	switch {
	case h.usedBy == usesMuch && h.learned.empties:
		h.harm(deleteFails, op, "A Delete %s, but the same Delete succeeds when users have put less into the resource.", failureText(r))
	case h.used == "":
		h.harm(deleteFails, op, "A Delete %s.", failureText(r))
	}
}

// mayFail reports whether a request may fail: because of its fault, or though nothing has gone wrong with it. CloudFormation
// sends no such properties, it is of another program's thing, somebody has removed the thing or has the name, it has a twin, or the service
// takes long.
func (h *historyRun) mayFail(op operation, r simulate.Request) bool {
	isHeldUp := r.Type != "Delete" && h.isHeld()
	switch {
	case isMadeToFail(r), r.GaveUp():
		return true
	case op.isHeld() && r.Outcome != string(engine.Succeeded): // a handler may give up before the service has time for it
		h.gaveUp = true
		h.unseen = fmt.Sprintf("two %ss at once, one of which takes long at a step, do not both succeed, so this check cannot see whether one overwrites the other", r.Type)
		return true
	case op.Variant == native, h.isForeign(), isHeldUp:
		return true
	case h.twins.first && r.Type == "Update": // a search for what the resource was finds the twin
		return true
	}
	return h.gone && r.Type == "Update"
}

// isToNotUpdatable reports whether a request is an Update to Contract.NotUpdatable, and not one back from there.
func (h *historyRun) isToNotUpdatable(op operation, r simulate.Request) bool {
	switch {
	case op.What != notUpdatable, r.Type != "Update":
		return false
	}
	return reflect.DeepEqual(r.Properties(), h.c.properties(notUpdatable))
}

// judgeNotUpdatable judges an Update that cannot be made in place.
func (h *historyRun) judgeNotUpdatable(op operation, r simulate.Request) {
	said := slices.ContainsFunc(r.Calls(), func(c simulate.Call) bool { return c.Code == string(cfnresource.CodeNotUpdatable) })
	switch {
	case r.Outcome == string(engine.Succeeded):
		h.harm(takesNotUpdatable, op, "The Update to Contract.NotUpdatable was answered SUCCESS.")
	case !said:
		h.harm(takesNotUpdatable, op, "The Update to Contract.NotUpdatable fails, but not with CodeNotUpdatable.")
	}
}

// judgeDeliveries judges the answers to an event that was delivered more than once, of which CloudFormation has
// read one that is SUCCESS.
func (h *historyRun) judgeDeliveries(op operation, r simulate.Request) {
	makesTwo := h.c.Neither && r.Type == "Create"
	read := r.Response()
	switch {
	case len(r.Deliveries) < 2, makesTwo, isMadeToFail(r), read == nil:
		return
	}

	// CloudFormation goes by the answer that it has read, and another one may be read the next time.
	refused := map[string]harm{"Create": answersDiffer, "Update": failsWithoutCause, "Delete": deleteFails}[r.Type]
	for _, d := range r.Deliveries {
		switch a := d.Response; {
		case a == nil:
		case a.Status != read.Status:
			h.harm(refused, op, "One delivery of the %s is answered SUCCESS, and another FAILED (%s).", r.Type, a.Reason)
		case a.PhysicalResourceID != read.PhysicalResourceID:
			h.harm(answersDiffer, op, "One delivery of the %s is answered with the ID %s, and another with %s.", r.Type, read.PhysicalResourceID, a.PhysicalResourceID)
		default:
			h.judgeTwoData(op, "two deliveries of the "+r.Type, read.Data, a.Data)
		}
	}
}
