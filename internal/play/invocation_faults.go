package play

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
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
func (p *Simulator) simulateWork(over <-chan struct{}, d time.Duration) {
	if p.opts.RealTime {
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
	inv.faultHappened, inv.exchange.faultHappened = true, true
	inv.p.logAboutLocked(inv.exchange, page.Fault, "  FAULT %s: %s", inv.fault.Kind, what)
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
		inv.p.mu.Unlock()
		runtime.Goexit()
	}
}

// step is Step.
func (inv *invocation) step(ctx context.Context) error {
	p := inv.p
	p.mu.Lock()
	inv.exitIfDead()
	busy := p.throttled == inv.exchange.request.RequestType
	if (busy || ctx.Err() != nil) && inv.returned { // Lambda has frozen the process
		p.mu.Unlock()
		runtime.Goexit()
	}
	if ctx.Err() != nil {
		p.mu.Unlock()
		return context.Cause(ctx)
	}
	if busy {
		p.mu.Unlock()
		return cfnresource.Errorf(cfnresource.CodeThrottling, "the service is busy")
	}
	inv.delivery.Steps++
	n := inv.delivery.Steps
	happens := inv.fault.Kind.atStep() && n == inv.fault.Step
	switch {
	case !happens:
		p.mu.Unlock()
		if inv.fault.Kind == Twice {
			p.simulateWork(ctx.Done(), slowWork)
		}
		return nil
	case inv.fault.Kind == DieAtStep:
		inv.die(fmt.Sprintf("the process dies at step %d", n))
		inv.exitIfDead()
	case inv.fault.Kind == FailAtStep:
		inv.faultHappens(fmt.Sprintf("the service fails at step %d", n))
		p.mu.Unlock()
		return errors.New("the service failed")
	}
	inv.faultHappens(fmt.Sprintf("the service hangs at step %d", n))
	p.mu.Unlock()
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
	p, q := inv.p, inv.exchange.request
	k := &Call{Method: c.Method, PhysicalID: c.PhysicalID}
	p.mu.Lock()
	inv.exitIfDead()
	at := len(inv.delivery.Calls)
	inv.method = c.Method
	inv.delivery.Calls = append(inv.delivery.Calls, *k)
	p.activity.begin()
	if p.activity.running == nil {
		p.activity.running = make(map[*Call]string)
	}
	p.activity.running[k] = fmt.Sprintf("its %s in the %s of %s", c.Method, q.RequestType, q.LogicalID)
	p.addPhysicalID(c.PhysicalID)
	again := q.RequestType == "Delete" && slices.ContainsFunc(inv.delivery.Calls[:at], func(c Call) bool { return c.Method == deleteMethod })
	overtake := inv.fault.Kind == CancelWhileRunning && q.RequestType == "Create" && c.Method != "Find" && !inv.faultHappened
	p.mu.Unlock()

	k.Error = didNotReturn
	defer func() {
		if p.ended != nil {
			p.ended(*k)
		}
	}()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.Created != nil {
			k.Created = c.Created()
		}
		if k.Error == didNotReturn && inv.dead {
			k.Error = errDead.Error()
		}
		k.Abandoned = inv.returned && !inv.dead
		inv.delivery.Calls[at] = *k
		p.addPhysicalID(k.Returned)
		p.addPhysicalID(k.Created)
		p.logAboutLocked(inv.exchange, page.Told, "  %v", *k)
		delete(p.activity.running, k)
		p.activity.end()
	}()

	if overtake {
		inv.cancel("while the handler works")
		p.simulateWork(nil, p.opts.Timeout/4)
	}
	if inv.fault.Kind == Twice {
		p.simulateWork(ctx.Done(), slowWork)
	}
	if inv.shouldFail(c.Method) {
		k.Error, k.Code = "the service failed", string(cfnresource.CodeServiceLimitExceeded)
		return "", cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "the service failed")
	}
	began := time.Now()
	id, err = method()
	if err != nil && ctx.Err() != nil {
		inv.cutOff()
	}
	if again && !inv.faultHappened {
		p.slowDeletes.callEnded(ctx, c.Method, began, err)
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

// faultAfter makes a fault happen that comes after the method's work.
func (inv *invocation) faultAfter(ctx context.Context, k *Call, id string, err error) (string, error) {
	p := inv.p
	p.mu.Lock()
	inv.exitIfDead()
	if inv.faultHappened || err != nil {
		p.mu.Unlock()
		return id, err
	}
	switch inv.fault.Kind {
	case ErrorAfter:
		inv.faultHappens(k.Method + " fails after it has done its work")
		p.mu.Unlock()
		return "", errors.New("something failed after the work was done")
	case PanicAfter:
		inv.faultHappens(k.Method + " panics after it has done its work")
		p.mu.Unlock()
		panic("something failed after the work was done")
	case OutOfTimeAfter:
		inv.faultHappens(k.Method + " has done its work, and waits until its context ends")
		p.mu.Unlock()
		<-ctx.Done()
		return "", context.Cause(ctx)
	case CancelWhileRunning:
		p.mu.Unlock()
		inv.cancel("while the handler works")
		return id, nil
	case Twice:
		p.mu.Unlock()
		p.simulateWork(ctx.Done(), slowWork)
		return id, nil
	}
	p.mu.Unlock()
	return id, err
}

// cancel cancels the operation that the request is part of, if the request is pending
// and the operation can be cancelled.
func (inv *invocation) cancel(when string) {
	p := inv.p
	// An error would be that of Save, which has none.
	_ = inv.exchange.live.Do(func(m *engine.Machine, now time.Time) error {
		status := m.Stack().Status
		if inv.exchange.request.Outcome != "" || status != "CREATE_IN_PROGRESS" && status != "UPDATE_IN_PROGRESS" {
			return nil
		}
		p.mu.Lock()
		inv.faultHappens(map[string]string{"CREATE_IN_PROGRESS": "DeleteStack", "UPDATE_IN_PROGRESS": "CancelUpdateStack"}[status] + ", " + when)
		p.mu.Unlock()
		return cancelling(m, now)
	})
}
