package local

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
)

// deployed makes the function of an ARN known that a function invokes, as it is
// deployed now. What is neither the stack's nor one that a command runs is not
// there.
func (r *run) deployed(arn string) error {
	var p *provider
	r.live.Look(func(*engine.Stack) { p = r.record.resolveServiceToken(arn) })
	if len(p.functions) == 0 {
		return &host.NotFoundError{ARN: arn}
	}
	if p.reason == "" {
		r.buildMissing(p)
	}
	if p.reason != "" {
		return errors.New(p.reason)
	}
	return r.host.deploy(p)
}

// faultsOfLink says what is to go wrong with an event that a function sends: one
// about a request of this operation counts as another of its kind. A cancellation
// comes before the event is in the queue.
func (r *run) faultsOfLink(payload []byte) []host.Fault {
	var about struct{ RequestId string }
	var q *engine.Request
	cleanup, resource := false, ""
	if json.Unmarshal(payload, &about) != nil {
		return nil
	}
	r.live.Look(func(s *engine.Stack) {
		for _, one := range s.Sent() {
			if one.RequestID == about.RequestId {
				of := r.record.stack(one.StackID)
				copied := *one
				q, cleanup, resource = &copied, cleaningUp(of), of.PathOf(one.LogicalID)
			}
		}
	})
	if q == nil {
		return nil
	}
	names := r.faults.forResource(q, resource, cleanup)
	r.describeFaults(q, resource, names)
	if i := slices.Index(names, "cancel"); i >= 0 {
		names = slices.Delete(names, i, i+1)
		_ = r.execute(commandCancel) // Wait returns its error as well
	}
	faults := r.injectFaults(q, resource, names)
	if slices.Contains(names, "never-answer") {
		faults = append(faults, host.Lose)
	}
	return faults
}

func cleaningUp(s *engine.Stack) bool { return strings.HasSuffix(s.Status, "_CLEANUP_IN_PROGRESS") }
