package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const (
	// restTime is how long the answer to an order waits for the stack to come to rest: the
	// clients' waiters look at once, and then every 30 seconds.
	restTime = 1500 * time.Millisecond
	// endTime is how long an order waits for the end of an earlier operation whose stack is at rest,
	// but whose functions may still run.
	endTime = 20 * time.Second
)

// An Operator carries out the orders of clients of CloudFormation's API, each operation in a
// goroutine. Close it when done.
type Operator struct {
	home        *Home
	substitutes record.Substitutes // of each deployment
	settings    func() Settings    // of an operation
	ctx         context.Context
	end         context.CancelFunc
	running     sync.WaitGroup

	mu     sync.Mutex
	latest map[string]taken // by the stacks' names
}

// A taken is an accepted order and its stack.
type taken struct{ action, token, stackID string }

// NewOperator returns an Operator that ends with ctx. It resumes the operations of processes that
// have ended.
func (h *Home) NewOperator(ctx context.Context, with record.Substitutes, settings func() Settings) (*Operator, error) {
	o := &Operator{home: h, substitutes: with, settings: settings, latest: map[string]taken{}}
	o.ctx, o.end = context.WithCancel(ctx)
	all, err := h.Stacks()
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		s := r.Stack
		isMoving := s.Status != "" && !s.AtRest()
		if isMoving && !h.Working(s.Name) { // its process has ended
			o.run(s.Name, func(settings Settings) (*engine.Stack, error) {
				settings.acceptance.give(s.ID) // long ago: an error goes to the watcher, since no client waits
				return h.Resume(o.ctx, s.Name, settings)
			})
		}
	}
	return o, nil
}

// Close interrupts the operations, as Ctrl-C does. They can be resumed.
func (o *Operator) Close() {
	o.end()
	o.running.Wait()
}

// Start starts an operation. It returns once the operation has begun, and the stack is at rest or a
// moment has passed.
func (o *Operator) Start(ctx context.Context, order *api.Order) (stackID string, err error) {
	// An order that comes again is answered as before.
	o.mu.Lock()
	latest := o.latest[order.StackName]
	o.mu.Unlock()
	isSame := latest.token == order.ClientRequestToken && latest.action == order.Action
	if isSame && latest.token != "" {
		return latest.stackID, nil
	}
	operate, err := o.operation(order)
	if err != nil {
		return "", err
	}

	// The previous operation may still be ending.
	stackID, ended, err := o.begin(ctx, order.StackName, operate)
	again := time.NewTicker(endTime / 100)
	defer again.Stop()
	isEnding := func(err error) bool {
		if errors.Is(err, ErrJustEnded) {
			return true
		}
		return errors.As(err, new(*store.LockedError)) && o.isAtRest(order.StackName)
	}
	for n := 0; n < 100 && isEnding(err); n++ {
		select {
		case <-again.C:
			stackID, ended, err = o.begin(ctx, order.StackName, operate)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	if err != nil {
		return "", o.refusal(order, err)
	}

	// Most operations come to rest at once.
	o.mu.Lock()
	o.latest[order.StackName] = taken{order.Action, order.ClientRequestToken, stackID}
	o.mu.Unlock()
	select {
	case <-ended: //nolint:errcheck // the watcher gets the error
	case <-time.After(restTime):
	case <-ctx.Done():
	}
	return stackID, nil
}

func (o *Operator) isAtRest(name string) bool {
	kept, err := o.home.Stack(name)
	return err == nil && kept.Stack.AtRest()
}

// begin starts an operation. It returns once the operation has begun, or has ended without beginning.
func (o *Operator) begin(ctx context.Context, name string, operate func(Settings) (*engine.Stack, error)) (stackID string, _ <-chan error, err error) {
	began, ended := o.run(name, operate)
	select {
	case stackID = <-began:
		return stackID, ended, nil
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	select {
	case stackID = <-began: // it came to rest at once
		return stackID, ended, nil
	default:
		return "", ended, err
	}
}

// run starts an operation. began gets the stack's ID, and ended the operation's error.
func (o *Operator) run(name string, operate func(Settings) (*engine.Stack, error)) (began <-chan string, ended <-chan error) {
	accepted, e := &acceptance{stackID: make(chan string, 1)}, make(chan error, 1)
	s := o.settings()
	s.acceptance = accepted
	o.running.Go(func() {
		stack, err := operate(s)
		if err == nil { // it came to rest at once, or another process did it
			accepted.give(stack.ID)
		}
		if err != nil && accepted.given && s.Watcher != nil { // else the client gets the error
			s.Watcher.Note("the stack " + name + ": " + err.Error() + "; cfnlocal resume, or the next serve --deploy, continues an interrupted operation")
		}
		e <- err
		close(e)
	})
	return accepted.stackID, e
}

// operation returns the operation that an order asks for.
func (o *Operator) operation(order *api.Order) (func(Settings) (*engine.Stack, error), error) {
	h, name := o.home, order.StackName
	switch order.Action {
	case "DeleteStack":
		return func(s Settings) (*engine.Stack, error) { return h.Delete(o.ctx, name, order.RetainResources, false, s) }, nil
	case "CancelUpdateStack":
		return func(s Settings) (*engine.Stack, error) {
			if err := o.refusedInProgress(order); err != nil { // Cancel takes a creation for DeleteStack
				return nil, err
			}
			return h.Cancel(o.ctx, name, s)
		}, nil
	case "ContinueUpdateRollback":
		return func(s Settings) (*engine.Stack, error) {
			return h.ContinueRollback(o.ctx, name, order.ResourcesToSkip, s)
		}, nil
	case "RollbackStack":
		return func(s Settings) (*engine.Stack, error) { return h.Rollback(o.ctx, name, order.RetainExceptOnCreate, s) }, nil
	case "UpdateTerminationProtection":
		return func(Settings) (*engine.Stack, error) { return h.protect(o.ctx, order) }, nil
	}
	rev, err := o.revision(order)
	if err != nil {
		return nil, err
	}
	change := Change{Revision: rev, Action: order.Action, Deployment: engine.Deployment{
		DisableRollback: order.DisableRollback, OnFailure: order.OnFailure, RetainExceptOnCreate: order.RetainExceptOnCreate,
		TerminationProtection: order.EnableTerminationProtection,
	}}
	return func(s Settings) (*engine.Stack, error) { return h.CreateOrUpdate(o.ctx, name, change, nil, s) }, nil
}

// revision returns the revision that an order deploys.
func (o *Operator) revision(order *api.Order) (*record.Revision, error) {
	rev, err := record.FromBody(order.TemplateBody)
	if err != nil {
		return nil, err
	}
	if order.UsePreviousTemplate {
		kept, err := o.home.Stack(order.StackName)
		if err != nil {
			return nil, err
		}
		former := kept.Current()
		rev.File, rev.Body, rev.Dir = former.File, former.Body, former.Dir
	}
	rev.Parameters, rev.Keeps = order.Parameters, append([]string{}, order.PreviousValues...)
	rev.Capabilities, rev.Tags = order.Capabilities, map[string]string{}
	for _, t := range order.Tags {
		rev.Tags[t.Key] = t.Value
	}
	rev.Substitutes = o.substitutes
	rev.Types = maps.Clone(rev.Types) // a deployment adds their schemas
	return rev, nil
}

// refusal returns CloudFormation's error for an operation that did not begin.
func (o *Operator) refusal(order *api.Order, err error) error {
	if errors.As(err, new(*store.LockedError)) || errors.Is(err, ErrMoving) {
		if inProgress := o.refusedInProgress(order); inProgress != nil {
			return inProgress
		}
	}
	if errors.As(err, new(*engine.ValidationError)) || errors.As(err, new(*api.RefusalError)) {
		return err
	}
	if errors.Is(err, ErrMoving) {
		err = fmt.Errorf("%w; cfnlocal resume %s continues it", err, order.StackName)
	}
	return &engine.ValidationError{Message: err.Error()} // about the template, a program, or a value
}

// refusedInProgress returns the engine's error for an order about a stack that a process works on,
// as the stack was last saved.
func (o *Operator) refusedInProgress(order *api.Order) error {
	kept, err := o.home.Stack(order.StackName)
	if errors.Is(err, ErrNoStack) { // it is being created, and not saved yet
		return engine.AlreadyExists(order.StackName)
	}
	if err != nil {
		return err
	}
	m, err := kept.Machine()
	if err != nil {
		return err
	}
	now, d := time.Now(), engine.Deployment{Template: new(engine.Template)}
	switch order.Action {
	case "CreateStack":
		return m.Create(now, d)
	case "UpdateStack":
		return m.Update(now, d)
	case "DeleteStack":
		return m.Delete(now, order.RetainResources, false)
	case "CancelUpdateStack":
		return m.Cancel(now)
	case "RollbackStack":
		return m.Rollback(now, false)
	case "ContinueUpdateRollback":
		return m.Continue(now, nil)
	}
	return nil
}
