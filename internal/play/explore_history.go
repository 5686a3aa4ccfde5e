package play

import (
	"context"
	"errors"
	"testing"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// The logical IDs in each history's template.
const (
	theResource = "Resource"
	theSibling  = "Sibling"
)

// A historyRun plays one history.
type historyRun struct {
	*explorer
	*historyResult
	service Service
	p       *simulate.Stack

	id             string   // the physical ID of the settled template's resource
	ownIDs         []string // the IDs of each settled template's resource
	existedBefore  []string // the IDs under which there was something before the operation
	judgedRequests int      // requests

	deployed []deployed
}

// runHistory plays a history, and then the deletion of the stack. It stops at the first
// harm.
func (x *explorer) runHistory(t testing.TB, h history) *historyResult {
	j := &historyRun{explorer: x, historyResult: &historyResult{history: h}, service: x.c.New(t)}
	var err error
	j.p, err = simulate.New(context.WithoutCancel(t.Context()), j.service.Function, simulate.Options{Timeout: x.c.Timeout, RealTime: x.c.RealTime})
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	for _, op := range h {
		if j.requests = j.runOperation(op); j.found != nil || j.limit != "" {
			return j.result()
		}
	}
	j.status = j.p.Status()
	if version := j.version; j.status != "DELETE_COMPLETE" {
		j.runOperation(operation{what: remove})
		j.version = version
	}
	return j.result()
}

func (j *historyRun) result() *historyResult {
	if j.withStory {
		j.story = j.p.Story()
	}
	return j.historyResult
}

// runOperation plays an operation and judges its result. If a fault makes a rollback or
// a deletion fail, it does what an operator would do. It returns the points of each
// request at which a fault can happen.
func (j *historyRun) runOperation(op operation) (requests []faultPoints) {
	if op.fault != nil {
		j.inject(simulate.Fault{Kind: op.fault.kind, Skip: op.fault.request - 1, Step: op.fault.step})
	}
	if op.variant == cancelled {
		j.inject(simulate.Fault{Kind: simulate.CancelWhileRunning})
	}
	j.existedBefore = j.remaining()
	err := j.begin(op)
	for tries := 0; ; tries++ {
		if err == nil {
			err = j.p.Settle()
		}
		for _, v := range j.p.TakeViolations() {
			j.harm(harmOf(v), op, "%s", v.Text)
		}
		requests = append(requests, j.judgeRequests(op, len(requests))...)
		if blocked, ok := errors.AsType[*simulate.BlockedError](err); ok {
			j.harm(neverReturns, op, "%v", blocked)
		} else if err != nil {
			j.harm(unplayable, op, "%v", err)
		}
		status := j.p.Status()
		if j.found != nil || !stuck(status) {
			break
		}
		if tries == 3 {
			j.harm(stackStuck, op, "The stack is in %s.", status)
			break
		}
		if status == "UPDATE_ROLLBACK_FAILED" {
			err = j.p.ContinueRollback(nil)
		} else {
			err = j.p.Destroy(nil)
		}
	}
	for _, f := range j.p.TakeFaults() {
		j.harm(unplayable, op, "No request met the fault %s.", f)
	}
	if j.found == nil {
		j.judge(op)
	}
	return requests
}

// stuck reports whether a stack needs an operator before it can be updated again.
func stuck(status string) bool {
	return status == "UPDATE_ROLLBACK_FAILED" || status == "ROLLBACK_FAILED" || status == "DELETE_FAILED"
}

func (j *historyRun) begin(op operation) error {
	switch status := j.p.Status(); {
	case op.deploys():
		return j.p.Deploy(j.c.template(op), simulate.Deployment{DisableRollback: op.variant == rollbackDisabled || status == "CREATE_FAILED" || status == "UPDATE_FAILED"})
	case op.what == rollback:
		return j.p.Rollback()
	default:
		return j.p.Destroy(nil)
	}
}

func (j *historyRun) inject(f simulate.Fault) {
	f.LogicalID = theResource
	if err := j.p.Inject(f); err != nil {
		panic(err) // parseHistory has checked the fault
	}
}

// template returns what an operation deploys.
func (c *Contract) template(op operation) simulate.Template {
	t := simulate.Template{theResource: {Type: c.ResourceType, Properties: c.version(op.what)}}
	if op.variant == siblingFails || op.variant == rollbackDisabled {
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{theResource}, Fails: "it fails in each history of this kind"}
	}
	return t
}

// learnStates records the state to which a Create of each version leads. If one does
// harm, it returns the finding, since no history can be judged then.
func (x *explorer) learnStates() *finding {
	defer x.probeCreate()
	x.learning = true
	defer func() { x.learning = false }()
	for _, v := range []string{original, inPlace, replacing} {
		if x.c.version(v) == nil {
			continue
		}
		if r := x.runOne(history{{what: v}}); r.found != nil {
			return r.found
		}
	}
	return nil
}
