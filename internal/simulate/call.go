package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// act returns what the fault does at a moment.
func (inv *invocation) act(m moment) act { return actOf(inv.fault.Kind, m, inv.link) }

// faultHappens records that the fault happens. The caller holds the lock.
func (inv *invocation) faultHappens(what string) {
	inv.faultHappened = true
	if !inv.exchange.FaultHit {
		inv.delivery.struck = len(inv.delivery.Calls)
	}
	inv.stack.faultHappensLocked(inv.exchange, what)
}

// die ends the process. The caller holds the lock.
func (inv *invocation) die(what string) {
	inv.faultHappens(what)
	inv.dead = true
	if inv.kill != nil {
		inv.kill()
	}
}

// exitIfDead ends the calling goroutine if the process has died. The caller holds the lock.
func (inv *invocation) exitIfDead() {
	if inv.dead {
		inv.stack.mu.Unlock()
		runtime.Goexit()
	}
}

// call is the hook.Func: it calls each method of the handler.
func (inv *invocation) call(ctx context.Context, c hook.Call, method hook.Method) (id string, err error) {
	s := inv.stack
	k, at := inv.callBegins(c)
	defer inv.callEnds(ctx, c, k, at)

	// The fault, before the work.
	switch a := inv.act(beforeWork); a.does {
	case cancels:
		if inv.overtakes(c.Method) {
			inv.cancel(a.text)
			s.simulateWork(nil, min(s.opts.Timeout/4, mostOvertaken))
		}
	case slows:
		s.workSlowly(ctx)
	case fails:
		if inv.failsUnworked(c.Method, a) {
			k.Error, k.Code = "the service failed", string(cfnresource.CodeServiceLimitExceeded)
			return "", cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "the service failed")
		}
	}

	// The work, and the fault after it.
	began := time.Now()
	if !inv.hides(c.Method) {
		id, err = method()
	}
	if err != nil && ctx.Err() != nil {
		inv.stopped(at, time.Since(began))
	}
	if c.Method != "Find" {
		id, err = inv.faultAfter(ctx, k, id, err)
	}
	k.Returned, k.Error = id, ""
	if err != nil {
		k.Error, k.Code = err.Error(), codeOf(err)
	}
	return id, err
}

// codeOf returns the code of an error, which is InvalidRequest if it has none and names a property.
func codeOf(err error) string {
	code := cfnresource.CodeOf(err)
	if code == "" && errors.As(err, new(*cfnresource.PropertyError)) {
		code = cfnresource.CodeInvalidRequest
	}
	return string(code)
}

const didNotReturn = "it panicked, or ended its goroutine"

// callBegins records a call, and returns it with its index in the delivery.
func (inv *invocation) callBegins(c hook.Call) (k *Call, at int) {
	s := inv.stack
	s.mu.Lock()
	defer s.mu.Unlock()
	if inv.dead {
		runtime.Goexit()
	}
	k, at = &Call{Method: c.Method, PhysicalID: c.PhysicalID}, len(inv.delivery.Calls)
	inv.method = c.Method
	inv.delivery.Calls = append(inv.delivery.Calls, *k)
	s.activity.begin()
	s.activity.running[k] = inv.exchange
	s.addPhysicalID(c.PhysicalID)
	k.Error = didNotReturn // until it does
	return k, at
}

// callEnds records the result of a call.
func (inv *invocation) callEnds(ctx context.Context, c hook.Call, k *Call, at int) {
	s, r := inv.stack, Returned{}
	if s.onReturn != nil {
		defer func() { ByOthers(func() { s.onReturn(r) }) }() // without the lock
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		x := inv.exchange
		r = Returned{*k, x.Type, x.LogicalID, s.nthOfType(x), slices.Index(x.deliveries, inv.delivery) + 1}
	}()
	if c.Created != nil {
		k.Created = c.Created()
	}
	if k.Error == didNotReturn && inv.dead {
		k.Error = errDead.Error()
	}
	k.Abandoned = inv.returned && !inv.dead
	if ctx.Err() != nil {
		inv.outOfTime = true
	}
	inv.delivery.Calls[at] = *k
	if c.Method == "Create" && s.isDeleted(inv.exchange) {
		inv.delivery.Overlooked = true
	}
	if k.Error == "" { // else it is no answer
		s.addPhysicalID(k.Returned)
	}
	s.addPhysicalID(k.Created)
	s.logAboutLocked(inv.exchange, engine.NoteTold, "  %v", *k)
	delete(s.activity.running, k)
	s.activity.end()
}

// isDeleted reports whether a Delete that was sent after a request, for the same resource, has its outcome. The caller holds the
// lock.
func (s *Stack) isDeleted(x *exchange) bool {
	later := s.exchanges[slices.Index(s.exchanges, x)+1:]
	return slices.ContainsFunc(later, func(y *exchange) bool {
		return y.Type == "Delete" && y.LogicalID == x.LogicalID && y.Outcome != ""
	})
}

// hides reports whether a call is a search that shows nothing.
func (inv *invocation) hides(method string) bool {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	inv.stack.hides = inv.stack.hides && method == "Find"
	return inv.stack.hides
}

// overtakes reports whether a call belongs to a Create that its cancelling Delete is to overtake.
func (inv *invocation) overtakes(method string) bool {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	if inv.faultHappened {
		return false
	}
	return inv.exchange.Type == "Create" && method != "Find"
}

// stopped notes that a call was ended by its context.
func (inv *invocation) stopped(call int, after time.Duration) {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	inv.delivery.CutOff = inv.pollHeld
	if !inv.faultHappened {
		inv.delivery.Stopped = append(inv.delivery.Stopped, Stopped{call, after})
	}
}

// faultAfter makes a fault happen that comes after the method's work.
func (inv *invocation) faultAfter(ctx context.Context, k *Call, id string, err error) (string, error) {
	s := inv.stack
	s.mu.Lock()
	inv.exitIfDead()

	// A fault comes once, and not to work that failed by itself.
	if inv.faultHappened || err != nil {
		s.mu.Unlock()
		return id, err
	}

	// Record the fault.
	a := inv.act(afterWork)
	switch a.does {
	case fails, panics, hangs:
		inv.faultHappens(fmt.Sprintf(a.text, k.Method))
	}
	switch a.does {
	case fails:
		inv.failures++
	case hangs:
		inv.skipToEnd()
	}
	s.mu.Unlock()

	// Carry it out without the lock.
	switch a.does {
	case fails:
		return "", errors.New("something failed after the work was done")
	case panics:
		panic("something failed after the work was done")
	case hangs:
		<-ctx.Done()
		return "", context.Cause(ctx)
	case cancels:
		inv.cancel(a.text)
	case slows:
		s.workSlowly(ctx)
	}
	return id, nil
}

// mostOvertaken is how long at most a Create that is cancelled begins after its Delete.
const mostOvertaken = 15 * time.Second

// cancel cancels the operation that the request is part of, if the request is pending
// and the operation can be cancelled.
func (inv *invocation) cancel(when string) {
	s := inv.stack
	// An error would be that of Save, which has none.
	_ = inv.exchange.live.Do(func(m *engine.Machine, now time.Time) error {
		call, can := cancelledBy[lifecycle.StackStatus(m.Stack().Status)]
		if inv.exchange.sent.Outcome != "" || !can {
			return nil
		}
		s.mu.Lock()
		inv.faultHappens(call + ", " + when)
		s.mu.Unlock()
		return cancelling(m, now)
	})
}

type invocationKey struct{}

// nthOfType returns which of its resource's requests of its type an exchange is, from 1. The caller holds the lock.
func (s *Stack) nthOfType(x *exchange) (n int) {
	for _, other := range s.exchanges {
		if other.Type == x.Type && other.LogicalID == x.LogicalID {
			n++
		}
		if other == x {
			break
		}
	}
	return n
}
