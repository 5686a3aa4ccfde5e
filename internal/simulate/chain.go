package simulate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/whysent"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A chain collects the invocations that a function started by continuing.
type chain struct {
	wg     sync.WaitGroup
	mu     sync.Mutex
	unread []*invocation
}

// wait waits until all have ended, and returns those with unread answers.
func (c *chain) wait() []*invocation {
	c.wg.Wait()
	return c.unread
}

// follow starts the invocations to which an invocation has passed on its event.
func (s *Stack) follow(c *chain, inv *invocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, payload := range inv.continuations {
		in := s.startDelay()
		c.wg.Go(func() {
			s.pause(in)
			if a := actOf(inv.exchange.Fault.Kind, betweenLinks, inv.link); i == 0 && a.does == cancels {
				inv.cancel(a.text)
			}
			unread := s.run(inv.exchange, payload, inv.exchange.faultOfLink(), inv.link+1)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.unread = append(c.unread, unread...)
		})
	}
}

// faultOfLink returns the fault of the later invocations of a chain. A fault that
// happens once is dropped after it has happened.
func (x *exchange) faultOfLink() fault.Fault {
	if x.FaultHit {
		return onRetry(x.Fault)
	}
	return x.Fault
}

// chain returns the hooks that a function that continues calls.
func (inv *invocation) chain() hook.Chain {
	return hook.Chain{Continue: inv.continueEvent, Phase: inv.phase, HoldsPoll: inv.holdsPoll, SkipsPause: inv.skipsPause, NoCreateRuns: inv.stack.noCreateRuns}
}

// continueEvent is Continue.
func (inv *invocation) continueEvent(_ context.Context, payload []byte) error {
	s := inv.stack
	s.mu.Lock()
	defer s.mu.Unlock()
	if inv.dead || inv.returned {
		return errDead
	}

	// What goes wrong before it is sent, and after it.
	switch a := inv.act(continuing); a.does {
	case dies:
		inv.die(a.text)
		return errDead
	case refuses:
		inv.faultHappens(a.text)
		return cfnresource.Errorf(cfnresource.CodeAccessDenied, "the function may not invoke itself")
	}
	// From here on Lambda has it, whatever the handler hears.
	inv.delivery.Continued = true
	s.logAboutLocked(inv.exchange, engine.NoteTold, "  continues in another invocation")
	inv.continuations = append(inv.continuations, bytes.Clone(payload))
	switch a := inv.act(continued); a.does {
	case repeats:
		inv.faultHappens(a.text)
		inv.continuations = append(inv.continuations, inv.continuations[0])
	case loses:
		inv.unheard = true
		inv.faultHappens(a.text)
		return errors.New("the connection was reset")
	}
	return nil
}

// phase returns the phase that the stack is in for the request.
func (inv *invocation) phase(made string) (phase lifecycle.Phase) {
	s, q := inv.stack, inv.exchange.sent
	s.mu.Lock()
	s.continues = true
	now := actOf(inv.exchange.Fault.Kind, askingPhase, inv.link)
	if now.does == loses && !inv.exchange.FaultHit {
		inv.faultHappens(now.text)
	}
	asked := whysent.Request{Type: lifecycle.RequestType(q.RequestType), PhysicalID: q.PhysicalID, CreatedID: made, SentAt: q.SentAt.Truncate(time.Second)}
	s.mu.Unlock()
	if now.does == loses {
		return lifecycle.PhaseUnknown
	}
	_ = inv.exchange.live.Shown(func(now *engine.Stack) { // an error leaves the phase unknown
		stack := whysent.Stack{Status: lifecycle.StackStatus(now.Status), Updated: now.Updated}
		// Its error is that of a status that the engine does not have, or of a resource.
		phase, _ = whysent.Of(asked, stack, func() (r whysent.Resource, err error) {
			err = whysent.ErrNoResource
			for _, there := range slices.Concat(now.Leaving, now.Resources) { // the replacement counts, not the replaced
				if there.LogicalID == q.LogicalID {
					r, err = whysent.Resource{PhysicalID: there.PhysicalID, Status: lifecycle.ResourceStatus(there.Status)}, nil
				}
			}
			return r, err
		})
	})
	return phase
}

// slowFactor is how long a slow request takes, in timeouts of the function. At 2.5
// it needs three invocations.
const slowFactor = 2.5

// holdsPoll reports whether a Poll is kept from being ready.
func (inv *invocation) holdsPoll(continues bool) (holds bool) {
	s, x := inv.stack, inv.exchange
	s.mu.Lock()
	inv.polled, inv.pollFailed = true, false
	if !inv.serves(inv.method) { // it undoes work, or looks for something
		s.mu.Unlock()
		return false
	}
	inv.delivery.polls = true
	isSlow := InPoll(x.Fault.Kind)
	if continues {
		inv.delivery.waits = true
		isSlow = isSlow || InChain(x.Fault.Kind)
	}

	// What is slow is not ready until its time, and the fault happens once.
	var a act
	if holds = isSlow && s.now().Before(x.readyAt); holds {
		inv.pollHeld, x.PollHeld = true, true
		a = inv.faultInPoll()
	}
	s.mu.Unlock()
	if a.does == cancels {
		inv.cancel(a.text)
	}
	return holds
}

// faultInPoll makes the fault happen that keeps a Poll waiting. The caller holds the lock.
func (inv *invocation) faultInPoll() (a act) {
	x := inv.exchange
	if !x.FaultHit {
		a = actOf(x.Fault.Kind, atPoll, inv.link)
	}
	if a.does == waits {
		inv.faultHappens(a.text)
	}
	if InPoll(x.Fault.Kind) {
		inv.skipToEnd()
	}
	return a
}

// mustWait reports whether a request may succeed only when its resource is ready: a Poll was
// kept waiting. A later invocation of a Delete is excused: a service that removes things at
// once reports that there is nothing. The caller holds the lock.
func (inv *invocation) mustWait() bool {
	return inv.pollHeld || inv.exchange.PollHeld && inv.exchange.Type != "Delete"
}

// serves reports whether a method does the work of the request. A method that undoes
// such work has only one invocation.
func (inv *invocation) serves(method string) bool {
	if method == "Find" {
		return false
	}
	return (method == "Delete") == (inv.exchange.Type == "Delete")
}

// failsUnworked reports whether the fault makes a method fail before its work. It does so once.
func (inv *invocation) failsUnworked(method string, a act) bool {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	switch {
	case inv.faultHappened, !inv.serves(method):
		return false
	}
	inv.faultHappens(a.text)
	return true
}
