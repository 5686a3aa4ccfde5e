package play

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/phases"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A chain collects the invocations that follow others.
type chain struct {
	wg     sync.WaitGroup
	mu     sync.Mutex
	unread []*invocation
}

// wait returns those whose answers nobody has read yet, once all have ended.
func (c *chain) wait() []*invocation {
	c.wg.Wait()
	return c.unread
}

// follow starts what an invocation has sent on.
func (p *Player) follow(c *chain, inv *invocation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, payload := range inv.sent {
		in := p.startIn()
		c.wg.Go(func() {
			p.pause(in)
			if i == 0 && inv.link == 1 && inv.x.fault.What == CancelBetween {
				inv.cancel("before the next invocation")
			}
			unread := p.run(inv.x, payload, inv.x.faultOfLink(), inv.link+1)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.unread = append(c.unread, unread...)
		})
	}
}

// faultOfLink returns what goes wrong with the later invocations of a chain. What
// happens once may have happened.
func (x *exchange) faultOfLink() Fault {
	if x.met {
		return x.fault.again()
	}
	return x.fault
}

// chain is what a function that continues reaches.
func (inv *invocation) chain() hook.Chain {
	return hook.Chain{Continue: inv.goesOn, Phase: inv.phase, Holds: inv.holds}
}

// goesOn is Continue.
func (inv *invocation) goesOn(_ context.Context, payload []byte) error {
	p, kind := inv.p, inv.fault.What
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case inv.dead || inv.left:
		return errDead
	case inv.link == 2 && (kind == LinkDies || kind == LinkDiesForGood):
		inv.die("the process dies before it has sent the event on")
		return errDead
	case inv.link == 1 && kind == ContinueRefused:
		inv.strike("Lambda refuses what the function sends itself")
		return cfnresource.Errorf(cfnresource.CodeAccessDenied, "the function may not invoke itself")
	}
	inv.record.Continued = true
	p.note("  goes on in another invocation")
	inv.sent = append(inv.sent, bytes.Clone(payload))
	switch {
	case inv.link != 1:
	case kind == LinkTwice:
		inv.strike("Lambda delivers what the function sent itself twice")
		inv.sent = append(inv.sent, inv.sent[0])
	case kind == ContinueLost:
		inv.strike("Lambda's response to what the function sent itself is lost")
		return errors.New("the connection was reset")
	}
	return nil
}

// phase is why the request came, as the stack tells it now.
func (inv *invocation) phase(made string) (phase lifecycle.Phase) {
	p, q := inv.p, inv.x.sent
	p.mu.Lock()
	p.continues = true
	untold := inv.x.fault.What == PhaseUnknown || inv.x.fault.What == PhaseLost && inv.link > 1
	if untold && !inv.x.met {
		inv.strike("the stack does not tell why the request came")
	}
	asked := phases.Asked{Request: lifecycle.Request(q.RequestType), PhysicalID: q.PhysicalID, Made: made, Birth: q.SentAt.Truncate(time.Second)}
	stack := phases.Stack{Updated: p.updated}
	p.mu.Unlock()
	if untold {
		return lifecycle.PhaseUnknown
	}
	inv.x.live.Look(func(s *engine.Stack) {
		stack.Status = lifecycle.StackStatus(s.Status)
		// Its error is that of a status that the engine does not have.
		phase, _ = phases.Of(asked, stack, func() (r phases.Resource, err error) {
			for _, there := range slices.Concat(s.Leaving, s.Resources) { // what replaced another counts
				if there.LogicalID == q.LogicalID {
					r = phases.Resource{PhysicalID: there.PhysicalID, Status: lifecycle.ResourceStatus(there.Status)}
				}
			}
			return r, nil
		})
	})
	return phase
}

// longest is for how many times the function's timeout a request lasts that is
// slow: it takes three invocations.
const longest = 2.5

// holds keeps a Poll from being ready.
func (inv *invocation) holds(context.Context) bool {
	p, x := inv.p, inv.x
	p.mu.Lock()
	does := inv.does(inv.method)
	inv.record.Waits = inv.record.Waits || does
	holds := does && x.fault.What.inChain() && p.now().Before(x.ready)
	x.held = x.held || holds
	if holds && x.fault.What == Slow && !x.met {
		inv.strike("what is waited for takes long")
	}
	cancels := holds && inv.fault.What == CancelWaiting && inv.link == 3 && !inv.hit
	p.mu.Unlock()
	if cancels {
		inv.cancel("while the third invocation waits")
	}
	return holds
}

// does reports whether a method is one of those that a request is for: what undoes
// them has one invocation.
func (inv *invocation) does(method string) bool {
	return method != "Find" && (method == deleteMethod) == (inv.x.sent.RequestType == deleteMethod)
}

// fails reports whether a method is to fail in place of doing its work.
func (inv *invocation) fails(method string) bool {
	inv.p.mu.Lock()
	defer inv.p.mu.Unlock()
	if inv.fault.What != LinkFails || inv.link != 2 || inv.hit || !inv.does(method) {
		return false
	}
	inv.strike("the service fails for the second invocation")
	return true
}

// cutOff notes that a method was ended by its context while a Poll was held.
func (inv *invocation) cutOff() {
	inv.p.mu.Lock()
	defer inv.p.mu.Unlock()
	inv.record.cut = inv.x.held
}
