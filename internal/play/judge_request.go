package play

// Judges the requests of an operation, one after the other. judge_settled.go judges what they lead to.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// judgeRequests judges the requests that have ended since it was last called. It returns the points
// of each at which a fault can happen. n is how many requests of the operation were judged before.
func (h *historyRun) judgeRequests(op operation, n int) (points []faultPoints) {
	requests := h.stack.RequestsFrom(h.judgedRequests) // nothing runs any more
	h.judgedRequests += len(requests)
	for _, r := range requests {
		h.judgePanic(op, r)
		// Another resource's only has to go well.
		if r.LogicalID != theResource {
			if isTold := h.judgeBesideMade(op, r); isTold {
				continue
			}
			h.judgeRequest(op, r, false)
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
	case op.What == refused, h.History.isChanged(): // of which it is not known
		return true
	}
	return !sameIdentity(op.What, h.Version)
}

// judgeRequest judges a request: one that failed needs a cause. refuses says that its
// properties are those of Contract.Refused.
func (h *historyRun) judgeRequest(op operation, r simulate.Request, refuses bool) {
	ok := r.Outcome == string(engine.Succeeded)
	waited := r.Outcome == string(engine.TimedOut) && lacks(losesAnswer, r.Fault.Kind)
	if waited {
		h.waited = true
	}
	// A method that is still at work does harm whatever the answer says.
	excused := h.mayFail(op, r)
	if name := abandoned(r); name != "" {
		h.record(neverReturns, op, "The handler's %s was still running when the %s had been answered.", name, r.Type)
	}
	switch {
	case r.Outcome == string(engine.Cancelled):
	case h.isToNotUpdatable(op, r):
		h.judgeNotUpdatable(op, r)

	// What CloudFormation was told.
	case refuses && simulate.RanOut(r.Deliveries):
		h.ranOut = true
	case ok && refuses:
		h.record(notRefused, op, "The %s of Contract.Refused was answered SUCCESS.", r.Type)
	case waited:
		h.record(badAnswer, op, "The %s was never answered.", r.Type)
	case ok:
		h.judgeDeliveries(op, r)
		if r.Type == "Delete" && h.usedBy == uses && !h.exists(r.PhysicalID) {
			h.emptied = true
		}

	// It failed, and needs a cause.
	case refuses, excused:
	case r.Type == "Delete":
		h.judgeFailedDelete(op, r)
	case r.CutOff():
		h.record(cutOff, op, "The %s waits in a Poll until its invocation ends, and fails.", r.Type)
	case op.What == again && r.Type == "Update":
		h.record(failsWithoutCause, op, "The Update %s, though the properties are those that the resource has.", failureText(r))
	case h.undoesRefused(r):
		h.record(failsWithoutCause, op, "The rollback's Update %s. The Update before it said NotUpdatable, so OldProperties need not have been applied: if Update compares Properties with OldProperties, compare them with the thing.", failureText(r))
	default:
		h.record(failsWithoutCause, op, "The %s %s.", r.Type, failureText(r))
	}
}

// judgePanic judges that no method panics, but for a fault: that is neither a refusal of properties nor an error.
func (h *historyRun) judgePanic(op operation, r simulate.Request) {
	if hitBy(r) == fault.PanicAfter {
		return
	}
	for _, c := range r.Calls() {
		if c.Panicked() {
			h.record(panics, op, "The handler's %s panicked, or ended its goroutine, in the %s.", c.Method, r.Type)
		}
	}
	// Of a panic in Validate, which is called before any method, only the answer tells.
	if a := r.Response(); a != nil && strings.HasPrefix(a.Reason, "Validate: panic: ") {
		h.record(panics, op, "Validate panicked in the %s.", r.Type)
	}
}

// losesAnswer are the faults because of which CloudFormation gets no answer, whatever the handler does.
var losesAnswer = []fault.Kind{fault.LoseAnswer, fault.NeverDelivered}

// isMadeToFail reports whether a request has met a fault with which it need not succeed.
func isMadeToFail(r simulate.Request) bool {
	if cured(r.Fault.Kind) {
		return false
	}
	return r.FaultHit
}

// judgeFailedDelete judges a Delete that fails without another cause than what others have put into the resource, which it
// may refuse to remove.
func (h *historyRun) judgeFailedDelete(op operation, r simulate.Request) {
	switch {
	case h.usedBy == usesMuch && h.learned.empties:
		h.record(deleteFails, op, "A Delete %s, but the same Delete succeeds when users have put less into the resource.", failureText(r))
	case h.used == "":
		h.record(deleteFails, op, "A Delete %s.", failureText(r))
	}
}

// mayFail reports whether a request may fail: because of its fault, or though nothing has gone wrong with it. CloudFormation
// sends no such properties, it is of another program's thing, somebody has removed the thing or has the name, it has a twin, or the service
// takes long.
func (h *historyRun) mayFail(op operation, r simulate.Request) bool {
	switch {
	case isMadeToFail(r), r.GaveUp():
		return true
	case op.isHeld() && r.Outcome != string(engine.Succeeded): // a handler may give up before the service has time for it
		h.gaveUp = true
		h.unseen = fmt.Sprintf("two %ss at once, one of which takes long at a step, do not both succeed, so this check cannot see whether one overwrites the other", r.Type)
		return true
	case op.Variant == native, h.isForeign():
		return true
	case r.Type == "Delete":
		return false
	case h.isHeld():
		return true
	}
	return r.Type == "Update" && (h.gone || h.twins.first) // a search for what the resource was finds the twin
}

// judgeAnswers judges what was said in a request.
func (h *historyRun) judgeAnswers(op operation, r simulate.Request) {
	h.judgeCode(op, r)
	h.judgeSize(op, r)
	h.judgeTold(op, r)
	h.judgeFind(op, r)
	h.judgeTwin(op, r)
	h.noteRefused(op, r)
}

// judgeCode judges a request that a service has denied at first. A method may give a denial a meaning of its own, and with
// it another code. An error without a code shows that the code was lost on the way.
func (h *historyRun) judgeCode(op operation, r simulate.Request) {
	switch {
	case r.Fault.Kind != fault.DeniedAtFirst, r.Outcome != string(engine.Failed):
		return
	}
	for _, c := range r.Calls() {
		if c.Code == "" && strings.Contains(c.Error, simulate.NotYetAllowed) {
			h.record(codeLost, op, "The service's error had the code AccessDenied, but %s's has no code, so the %s is answered FAILED at the first try.", c.Method, r.Type)
		}
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
			h.record(refused, op, "One delivery of the %s is answered SUCCESS, and another FAILED (%s).", r.Type, a.Reason)
		case a.PhysicalResourceID != read.PhysicalResourceID:
			h.record(answersDiffer, op, "One delivery of the %s is answered with the ID %s, and another with %s.", r.Type, read.PhysicalResourceID, a.PhysicalResourceID)
		default:
			h.judgeTwoData(op, "two deliveries of the "+r.Type, answered{readFrom(r, *read), read.Data}, answered{methodIn(r, d), a.Data})
		}
	}
}

// readFrom names the method that the answer came from that CloudFormation has read.
func readFrom(r simulate.Request, read answercheck.Response) string {
	for _, d := range r.Deliveries {
		if a := d.Response; a != nil && reflect.DeepEqual(*a, read) {
			return methodIn(r, d)
		}
	}
	return methodOf(r)
}

// methodIn names the method that a delivery of a request called last.
func methodIn(r simulate.Request, d simulate.Delivery) string {
	return methodOf(simulate.Request{Type: r.Type, Deliveries: []simulate.Delivery{d}})
}

// abandoned returns the name of a method that had not returned when its event was answered, or "".
func abandoned(r simulate.Request) string {
	for _, c := range r.Calls() {
		if c.Abandoned {
			return c.Method
		}
	}
	return ""
}

// stuck reports whether a stack needs an operator before it can be updated again.
func stuck(status lifecycle.StackStatus) bool {
	return slices.Contains([]lifecycle.StackStatus{lifecycle.StackUpdateRollbackFailed, lifecycle.StackRollbackFailed, lifecycle.StackDeleteFailed}, status)
}

// failureText says what became of a request that did not succeed.
func failureText(r simulate.Request) string {
	if r.Outcome == string(engine.TimedOut) {
		return "was not answered"
	}
	return "did not succeed: " + r.Reason
}

// cured reports whether CloudFormation notices nothing of a fault: Lambda's next try, or the
// next invocation, does the rest of the work.
func cured(k fault.Kind) bool {
	switch simulate.EndOf(k) {
	case simulate.EndsWell, simulate.EndsFound, simulate.EndsCancelled:
		return true
	}
	return false
}

// createOverwrites reports whether Create succeeded twice, though its thing existed
// the second time, and did not call Created. This is right if the service creates and
// updates by PUT and cannot be asked what exists. Such a Create does not know what it
// has made, so a thing that it leaves when it fails counts as a limit.
func createOverwrites(calls []simulate.Call) bool {
	creates := 0
	for _, c := range calls {
		switch {
		case c.Method != "Create":
		case c.Error+c.Created != "":
			return false
		default:
			creates++
		}
	}
	return creates > 1
}
