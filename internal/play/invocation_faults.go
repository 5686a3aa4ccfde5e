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
	"github.com/cfnresource/sdk-go/internal/hook"
)

// slowly is how long a method works before and after its effects, where the
// event is delivered twice at once.
const slowly = 1500 * time.Millisecond

// linger lets time pass in which the handler works.
func (p *Player) linger(over <-chan struct{}, d time.Duration) {
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

// strike has the fault happen. The caller holds the lock.
func (inv *invocation) strike(what string) {
	inv.hit, inv.x.met = true, true
	inv.p.note("  FAULT %s: %s", inv.fault.What, what)
}

// die ends the process. The caller holds the lock.
func (inv *invocation) die(what string) {
	inv.strike(what)
	inv.dead = true
	if inv.kill != nil {
		inv.kill()
	}
}

// goOn ends the calling goroutine if the process has died. The caller holds the
// lock.
func (inv *invocation) goOn() {
	if inv.dead {
		inv.p.mu.Unlock()
		runtime.Goexit()
	}
}

// step is Step.
func (inv *invocation) step(ctx context.Context) error {
	p := inv.p
	p.mu.Lock()
	inv.goOn()
	busy := p.throttled == inv.x.sent.RequestType
	if (busy || ctx.Err() != nil) && inv.left { // nothing can come of it, and the process is frozen
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
	inv.record.Steps++
	n := inv.record.Steps
	strikes := inv.fault.What.atStep() && n == inv.fault.Step
	switch {
	case !strikes:
		p.mu.Unlock()
		if inv.fault.What == Twice {
			p.linger(ctx.Done(), slowly)
		}
		return nil
	case inv.fault.What == DieAtStep:
		inv.die(fmt.Sprintf("the process dies at step %d", n))
		inv.goOn()
	case inv.fault.What == FailAtStep:
		inv.strike(fmt.Sprintf("the service fails at step %d", n))
		p.mu.Unlock()
		return errors.New("the service failed")
	}
	inv.strike(fmt.Sprintf("the service hangs at step %d", n))
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-inv.over: // the handler has gone on without its context
		return context.DeadlineExceeded
	}
}

const didNotReturn = "it panicked, or ended its goroutine"

// call is the hook.Func: it stands around each method of the handler.
func (inv *invocation) call(ctx context.Context, c hook.Call, method hook.Method) (id string, err error) {
	p, q := inv.p, inv.x.sent
	k := &Call{Method: c.Method, PhysicalID: c.PhysicalID}
	p.mu.Lock()
	inv.goOn()
	at := len(inv.record.Calls)
	inv.method = c.Method
	inv.record.Calls = append(inv.record.Calls, *k)
	p.work.begin()
	if p.work.running == nil {
		p.work.running = make(map[*Call]string)
	}
	p.work.running[k] = fmt.Sprintf("its %s in the %s of %s", c.Method, q.RequestType, q.LogicalID)
	p.heard(c.PhysicalID)
	again := q.RequestType == "Delete" && slices.ContainsFunc(inv.record.Calls[:at], func(c Call) bool { return c.Method == deleteMethod })
	overtake := inv.fault.What == CancelWhileRunning && q.RequestType == "Create" && c.Method != "Find" && !inv.hit
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
		k.WentOn = inv.left && !inv.dead
		inv.record.Calls[at] = *k
		p.heard(k.Returned)
		p.heard(k.Created)
		p.note("  %v", *k)
		delete(p.work.running, k)
		p.work.end()
	}()

	if overtake {
		inv.cancel("while the handler works")
		p.linger(nil, p.opts.Timeout/4)
	}
	if inv.fault.What == Twice {
		p.linger(ctx.Done(), slowly)
	}
	if inv.fails(c.Method) {
		k.Error, k.Code = "the service failed", string(cfnresource.CodeServiceLimitExceeded)
		return "", cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "the service failed")
	}
	began := time.Now()
	id, err = method()
	if err != nil && ctx.Err() != nil {
		inv.cutOff()
	}
	if again && !inv.hit {
		p.hurry.ended(ctx, c.Method, began, err)
	}
	if c.Method != "Find" {
		id, err = inv.spoil(ctx, k, id, err)
	}
	k.Returned, k.Error = id, ""
	if err != nil {
		k.Error, k.Code = err.Error(), string(cfnresource.CodeOf(err))
	}
	return id, err
}

// spoil has happen what is to after the method has done its work.
func (inv *invocation) spoil(ctx context.Context, k *Call, id string, err error) (string, error) {
	p := inv.p
	p.mu.Lock()
	inv.goOn()
	if inv.hit || err != nil {
		p.mu.Unlock()
		return id, err
	}
	switch inv.fault.What {
	case ErrorAfter:
		inv.strike(k.Method + " fails after it has done its work")
		p.mu.Unlock()
		return "", errors.New("something failed after the work was done")
	case PanicAfter:
		inv.strike(k.Method + " panics after it has done its work")
		p.mu.Unlock()
		panic("something failed after the work was done")
	case OutOfTimeAfter:
		inv.strike(k.Method + " has done its work, and waits until its context ends")
		p.mu.Unlock()
		<-ctx.Done()
		return "", context.Cause(ctx)
	case CancelWhileRunning:
		p.mu.Unlock()
		inv.cancel("while the handler works")
		return id, nil
	case Twice:
		p.mu.Unlock()
		p.linger(ctx.Done(), slowly)
		return id, nil
	}
	p.mu.Unlock()
	return id, err
}

// cancel cancels the operation that the request is part of, if it is waited
// for and can be cancelled.
func (inv *invocation) cancel(when string) {
	p := inv.p
	// An error would be that of Save, which has none.
	_ = inv.x.live.Do(func(m *engine.Machine, now time.Time) error {
		status := m.Stack().Status
		if inv.x.sent.Outcome != "" || status != "CREATE_IN_PROGRESS" && status != "UPDATE_IN_PROGRESS" {
			return nil
		}
		p.mu.Lock()
		inv.strike(map[string]string{"CREATE_IN_PROGRESS": "DeleteStack", "UPDATE_IN_PROGRESS": "CancelUpdateStack"}[status] + ", " + when)
		p.mu.Unlock()
		return cancelling(m, now)
	})
}
