// Package simulate runs a function as CloudFormation with one stack, Lambda and the
// response bucket would, and makes things go wrong on the way. A [Stack] says what
// happened, and whether the handler did what no handler may do; package play judges
// whether it is right. The stack itself is one of internal/cfn/engine.
//
// To read, in this order:
//
//   - stack.go: the operations; request.go: their requests and results
//   - event.go: the events that are sent
//   - fault.go: the faults, a row each
//   - delivery.go: a request, with Lambda's retries
//   - invocation.go: one process and its answer
//   - call.go: one call of a handler's method; step.go: the steps in it
//   - chain.go: a function that goes on in another invocation
//   - clock.go: time, virtual and real
//   - story.go: what happened, in words and as a page, and what no handler may do
//   - follow.go: a single event, without a stack
//
// A new fault is a constant in package cfntest/fault and a row in fault.go, which says what the fault does at which moment. The
// code of each moment (in delivery.go, invocation.go, call.go, step.go, chain.go) asks for it once.
package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Function is a process of a function: a Dispatcher.
type Function = interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// A Stack is a stack whose requests go to a function. It is cfntest's Stack without a
// test: what goes wrong is an error or a Violation. In a synctest bubble it is
// deterministic: no two things that it starts begin at the same instant.
type Stack struct {
	function func() Function
	opts     Options
	readings []engine.Assumption
	base     context.Context // of all invocations
	began    time.Time
	skipped  atomic.Int64   // nanoseconds by which the clock is ahead: the time that was skipped
	onReturn func(Returned) // or nil
	reuseIDs bool
	slow     bool           // each Step takes a while
	again    map[string]int // by logical ID

	// mu guards what follows. It may be taken in a step of a Live, and no step
	// is done while it is held.
	mu            sync.Mutex
	live          *engine.Live          // the current stack, or the last one
	deletedStacks []*engine.Live        // those before it, which were deleted
	stacks        uint64                // made so far: one that was deleted can be created again
	status        lifecycle.StackStatus // the stack's status
	eventsLogged  int                   // how many of the stack's events the story has
	exchanges     []*exchange
	rewrite       func(requestType, logicalID string, event []byte) []byte // or nil
	looked        int                                                      // how many exchanges TakeFaults has seen
	pending       []*exchange                                              // waited for
	faults        []*fault.Fault                                           // that no request has met
	violations    []Violation
	ids           []string // the physical IDs that occurred
	lines         []storyLine
	warm          []process // those that wait for work, of which the first gets the next
	processes     int       // that have been started
	hides         bool      // Find returns nothing
	continues     bool      // the function's Options.Continue is set
	lastStart     time.Time
	activity      activity
}

// Options are cfntest.StackOptions.
type Options struct {
	Name     string
	Timeout  time.Duration
	Seed     uint64
	Warm     int // how many processes are kept for later events, and take turns
	RealTime bool
	Assume   []string
}

// DeployOptions are cfntest.Deployment.
type DeployOptions struct {
	DisableRollback bool
	OnFailure       string
}

// New returns a Stack that does not exist yet. function makes a process. ctx is that of
// all invocations.
func New(ctx context.Context, function func() Function, o Options) (*Stack, error) {
	if function == nil {
		return nil, errors.New("the Service has no Function")
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("the Timeout is %v: make it positive, or zero for a minute", o.Timeout)
	}
	// Where AWS does not say what happens, the options may choose.
	readings, err := engine.ParseAssumptions(o.Assume)
	if err != nil {
		return nil, err
	}
	o.Name = cmp.Or(o.Name, "my-stack")
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	return &Stack{
		function: function,
		opts:     o,
		readings: readings,
		base:     ctx,
		began:    time.Now(),
		activity: activity{running: make(map[*Call]*exchange)},
	}, nil
}

// OnReturn calls f at the end of each call of the handler. Set it before the first operation.
func (s *Stack) OnReturn(f func(Returned)) { s.onReturn = f }

// Again has the next deployment update a resource, even if no property differs. Call it between operations.
func (s *Stack) Again(logicalID string) {
	if s.again == nil {
		s.again = map[string]int{}
	}
	s.again[logicalID]++
}

// Rewrite has f write each event anew before it is sent, as by an older template or program, from now on; nil ends that.
func (s *Stack) Rewrite(f func(requestType, logicalID string, event []byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rewrite = f
}

// HideFromFind has each Find return nothing without being called, as a search that lags does, until another method is called.
func (s *Stack) HideFromFind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hides = true
}

// ReuseRequestIDs gives a request that repeats an earlier one its RequestId. Call it
// before the first operation.
func (s *Stack) ReuseRequestIDs() { s.reuseIDs = true }

// SlowSteps has each Step take a while. Call it before the first operation.
func (s *Stack) SlowSteps() { s.slow = true }

// Deploy is CreateStack or UpdateStack. Like the operations below, it returns
// when the stack is at rest.
func (s *Stack) Deploy(t Template, o DeployOptions) error {
	if err := errors.Join(t.check(), oneOf("OnFailure", o.OnFailure, "ROLLBACK", "DELETE", "DO_NOTHING")); err != nil {
		return err
	}
	to := engine.Deployment{Template: t.build(s.again), DisableRollback: o.DisableRollback, OnFailure: o.OnFailure}
	switch s.Status() {
	case lifecycle.StackNone, lifecycle.StackDeleteComplete:
		s.create()
		return s.runOperation("CreateStack", func(m *engine.Machine, now time.Time) error { return m.Create(now, to) })
	}
	return s.runOperation("UpdateStack", func(m *engine.Machine, now time.Time) error { return m.Update(now, to) })
}

// Destroy is DeleteStack.
func (s *Stack) Destroy(retain []string) error {
	return s.runOperation("DeleteStack", func(m *engine.Machine, now time.Time) error { return m.Delete(now, retain, false) })
}

// Rollback is RollbackStack.
func (s *Stack) Rollback() error {
	return s.runOperation("RollbackStack", func(m *engine.Machine, now time.Time) error { return m.Rollback(now, false) })
}

// ContinueRollback is ContinueUpdateRollback.
func (s *Stack) ContinueRollback(skip []string) error {
	return s.runOperation("ContinueUpdateRollback", func(m *engine.Machine, now time.Time) error { return m.Continue(now, skip) })
}

// create makes a new stack, with an ID of its own, in place of one that was deleted.
func (s *Stack) create() {
	o := engine.Options{Region: "us-west-2", Seed: s.opts.Seed + s.stacks<<32, ReuseRequestIDs: s.reuseIDs}
	for _, a := range s.readings {
		a.Set(&o)
	}
	// The machine sends through this stack, in its time.
	m := engine.New(s.opts.Name, o)
	m.StandIn = standIn
	live := engine.NewLive(m)
	live.Now = s.now
	live.Save = func(now *engine.Stack, _ *engine.Patch) error { s.watch(live, now); return nil }
	live.Send = func(q *engine.Request) { s.send(live, q) }
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.deletedStacks = append(s.deletedStacks, s.live)
	}
	s.live, s.status, s.eventsLogged = live, "", 0
	s.stacks++
}

type step func(m *engine.Machine, now time.Time) error

// runOperation starts an operation, and waits until the stack is at rest.
func (s *Stack) runOperation(name string, start step) error {
	live, err := s.start(name, start)
	if err != nil {
		return err
	}
	if s.opts.RealTime {
		s.skipToDeadline(live)
	}
	if err := live.Wait(s.base); err != nil {
		return fmt.Errorf("%s of %s did not end: %w", name, s.opts.Name, err)
	}
	return nil
}

// start starts an operation without waiting for its end.
func (s *Stack) start(name string, start step) (*engine.Live, error) {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	if live == nil {
		return nil, fmt.Errorf("%s: the stack %s does not exist: deploy a template first", name, s.opts.Name)
	}
	err := live.Do(func(m *engine.Machine, now time.Time) error {
		s.logf("%s of %s", name, s.opts.Name)
		return start(m, now)
	})
	if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
		return nil, fmt.Errorf("CloudFormation refuses %s: %s", name, refused.Message)
	}
	return live, err
}

// Cancel cancels the operation that is in progress.
func (s *Stack) Cancel() error {
	_, err := s.start("Cancel", cancelling)
	return err
}

// cancelledBy has, by each status in which an operation can be cancelled, the API call that cancels it.
var cancelledBy = map[lifecycle.StackStatus]string{
	lifecycle.StackCreateInProgress: "DeleteStack",
	lifecycle.StackUpdateInProgress: "CancelUpdateStack",
}

// cancelling is CancelUpdateStack, or DeleteStack of a stack that is being created.
func cancelling(m *engine.Machine, now time.Time) error {
	if lifecycle.StackStatus(m.Stack().Status) == lifecycle.StackCreateInProgress {
		return m.Delete(now, nil, false)
	}
	return m.Cancel(now)
}

// Inject adds a fault for a later request.
func (s *Stack) Inject(f fault.Fault) error {
	if err := checkFault(f); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return nil
}

// fault returns the fault of a request that is being sent. The caller holds the lock.
func (s *Stack) fault(q *engine.Request) fault.Fault {
	_, cancellable := cancelledBy[s.status]
	for i, f := range s.faults {
		isTooLate := rowOf(f.Kind).forward && !cancellable
		switch {
		case isTooLate, !fits(*f, q.RequestType, q.LogicalID):
			continue
		case f.Skip > 0:
			f.Skip--
			continue
		}
		s.faults = slices.Delete(s.faults, i, i+1)
		return *f
	}
	return fault.Fault{}
}

// TakeFaults drops the faults that no request has met, and returns them. A request that was to meet one at a Step, or in a
// Poll, has not met it if it never came there.
func (s *Stack) TakeFaults() (left []fault.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		left = append(left, *f)
	}
	s.faults = nil
	for _, x := range s.exchanges[s.looked:] {
		if x.Fault.Kind != "" && !x.FaultHit {
			left = append(left, x.Fault)
		}
	}
	s.looked = len(s.exchanges)
	return left
}
