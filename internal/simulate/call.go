package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// slowWork is how long a method works before and after its effects, if the event is
// delivered twice at once.
const slowWork = 1500 * time.Millisecond

// simulateWork lets time pass as if the handler worked.
func (s *Stack) simulateWork(over <-chan struct{}, d time.Duration) {
	if s.opts.RealTime {
		d /= 50
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	}
}

// faultHappens records that the fault happens. The caller holds the lock.
func (inv *invocation) faultHappens(what string) {
	inv.faultHappened, inv.exchange.FaultHit = true, true
	inv.stack.logAboutLocked(inv.exchange, page.Fault, "  FAULT %s: %s", inv.fault.Kind, what)
}

// die ends the process. The caller holds the lock.
func (inv *invocation) die(what string) {
	inv.faultHappens(what)
	inv.dead = true
	if inv.kill != nil {
		inv.kill()
	}
}

// exitIfDead ends the calling goroutine if the process has died. The caller holds the
// lock.
func (inv *invocation) exitIfDead() {
	if inv.dead {
		inv.stack.mu.Unlock()
		runtime.Goexit()
	}
}

// step is Step.
func (inv *invocation) step(ctx context.Context) error {
	s := inv.stack
	s.mu.Lock()
	inv.exitIfDead()
	busy := s.throttled == inv.exchange.sent.RequestType
	if (busy || ctx.Err() != nil) && inv.returned { // Lambda has frozen the process
		s.mu.Unlock()
		runtime.Goexit()
	}
	if ctx.Err() != nil {
		s.mu.Unlock()
		return context.Cause(ctx)
	}
	if busy {
		s.mu.Unlock()
		return cfnresource.Errorf(cfnresource.CodeThrottling, "the service is busy")
	}
	inv.delivery.Steps++
	n := inv.delivery.Steps
	happens := inv.fault.Kind.AtStep() && n == inv.fault.Step
	switch {
	case !happens:
		s.mu.Unlock()
		if inv.fault.Kind == Twice {
			s.simulateWork(ctx.Done(), slowWork)
		}
		return nil
	case inv.fault.Kind == DieAtStep:
		inv.die(fmt.Sprintf("the process dies at step %d", n))
		inv.exitIfDead()
	case inv.fault.Kind == FailAtStep:
		inv.faultHappens(fmt.Sprintf("the service fails at step %d", n))
		s.mu.Unlock()
		return errors.New("the service failed")
	}
	inv.faultHappens(fmt.Sprintf("the service hangs at step %d", n))
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-inv.over: // the handler has gone on without its context
		return context.DeadlineExceeded
	}
}

const didNotReturn = "it panicked, or ended its goroutine"

// call is the hook.Func: it calls each method of the handler.
func (inv *invocation) call(ctx context.Context, c hook.Call, method hook.Method) (id string, err error) {
	s, q := inv.stack, inv.exchange.sent
	k := &Call{Method: c.Method, PhysicalID: c.PhysicalID}
	s.mu.Lock()
	inv.exitIfDead()
	at := len(inv.delivery.Calls)
	inv.method = c.Method
	inv.delivery.Calls = append(inv.delivery.Calls, *k)
	s.activity.begin()
	if s.activity.running == nil {
		s.activity.running = make(map[*Call]string)
	}
	s.activity.running[k] = fmt.Sprintf("its %s in the %s of %s", c.Method, q.RequestType, q.LogicalID)
	s.addPhysicalID(c.PhysicalID)
	overtake := inv.fault.Kind == CancelWhileRunning && q.RequestType == "Create" && c.Method != "Find" && !inv.faultHappened
	s.mu.Unlock()

	k.Error = didNotReturn
	defer func() {
		if s.onReturn != nil {
			s.onReturn(*k)
		}
	}()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.Created != nil {
			k.Created = c.Created()
		}
		if k.Error == didNotReturn && inv.dead {
			k.Error = errDead.Error()
		}
		k.Abandoned = inv.returned && !inv.dead
		inv.delivery.Calls[at] = *k
		s.addPhysicalID(k.Returned)
		s.addPhysicalID(k.Created)
		s.logAboutLocked(inv.exchange, page.Told, "  %v", *k)
		delete(s.activity.running, k)
		s.activity.end()
	}()

	if overtake {
		inv.cancel("while the handler works")
		s.simulateWork(nil, s.opts.Timeout/4)
	}
	if inv.fault.Kind == Twice {
		s.simulateWork(ctx.Done(), slowWork)
	}
	if inv.shouldFail(c.Method) {
		k.Error, k.Code = "the service failed", string(cfnresource.CodeServiceLimitExceeded)
		return "", cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "the service failed")
	}
	began := time.Now()
	id, err = method()
	if err != nil && ctx.Err() != nil {
		inv.stopped(at, time.Since(began))
	}
	if c.Method != "Find" {
		id, err = inv.faultAfter(ctx, k, id, err)
	}
	k.Returned, k.Error = id, ""
	if err != nil {
		k.Error, k.Code = err.Error(), string(cfnresource.CodeOf(err))
	}
	return id, err
}

// stopped notes that a call was ended by its context.
func (inv *invocation) stopped(call int, after time.Duration) {
	inv.stack.mu.Lock()
	defer inv.stack.mu.Unlock()
	inv.delivery.CutOff = inv.exchange.PollHeld
	if !inv.faultHappened {
		inv.delivery.Stopped = append(inv.delivery.Stopped, Stopped{call, after})
	}
}

// faultAfter makes a fault happen that comes after the method's work.
func (inv *invocation) faultAfter(ctx context.Context, k *Call, id string, err error) (string, error) {
	s := inv.stack
	s.mu.Lock()
	inv.exitIfDead()
	if inv.faultHappened || err != nil {
		s.mu.Unlock()
		return id, err
	}
	switch inv.fault.Kind {
	case ErrorAfter:
		inv.faultHappens(k.Method + " fails after it has done its work")
		s.mu.Unlock()
		return "", errors.New("something failed after the work was done")
	case PanicAfter:
		inv.faultHappens(k.Method + " panics after it has done its work")
		s.mu.Unlock()
		panic("something failed after the work was done")
	case OutOfTimeAfter:
		inv.faultHappens(k.Method + " has done its work, and waits until its context ends")
		s.mu.Unlock()
		<-ctx.Done()
		return "", context.Cause(ctx)
	case CancelWhileRunning:
		s.mu.Unlock()
		inv.cancel("while the handler works")
		return id, nil
	case Twice:
		s.mu.Unlock()
		s.simulateWork(ctx.Done(), slowWork)
		return id, nil
	}
	s.mu.Unlock()
	return id, err
}

// cancel cancels the operation that the request is part of, if the request is pending
// and the operation can be cancelled.
func (inv *invocation) cancel(when string) {
	s := inv.stack
	// An error would be that of Save, which has none.
	_ = inv.exchange.live.Do(func(m *engine.Machine, now time.Time) error {
		status := m.Stack().Status
		if inv.exchange.sent.Outcome != "" || status != "CREATE_IN_PROGRESS" && status != "UPDATE_IN_PROGRESS" {
			return nil
		}
		s.mu.Lock()
		inv.faultHappens(map[string]string{"CREATE_IN_PROGRESS": "DeleteStack", "UPDATE_IN_PROGRESS": "CancelUpdateStack"}[status] + ", " + when)
		s.mu.Unlock()
		return cancelling(m, now)
	})
}
