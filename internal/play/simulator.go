package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Simulator runs a stack against a function. It is cfntest's Stack without a test:
// what goes wrong is an error, or a violation. In a bubble it is deterministic: no
// two things that it starts begin at the same instant.
type Simulator struct {
	function    func() Function
	opts        StackOptions
	base        context.Context // of all invocations
	began       time.Time
	slowDeletes slowDeletes
	skipped     atomic.Int64 // nanoseconds by which the clock is ahead: the time that was skipped
	ended       func(k Call) // called at the end of each call, or nil

	// mu guards what follows. It may be taken in a step of a Live, and no step
	// is done while it is held.
	mu            sync.Mutex
	live          *engine.Live   // the stack that there is, or was last
	deletedStacks []*engine.Live // those before it, which were deleted
	stacks        uint64         // made so far: one that was deleted can be created again
	status        string         // the stack's status
	eventsLogged  int            // of the stack's events that were told
	exchanges     []*exchange
	pending       []*exchange // waited for
	faults        []*Fault    // that no request has met
	violations    []Violation
	ids           []string // the physical IDs that occurred
	lines         []storyLine
	warm          Function // a process that waits for work
	throttled     string   // in requests of this type, each Step is refused
	continues     bool     // the function's Options.Continue is set
	lastStart     time.Time
	activity      activity
}

// StackOptions are cfntest's.
type StackOptions struct {
	Name     string
	Timeout  time.Duration
	Seed     uint64
	Warm     bool
	RealTime bool
}

// A Deployment is cfntest's.
type Deployment struct {
	DisableRollback bool
	OnFailure       string
}

// NewSimulator returns a Simulator without a stack. ctx is that of all invocations.
func NewSimulator(ctx context.Context, function func() Function, o StackOptions) (*Simulator, error) {
	if function == nil {
		return nil, errors.New("the Service has no Function")
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("the Timeout is %v: make it positive, or zero for a minute", o.Timeout)
	}
	o.Name = cmp.Or(o.Name, "my-stack")
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	return &Simulator{function: function, opts: o, base: ctx, began: time.Now()}, nil
}

// Deploy is CreateStack or UpdateStack. Like the operations below, it returns
// when the stack is at rest.
func (p *Simulator) Deploy(t Template, d Deployment) error {
	to := engine.Deployment{Template: t.build(), DisableRollback: d.DisableRollback, OnFailure: d.OnFailure}
	switch p.Status() {
	case "", "DELETE_COMPLETE":
		p.create()
		return p.runOperation("CreateStack", func(m *engine.Machine, now time.Time) error { return m.Create(now, to) })
	}
	return p.runOperation("UpdateStack", func(m *engine.Machine, now time.Time) error { return m.Update(now, to) })
}

// Destroy is DeleteStack.
func (p *Simulator) Destroy(retain []string) error {
	return p.runOperation("DeleteStack", func(m *engine.Machine, now time.Time) error { return m.Delete(now, retain, false) })
}

// Rollback is RollbackStack.
func (p *Simulator) Rollback() error {
	return p.runOperation("RollbackStack", func(m *engine.Machine, now time.Time) error { return m.Rollback(now, false) })
}

// ContinueRollback is ContinueUpdateRollback.
func (p *Simulator) ContinueRollback(skip []string) error {
	return p.runOperation("ContinueUpdateRollback", func(m *engine.Machine, now time.Time) error { return m.Continue(now, skip) })
}

// create makes a new stack, with an ID of its own, in place of one that was deleted.
func (p *Simulator) create() {
	m := engine.New(p.opts.Name, engine.Options{Region: "us-west-2", Seed: p.opts.Seed + p.stacks<<32})
	m.StandIn = standIn
	live := engine.NewLive(m)
	live.Now = p.now
	live.Save = func(s *engine.Stack, _ *engine.Patch) error { p.watch(s); return nil }
	live.Send = func(q *engine.Request) { p.send(live, q) }
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		p.deletedStacks = append(p.deletedStacks, p.live)
	}
	p.live, p.status, p.eventsLogged = live, "", 0
	p.stacks++
}

type step func(m *engine.Machine, now time.Time) error

// runOperation starts an operation, and waits until the stack is at rest.
func (p *Simulator) runOperation(name string, start step) error {
	live, err := p.start(name, start)
	if err != nil {
		return err
	}
	if p.opts.RealTime {
		p.skipToDeadline(live)
	}
	if err := live.Wait(p.base); err != nil {
		return fmt.Errorf("%s of %s does not end: %w", name, p.opts.Name, err)
	}
	return nil
}

// start starts an operation and does not wait.
func (p *Simulator) start(name string, start step) (*engine.Live, error) {
	p.mu.Lock()
	live := p.live
	p.mu.Unlock()
	if live == nil {
		return nil, fmt.Errorf("%s: the stack %s does not exist: deploy a template first", name, p.opts.Name)
	}
	err := live.Do(func(m *engine.Machine, now time.Time) error {
		p.logf("%s of %s", name, p.opts.Name)
		return start(m, now)
	})
	if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
		return nil, fmt.Errorf("CloudFormation refuses %s: %s", name, refused.Message)
	}
	return live, err
}

// Cancel cancels the operation that is in progress.
func (p *Simulator) Cancel() error {
	_, err := p.start("Cancel", cancelling)
	return err
}

// cancelling is CancelUpdateStack, or DeleteStack of a stack that is being
// created.
func cancelling(m *engine.Machine, now time.Time) error {
	if m.Stack().Status == "CREATE_IN_PROGRESS" {
		return m.Delete(now, nil, false)
	}
	return m.Cancel(now)
}

// Inject adds a fault for a later request.
func (p *Simulator) Inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, &f)
	return nil
}

// throttle refuses each Step from now on, in requests of a type.
func (p *Simulator) throttle(request string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.throttled = request
}

// fault returns the fault of a request that is being sent. The caller holds the
// lock.
func (p *Simulator) fault(q *engine.Request) Fault {
	inForward := p.status == "CREATE_IN_PROGRESS" || p.status == "UPDATE_IN_PROGRESS"
	for i, f := range p.faults {
		if !f.fits(q.RequestType, q.LogicalID) || f.Kind == CancelWhileRunning && !inForward {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		p.faults = slices.Delete(p.faults, i, i+1)
		return *f
	}
	return Fault{}
}

// UnusedFaults returns the faults that happened to no request.
func (p *Simulator) UnusedFaults() (left []Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		left = append(left, *f)
	}
	return left
}
