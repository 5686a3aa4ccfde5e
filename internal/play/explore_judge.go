package play

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A harm is something that a history must not do. Its rule is the one that it breaks.
type harm struct{ name, rule, consequence string }

var (
	badAnswer          = harm{"an event that is not answered as CloudFormation accepts it", "each event is answered once, in a form that CloudFormation accepts.", "waited for an hour, or failed the resource with a reason of its own."}
	notReady           = harm{"an answer before it was ready", "a request succeeds only when what its Poll waits for is ready, however many invocations that takes.", "gone on to what needs it, or taken for whole what is not."}
	neverReturns       = harm{"a handler that ignores the end of its context", "a handler returns when its context ends.", "sent the next request while it works: what it makes then is left behind, and what it changes then is wrong."}
	unplayable         = harm{"a history that cannot be played", "an operation can be played to its end.", "refused it."}
	failsWithoutCause  = harm{"an operation that fails without a cause", "an operation fails only if its properties are refused or something else fails, and Lambda's next try cures what a dead process did.", "rolled back a deployment that nothing was wrong with, or been stuck in UPDATE_ROLLBACK_FAILED."}
	deleteFails        = harm{"a Delete that fails without a cause", "what is gone is deleted, and a Delete that failed succeeds when it comes again.", "been stuck in DELETE_FAILED or ROLLBACK_FAILED, or given up the resource after three tries."}
	stackStuck         = harm{"a stack that nothing leads out of its state", "what failed once because of a fault succeeds when it is tried again.", "left a stack that nobody can update or delete."}
	notRefused         = harm{"properties that are not refused", "what Contract.Refused holds is refused.", "deployed it."}
	liveDeleted        = harm{"a live resource deleted", "nothing but its own Delete removes a resource.", "gone on with a stack whose resource is gone, with all that was in it."}
	wrongState         = harm{"not in the state that the template says", "after each operation the resource is what the properties of the settled template say, whatever was half done before.", "shown a template that the resource does not have."}
	needlesslyReplaced = harm{"replaced without need", "a physical ID changes only if the properties belong to another resource.", "deleted the old physical resource in the cleanup."}
	notReplaced        = harm{"not replaced", "Contract.Replacing belongs to another physical resource.", "shown the old resource under the new properties."}
	idNotRestored      = harm{"another physical ID after the rollback", "a rollback leads back to the resource of before.", "changed what Ref gives to other resources, and deleted the one of before."}
	leftBehind         = harm{"left behind", "when the stack is deleted, nothing is left of it.", "forgotten it: it stays in the account, and on its bill."}
)

// harmOf returns the harm of a violation.
func harmOf(v simulate.Violation) harm {
	if v.TooSoon {
		return notReady
	}
	return badAnswer
}

// harm records the first harm that a history does.
func (j *historyRun) harm(h harm, at operation, format string, args ...any) {
	if j.found == nil {
		detail := fmt.Sprintf(format, args...)
		if hint := stoppedDelete(j.p.Requests()).hint(j.c.timeout()); hint != "" {
			detail += "\n" + hint + "."
		}
		j.found = &finding{history: j.history, harm: h, at: at, detail: detail, story: j.p.Story()}
		if j.o.HTML != "" {
			j.found.page = j.p.Page()
		}
	}
}

// judgeRequests judges the requests that have ended: one that failed needs a cause. It
// returns the points of each at which a fault can happen. n is how many requests of the
// operation were judged before.
func (j *historyRun) judgeRequests(op operation, n int) (extents []faultPoints) {
	requests := j.p.Requests()[j.judgedRequests:] // nothing runs any more
	j.judgedRequests += len(requests)
	for _, r := range requests {
		n++
		extents = append(extents, faultPoints{r.FirstSteps(), r.Waits() && !j.c.RealTime})
		if n == 1 && op.deploys() {
			j.createOverwrites = j.createOverwrites || createOverwritesIn(r.Calls())
			j.deployed = append(j.deployed, deployed{
				op:            op,
				replaces:      j.version != "" && (op.what == refused || !sameIdentity(op.what, j.version)),
				existedBefore: j.existedBefore,
				ownIDsBefore:  len(j.ownIDs),
				overwrites:    j.overwrites,
				request:       r,
			})
		}
		ok := r.Outcome == string(engine.Succeeded)
		refuses := op.what == refused && n == 1
		waited := r.Outcome == string(engine.TimedOut) && r.Fault.Kind != simulate.LoseAnswer
		j.waited = j.waited || waited
		excused := r.FaultHit && !cured(r.Fault.Kind) || r.PollHeld && !r.CutOff()
		if name := abandoned(r); name != "" {
			j.harm(neverReturns, op, "%s of the %s went on after the event was answered.", name, r.Type)
		}
		switch {
		case r.Outcome == string(engine.Cancelled):
		case ok && refuses:
			j.harm(notRefused, op, "The %s of Contract.Refused was answered SUCCESS.", r.Type)
		case waited:
			j.harm(badAnswer, op, "Nobody answered the %s.", r.Type)
		case ok || refuses || excused:
		case r.Type == "Delete":
			j.harm(deleteFails, op, "A Delete %s.", failure(r))
		default:
			j.harm(failsWithoutCause, op, "The %s %s.", r.Type, failure(r))
		}
	}
	return extents
}

// abandoned returns the name of a method that had not returned when its event was
// answered, or "".
func abandoned(r simulate.Request) string {
	for _, c := range r.Calls() {
		if c.Abandoned {
			return c.Method
		}
	}
	return ""
}

// failure says what became of a request that did not succeed.
func failure(r simulate.Request) string {
	if r.Outcome == string(engine.TimedOut) {
		return "was not answered"
	}
	return "did not succeed: " + r.Reason
}

// cured reports whether a fault is none to CloudFormation: Lambda's next try, or the
// next invocation, does what was not done.
func cured(k simulate.FaultKind) bool {
	switch k.End() {
	case simulate.EndsWell, simulate.EndsFound, simulate.EndsCancelled:
		return true
	}
	return false
}

// judge judges what an operation led to.
func (j *historyRun) judge(op operation) {
	was, id := j.version, j.id
	switch status := j.p.Status(); status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE":
		j.version, j.id = op.what, j.p.PhysicalID(theResource)
		switch {
		case was == "":
		case !sameIdentity(was, j.version) && j.id == id:
			j.harm(notReplaced, op, "Its physical ID is %s, as before.", id)
		case sameIdentity(was, j.version) && j.id != id:
			j.harm(needlesslyReplaced, op, "Its physical ID was %s and is %s.", id, j.id)
		}
		j.judgeState(op)
	case "UPDATE_ROLLBACK_COMPLETE":
		if j.id = j.p.PhysicalID(theResource); was == "" { // back to a stack of which nothing was settled
			j.judgeLeft(op)
			return
		}
		if j.id != id {
			j.harm(idNotRestored, op, "Its physical ID was %s and is %s.", id, j.id)
		}
		j.judgeState(op)
	case "CREATE_FAILED", "UPDATE_FAILED": // nothing is settled
	case "ROLLBACK_COMPLETE", "DELETE_COMPLETE":
		j.version, j.id = "", ""
		j.judgeLeft(op)
	}
}

// judgeState judges the resource of a settled stack.
func (j *historyRun) judgeState(op operation) {
	j.ownIDs = append(j.ownIDs, j.id)
	if j.service.State == nil {
		return
	}
	switch state, want := j.service.State(j.id), j.want[j.version]; {
	case absent(state):
		j.harm(liveDeleted, op, "There is nothing under %s, the ID of the stack's resource.", j.id)
	case j.learning:
		j.want[j.version] = state
	case reflect.DeepEqual(state, want):
	default:
		j.harm(wrongState, op, "The resource is\n\t%+v\nand a Create of %s makes\n\t%+v", state, j.version, want)
	}
}

// judgeLeft checks that nothing is left of a stack that has no resources any more.
func (j *historyRun) judgeLeft(op operation) {
	left := j.remaining()
	if len(left) == 0 {
		return
	}
	j.harm(leftBehind, op, "There still is %s.", strings.Join(left, ", "))
	if j.limit = j.findLimit(left); j.limit != "" {
		j.excused, j.found = j.found, nil
	}
}

// remaining returns the physical IDs of all things that exist.
func (j *historyRun) remaining() (ids []string) {
	if j.service.List != nil {
		ids = slices.Clone(j.service.List())
	}
	if j.service.State != nil {
		for _, id := range j.p.SeenIDs() {
			if !absent(j.service.State(id)) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// absent reports whether a state says that there is nothing.
func absent(state any) bool {
	v := reflect.ValueOf(state)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}
