package local

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// deployed makes the function of an ARN known that a function invokes, as it is deployed now. What
// is neither the stack's nor one that a command runs is not there.
func (o *operation) deployed(arn string) error {
	var p *provider
	o.live.Look(func(*engine.Stack) { p = providerOf(o.record, arn) })
	if len(p.functions) == 0 {
		return &host.NotFoundError{ARN: arn}
	}
	if p.reason == "" {
		o.buildMissing(o.deliveries.ctx, p)
	}
	if p.reason != "" {
		return errors.New(p.reason)
	}
	return o.host.deploy(p)
}

// faultsOfLink says what is to go wrong with an event that a function sends: one
// about a request of this operation counts as another of its kind. A cancellation
// comes before the event is in the queue.
func (o *operation) faultsOfLink(payload []byte) []host.Fault {
	// The request is found, as it is now.
	var about struct{ RequestId string }
	if json.Unmarshal(payload, &about) != nil {
		return nil
	}
	var q *engine.Request
	cleanup, resource := false, ""
	o.live.Look(func(s *engine.Stack) {
		for _, one := range s.Sent() {
			if one.RequestID == about.RequestId {
				of := o.record.StackOf(one.StackID)
				copied := *one
				q, cleanup, resource = &copied, cleaningUp(of), of.PathOf(one.LogicalID)
			}
		}
	})
	if q == nil {
		return nil
	}

	// Its faults are carried out, or handed on.
	faults := o.faults.faults.forResource(q, resource, cleanup)
	o.describeFaults(q, resource, faults)
	if i := slices.Index(faults, cancelWhileRunning); i >= 0 {
		faults = slices.Delete(faults, i, i+1)
		_, _ = o.execute(commandCancel) // Wait returns its error as well
	}
	lambda := o.injectFaults(q, resource, faults)
	if slices.Contains(faults, neverAnswer) {
		lambda = append(lambda, host.DropEvent)
	}
	return lambda
}

func cleaningUp(s *engine.Stack) bool { return strings.HasSuffix(s.Status, "_CLEANUP_IN_PROGRESS") }
