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

// A Player plays a stack against a function. It is a Stack without a test: what
// goes wrong is an error, or a violation. In a bubble it is deterministic: of
// all that it starts, no two things begin at the same instant.
type Player struct {
	function func() Handler
	opts     StackOptions
	base     context.Context // of all invocations
	began    time.Time
	hurry    hurry
	ahead    atomic.Int64 // of the clock, in nanoseconds: what was skipped in real time
	ended    func(k Call) // is called, if not nil, when a call has ended

	// mu guards what follows. It may be taken in a step of a Live, and no step
	// is done while it is held.
	mu         sync.Mutex
	live       *engine.Live // the stack that there is, or was last
	stacks     uint64       // made so far: one that was deleted can be created again
	state      string       // the stack's status
	rows       int          // of the stack's events that were told
	exchanges  []*exchange
	open       []*exchange // waited for
	faults     []*Fault    // that no request has met
	violations []Violation
	ids        []string // physical IDs that were heard of
	told       []line
	warm       Handler   // a process that waits for work
	throttled  string    // the type of the requests with which each Step is refused
	continues  bool      // the function's Options.Continue is set
	updated    time.Time // when the stack's latest update began
	lastStart  time.Time
	work       work
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

// NewPlayer returns a Player without a stack. ctx is that of all invocations.
func NewPlayer(ctx context.Context, function func() Handler, o StackOptions) (*Player, error) {
	if function == nil {
		return nil, errors.New("the Service has no Function")
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("the Timeout is %v: make it positive, or zero for a minute", o.Timeout)
	}
	o.Name = cmp.Or(o.Name, "my-stack")
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	return &Player{function: function, opts: o, base: ctx, began: time.Now()}, nil
}

// Deploy is CreateStack or UpdateStack. Like the operations below, it returns
// when the stack is at rest.
func (p *Player) Deploy(t Template, d Deployment) error {
	to := engine.Deployment{Template: t.build(), DisableRollback: d.DisableRollback, OnFailure: d.OnFailure}
	switch p.Status() {
	case "", "DELETE_COMPLETE":
		p.create()
		return p.play("CreateStack", func(m *engine.Machine, now time.Time) error { return m.Create(now, to) })
	}
	return p.play("UpdateStack", func(m *engine.Machine, now time.Time) error { return m.Update(now, to) })
}

// Destroy is DeleteStack.
func (p *Player) Destroy(retain []string) error {
	return p.play("DeleteStack", func(m *engine.Machine, now time.Time) error { return m.Delete(now, retain, false) })
}

// Rollback is RollbackStack.
func (p *Player) Rollback() error {
	return p.play("RollbackStack", func(m *engine.Machine, now time.Time) error { return m.Rollback(now, false) })
}

// ContinueRollback is ContinueUpdateRollback.
func (p *Player) ContinueRollback(skip []string) error {
	return p.play("ContinueUpdateRollback", func(m *engine.Machine, now time.Time) error { return m.Continue(now, skip) })
}

// create puts a stack in the place of one that was deleted: another one, with
// IDs of its own.
func (p *Player) create() {
	m := engine.New(p.opts.Name, engine.Options{Region: "us-west-2", Seed: p.opts.Seed + p.stacks<<32})
	m.StandIn = standIn
	live := engine.NewLive(m)
	live.Now = p.now
	live.Save = func(s *engine.Stack, _ *engine.Patch) error { p.watch(s); return nil }
	live.Send = func(q *engine.Request) { p.send(live, q) }
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live, p.state, p.rows, p.updated = live, "", 0, time.Time{}
	p.stacks++
}

type step func(m *engine.Machine, now time.Time) error

// play starts an operation, and waits until the stack is at rest.
func (p *Player) play(name string, start step) error {
	live, err := p.start(name, start)
	if err != nil {
		return err
	}
	if p.opts.RealTime {
		p.skip(live)
	}
	if err := live.Wait(p.base); err != nil {
		return fmt.Errorf("%s of %s does not end: %w", name, p.opts.Name, err)
	}
	return nil
}

// start starts an operation.
func (p *Player) start(name string, start step) (*engine.Live, error) {
	p.mu.Lock()
	live := p.live
	p.mu.Unlock()
	if live == nil {
		return nil, fmt.Errorf("%s: the stack %s does not exist: deploy a template first", name, p.opts.Name)
	}
	err := live.Do(func(m *engine.Machine, now time.Time) error {
		p.tell("%s of %s", name, p.opts.Name)
		return start(m, now)
	})
	if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
		return nil, fmt.Errorf("CloudFormation refuses %s: %s", name, refused.Message)
	}
	return live, err
}

// Cancel cancels what is in work.
func (p *Player) Cancel() error {
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

// Inject has something go wrong with a request to come.
func (p *Player) Inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, &f)
	return nil
}

// throttle has each Step be refused from now on, with requests of a type.
func (p *Player) throttle(request string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.throttled = request
}

// fault returns what goes wrong with a request that is being sent. The caller
// holds the lock.
func (p *Player) fault(q *engine.Request) Fault {
	inForward := p.state == "CREATE_IN_PROGRESS" || p.state == "UPDATE_IN_PROGRESS"
	for i, f := range p.faults {
		if !f.fits(q.RequestType, q.LogicalID) || f.What == CancelWhileRunning && !inForward {
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

// Unmet returns the faults that no request has met.
func (p *Player) Unmet() (left []Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		left = append(left, *f)
	}
	return left
}
