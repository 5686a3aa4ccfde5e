package play

// Asks the stack for an operation: which faults it meets, what it deploys, and how its events are written.

import (
	"errors"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func (h *historyRun) inject(f fault.Fault) {
	f.LogicalID = theResource
	if err := h.stack.Inject(f); err != nil {
		panic(err) // parseHistory has checked the fault
	}
}

// rewrite has the events of the resource written as the operation's variant has them.
func (h *historyRun) rewrite(op operation) {
	// Nothing is written anew, unless the twin's Create is to be seen.
	change, props := variantNamed(op.Variant).rewrites, h.c.version(h.deployedBy(op))
	if change == nil && !h.History.has(twin) {
		h.stack.Rewrite(nil)
		return
	}
	if op.Variant == native && !simulate.HasNative(props) {
		h.record(unplayable, op, "No property is a number or a boolean.")
	}
	h.stack.Rewrite(func(requestType, logicalID string, event []byte) []byte {
		if logicalID != theResource {
			return event
		}
		if requestType == "Create" {
			h.seeCreate(h.deployedBy(op), event)
		}
		if change == nil {
			return event
		}
		return change(requestType, event, props)
	})
}

// againAfter is how long after the last operation the settled template is deployed again: the time is another one then.
const againAfter = 30 * time.Second

// deploy begins an operation with a template. A stack that is half done is not rolled back.
func (h *historyRun) deploy(op operation) error {
	halfDone := []lifecycle.StackStatus{lifecycle.StackCreateFailed, lifecycle.StackUpdateFailed}
	isKept := slices.Contains(halfDone, h.stack.Status()) || variantNamed(op.Variant).disableRollback
	return h.stack.Deploy(h.template(op), simulate.DeployOptions{DisableRollback: isKept})
}

// deployAgain deploys the settled template once more, for which CloudFormation sends an Update.
func (h *historyRun) deployAgain(op operation) error {
	if h.Version == "" {
		return errors.New("the stack has no resource")
	}
	h.stack.Again(theResource)
	h.c.wait(againAfter)
	return h.stack.Deploy(h.template(op), simulate.DeployOptions{})
}

func (h *historyRun) rollBack(operation) error { return h.stack.Rollback() }

func (h *historyRun) destroy(operation) error { return h.stack.Destroy(nil) }

// template returns what an operation deploys.
func (h *historyRun) template(op operation) simulate.Template {
	// The others first: the judged resource comes last, and may be taken out.
	t := h.besideTemplate(op)
	if version := h.deployedBy(op); version != "" {
		t[theResource] = simulate.Resource{Type: h.c.ResourceType, Properties: h.c.properties(version)}
	}
	if len(t) == 0 { // a stack is never empty
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic"}
	}
	if variantNamed(op.Variant).siblingFails {
		t[theSibling] = simulate.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{theResource}, Fails: "it fails in each history of this kind"}
	}
	return t
}

// deployedBy returns the version that an operation deploys, or "".
func (h *historyRun) deployedBy(op operation) string {
	switch op.What {
	case again, asItIs:
		return h.Version
	case takesOut:
		return ""
	}
	return op.What
}
