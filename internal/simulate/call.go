package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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

// step is Step.
func (inv *invocation) step(ctx context.Context) error {
	s := inv.stack

	// A process that has ended, or that Lambda has frozen, does nothing more.
	s.mu.Lock()
	if inv.spins() {
		s.mu.Unlock()
		<-time.After(spinStep)
		s.mu.Lock()
	}
	inv.exitIfDead()
	a := inv.act(atStep)
	away := slices.Contains([]effect{throttles, fails}, a.does) && !AtStep(inv.fault.Kind)
	inv.judgeLateStep()

	// Without its context, or throttled, or away, the service does nothing.
	switch isWithout := away || ctx.Err() != nil; {
	case isWithout && inv.returned: // nobody waits for it
		s.mu.Unlock()
		runtime.Goexit()
	case ctx.Err() != nil:
		s.mu.Unlock()
		return context.Cause(ctx)
	case away:
		return inv.stayAway(a)
	}

	// Do what the fault does to the step.
	inv.delivery.Steps++
	n := inv.delivery.Steps
	switch a.does {
	case refuses:
		if inv.hasBegun(n) && inv.serves(inv.method) {
			return inv.refuse(n, a)
		}
	case dies, fails, hangs, throttles, holds:
		if n == inv.fault.Step {
			return inv.faultAt(ctx, n, a)
		}
	case denies:
		if n <= deniedSteps {
			return inv.deny(a)
		}
	}
	inv.pollFailed = false // a client that tries again has its reply
	s.mu.Unlock()
	if s.slow || a.does == slows {
		s.workSlowly(ctx)
	}
	return nil
}

// stayAway fails a Step while the service is away, or busy. The caller holds the lock, which stayAway gives back.
func (inv *invocation) stayAway(a act) error {
	if !inv.faultHappened {
		inv.faultHappens(a.text)
	}
	inv.failures++
	if inv.throttled++; inv.throttled == mostThrottled {
		inv.skipToEnd()
	}
	inv.stack.mu.Unlock()
	if a.does == fails {
		return errFailed()
	}
	return errBusy()
}

// hasBegun reports whether the fault, which lasts, has happened at the Step n or before.
func (inv *invocation) hasBegun(n int) bool {
	if inv.exchange.FaultHit {
		return true
	}
	return AtStep(inv.fault.Kind) && n >= inv.fault.Step
}

// judgeLateStep judges a Step that comes when the event has been answered, though the handler had time to wait for its work.
// A method that is still running says so itself. The caller holds the lock.
func (inv *invocation) judgeLateStep() {
	switch {
	case !inv.returned, inv.outOfTime, inv.goesOn, calledBy(method):
		return
	}
	inv.goesOn = true
	inv.stack.addViolation(Violation{GoesOn: true, Text: fmt.Sprintf("the %s of %s was answered while some of its work went on, which calls the service: have the method wait for all that it has begun, also when a part fails",
		inv.exchange.Type, inv.exchange.LogicalID)})
}

// deniedSteps is how many Steps of an invocation a new permission is denied.
const deniedSteps = 2

// deny denies a step. The caller holds the lock, which deny gives back.
func (inv *invocation) deny(a act) error {
	if !inv.faultHappened {
		inv.faultHappens(a.text)
	}
	inv.failures++
	inv.stack.mu.Unlock()
	return cfnresource.Errorf(cfnresource.CodeAccessDenied, "%s", NotYetAllowed)
}

// NotYetAllowed is the text of the error of a service that does not see a new permission yet.
const NotYetAllowed = "the service does not allow it yet"

// refuse refuses a step for good. The caller holds the lock, which refuse gives back.
func (inv *invocation) refuse(step int, a act) error {
	if !inv.exchange.FaultHit {
		inv.faultHappens(fmt.Sprintf(a.text, step))
	}
	inv.failures++
	inv.pollFailed = calledBy(poll)
	inv.stack.mu.Unlock()
	return cfnresource.Errorf(cfnresource.CodeAccessDenied, "the service refuses it")
}

// errBusy is what a service says that is busy.
func errBusy() error { return cfnresource.Errorf(cfnresource.CodeThrottling, "the service is busy") }

// errFailed is an error without a code.
func errFailed() error { return errors.New("the service failed") }

// faultAt makes the fault happen that comes at a step. The caller holds the lock, which
// faultAt gives back.
func (inv *invocation) faultAt(ctx context.Context, step int, a act) error {
	what := fmt.Sprintf(a.text, step)
	switch a.does {
	case dies:
		inv.delivery.Aside = !calledBy(method)
		inv.die(what)
		inv.exitIfDead()
	case fails:
		inv.faultHappens(what)
		inv.failures++
		inv.pollFailed = calledBy(poll)
		inv.stack.mu.Unlock()
		return errFailed()
	case throttles:
		inv.faultHappens(what)
		inv.failures++
		inv.stack.mu.Unlock()
		return errBusy()
	case holds:
		inv.faultHappens(what)
		inv.stack.mu.Unlock()
		inv.stack.simulateWork(ctx.Done(), inv.stack.opts.Timeout/4)
		return nil
	}
	inv.faultHappens(what) // hangs
	inv.skipToEnd()
	inv.stack.mu.Unlock()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-inv.over: // the handler has gone on without its context
		return context.DeadlineExceeded
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
	s.activity.running[k] = fmt.Sprintf("its %s in the %s of %s", c.Method, inv.exchange.Type, inv.exchange.LogicalID)
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
		r = Returned{*k, inv.exchange.Type, inv.exchange.LogicalID, slices.Index(inv.exchange.deliveries, inv.delivery) + 1}
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
	if k.Error == "" { // else it is no answer
		s.addPhysicalID(k.Returned)
	}
	s.addPhysicalID(k.Created)
	s.logAboutLocked(inv.exchange, engine.NoteTold, "  %v", *k)
	delete(s.activity.running, k)
	s.activity.end()
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

// Step is cfntest.Step. It does nothing unless a Stack called the handler, or ctx comes
// from hook.WithSteps.
func Step(ctx context.Context) error {
	happened.Add(1)
	if inv, ok := ctx.Value(invocationKey{}).(*invocation); ok {
		return inv.step(ctx)
	}
	if step, ok := hook.Steps(ctx); ok {
		return step(ctx)
	}
	if calledBy(method) {
		strayed.Add(1)
	}
	return nil
}

// StraySteps returns how often a handler's method has called Step with another context than
// its own.
func StraySteps() int64 { return strayed.Load() }

var strayed atomic.Int64

// The functions in which a Step is called: a method, what a Poll calls in one, and what others do meanwhile.
const (
	method = "internal/simulate.(*invocation).call"
	poll   = "/cfnresource.Poll"
	others = "internal/simulate.ByOthers"
)

// ByOthers calls a function of the test's service while a method runs. A Step in it is not the method's: the function may
// call the service's normal operations, and has no context of a method.
//
//go:noinline
func ByOthers(function func()) { function() }

// calledBy reports whether the calling goroutine is in a function, and not in what others do in it.
func calledBy(function string) bool {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasSuffix(f.Function, others):
			return false
		case strings.HasSuffix(f.Function, function):
			return true
		}
	}
	return false
}

type invocationKey struct{}
