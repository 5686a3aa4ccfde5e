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
	"github.com/cfnresource/sdk-go/internal/hook"
)

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
	inv.pollFailed = inv.isInPoll()
	inv.stack.mu.Unlock()
	return cfnresource.Errorf(cfnresource.CodeAccessDenied, "the service refuses it")
}

// isInPoll reports whether a Poll calls the Step. The stack is read only if there was a Poll: under a client of AWS it is deep.
// The caller holds the lock.
func (inv *invocation) isInPoll() bool { return inv.polled && calledBy(poll) }

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
		inv.pollFailed = inv.isInPoll()
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
