package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/query"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
	"github.com/cfnresource/sdk-go/internal/cfn/template/iam"
)

// restTime is how long an order is held back for the stack to come to rest: the clients'
// waiters look every 30 seconds, and at once.
const restTime = 1500 * time.Millisecond

// endTime is how long an order waits at most for the end of an operation whose stack is at
// rest.
const endTime = 20 * time.Second

// An Operator carries out what clients of CloudFormation's API order, each stack's
// operation in a goroutine. Close it when done.
type Operator struct {
	home     *Home
	complete func(*record.Deployment) // adds what runs functions
	settings func(stack string) Settings
	ctx      context.Context
	end      context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	tokens map[string]string // the stacks' IDs by ClientRequestToken
}

// NewOperator returns an Operator that ends with ctx. It goes on with the operations of
// processes that have ended.
func (h *Home) NewOperator(ctx context.Context, complete func(*record.Deployment), settings func(stack string) Settings) (*Operator, error) {
	o := &Operator{home: h, complete: complete, settings: settings, tokens: map[string]string{}}
	o.ctx, o.end = context.WithCancel(ctx)
	all, err := h.Stacks()
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if s := r.Stack; s.Status != "" && !s.AtRest() && !h.Working(s.Name) {
			o.run(s.Name, func(settings Settings) (*engine.Stack, error) { return h.Resume(o.ctx, s.Name, settings) })
		}
	}
	return o, nil
}

// Close interrupts what runs, as Ctrl-C does: it can be resumed.
func (o *Operator) Close() {
	o.end()
	o.running.Wait()
}

// run starts an operation. Its channels tell that it began, and how it ended.
func (o *Operator) run(stack string, operate func(Settings) (*engine.Stack, error)) (began <-chan string, ended <-chan error) {
	b, e := make(chan string, 1), make(chan error, 1)
	s := o.settings(stack)
	s.Began = func(id string) {
		select {
		case b <- id:
		default:
		}
	}
	o.running.Go(func() {
		_, err := operate(s)
		if err != nil && s.Watcher != nil && !errors.Is(err, context.Canceled) {
			s.Watcher.Note(err.Error())
		}
		e <- err
	})
	return b, e
}

// Start starts an operation, and returns once it began, and the stack is at rest or a
// moment has passed.
func (o *Operator) Start(ctx context.Context, order *query.Order) (stackID string, err error) {
	name := order.StackName
	if parts := strings.SplitN(name, "/", 3); strings.HasPrefix(name, "arn:") && len(parts) == 3 {
		name = parts[1]
	}
	token := order.Action + " " + name + " " + order.ClientRequestToken
	if id := o.known(token); order.ClientRequestToken != "" && id != "" {
		return id, nil
	}
	kept, err := o.existing(name, order)
	if err != nil {
		return "", err
	}
	operate, err := o.operation(name, order, kept)
	if err != nil {
		return "", err
	}
	stackID, ended, err := o.begin(ctx, name, operate)
	again := time.NewTicker(endTime / 100)
	defer again.Stop()
	for n := 0; n < 100 && o.stillEnds(name, err); n++ {
		select {
		case <-again.C:
			stackID, ended, err = o.begin(ctx, name, operate)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	switch {
	case err != nil:
		return "", o.refusal(name, order, err)
	case stackID == "" && kept != nil:
		return kept.Stack.ID, nil // a command to what runs, or nothing was to be done
	}
	o.remember(token, stackID)
	select {
	case <-ended: //nolint:errcheck // what failed is told by the watcher
	case <-time.After(restTime):
	case <-ctx.Done():
	}
	return stackID, nil
}

// begin starts an operation, and returns once it began, or ended before.
func (o *Operator) begin(ctx context.Context, name string, operate func(Settings) (*engine.Stack, error)) (stackID string, _ <-chan error, err error) {
	began, ended := o.run(name, operate)
	select {
	case stackID = <-began:
	case err = <-ended:
		select {
		case stackID = <-began: // it came to rest at once
			done := make(chan error)
			close(done)
			return stackID, done, nil
		default:
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return stackID, ended, err
}

// stillEnds reports whether an operation was refused since the one before it, whose stack
// is at rest, has not quite ended: its functions' processes are.
func (o *Operator) stillEnds(name string, err error) bool {
	if !errors.As(err, new(*store.LockedError)) {
		return false
	}
	kept, err := o.home.Stack(name)
	return err == nil && kept.Stack.AtRest()
}

func (o *Operator) known(token string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tokens[token]
}

func (o *Operator) remember(token, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tokens[token] = id
}

// existing returns the stack that an order is about, or nil if it is to be created.
func (o *Operator) existing(name string, order *query.Order) (*record.Record, error) {
	kept, err := o.home.Stack(name)
	there := err == nil && !kept.Stack.Deleted() && kept.Stack.Status != ""
	switch {
	case err != nil && !errors.Is(err, ErrNoStack):
		return nil, err
	case order.Action == "CreateStack" && there:
		return nil, &query.RefusalError{Code: "AlreadyExistsException", Message: fmt.Sprintf("Stack [%s] already exists", name)}
	case order.Action == "CreateStack":
		return nil, nil
	case there && strings.HasPrefix(order.StackName, "arn:") && kept.Stack.ID != order.StackName:
		there = false
	}
	switch {
	case there:
		return kept, nil
	case order.Action == "DeleteStack": // [D] the deletion of what is not there succeeds
		return nil, nil
	case order.Action == "UpdateStack", order.Action == "CancelUpdateStack":
		return nil, &query.RefusalError{Code: "ValidationError", Message: fmt.Sprintf("Stack [%s] does not exist", order.StackName)}
	}
	return nil, &query.RefusalError{Code: "ValidationError", Message: fmt.Sprintf("Stack with id %s does not exist", order.StackName)}
}

// operation returns what an order has done.
func (o *Operator) operation(name string, order *query.Order, kept *record.Record) (func(Settings) (*engine.Stack, error), error) {
	h := o.home
	switch order.Action {
	case "DeleteStack":
		return func(s Settings) (*engine.Stack, error) {
			if kept == nil {
				s.Began("")
				return nil, nil
			}
			return h.Delete(o.ctx, name, order.RetainResources, false, s)
		}, nil
	case "CancelUpdateStack":
		return func(s Settings) (*engine.Stack, error) { return h.Cancel(o.ctx, name, s) }, nil
	case "ContinueUpdateRollback":
		return func(s Settings) (*engine.Stack, error) {
			return h.ContinueRollback(o.ctx, name, order.ResourcesToSkip, s)
		}, nil
	case "RollbackStack":
		return func(s Settings) (*engine.Stack, error) { return h.rollback(o.ctx, name, order.RetainExceptOnCreate, s) }, nil
	case "UpdateTerminationProtection":
		return func(s Settings) (*engine.Stack, error) {
			return h.Protect(o.ctx, name, order.EnableTerminationProtection, s)
		}, nil
	}
	d, err := o.deployment(order, kept)
	if err != nil {
		return nil, err
	}
	change := Change{
		DisableRollback: order.DisableRollback, OnFailure: order.OnFailure, RetainExceptOnCreate: order.RetainExceptOnCreate,
		TerminationProtection: order.EnableTerminationProtection,
		Planned: func(plan *template.Plan, _ func([]string) []string) error {
			if all := iam.Missing(plan.Capabilities, order.Capabilities); len(all) > 0 {
				return &query.RefusalError{Code: "InsufficientCapabilitiesException", Message: fmt.Sprintf("Requires capabilities : [%s]", strings.Join(all, ", "))}
			}
			return nil
		},
	}
	return func(s Settings) (*engine.Stack, error) { return h.Deploy(o.ctx, name, d, change, s) }, nil
}

// deployment returns what an order deploys.
func (o *Operator) deployment(order *query.Order, kept *record.Record) (*record.Deployment, error) {
	d, err := record.FromBody(order.TemplateBody)
	if err != nil {
		return nil, err
	}
	if order.UsePreviousTemplate {
		former := kept.Current()
		if former == nil {
			return nil, &query.RefusalError{Code: "ValidationError", Message: "There is no previous template"}
		}
		d.File, d.Body, d.Dir = former.File, former.Body, former.Dir
	}
	d.Parameters, d.Keeps = order.Parameters, append([]string{}, order.PreviousValues...)
	d.Capabilities, d.Tags = order.Capabilities, map[string]string{}
	for _, t := range order.Tags {
		d.Tags[t.Key] = t.Value
	}
	o.complete(d)
	return d, nil
}

// refusal words what kept an operation from its beginning as CloudFormation does.
func (o *Operator) refusal(name string, order *query.Order, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*engine.ValidationError)), errors.As(err, new(*query.RefusalError)):
		return err
	case errors.As(err, new(*store.LockedError)), errors.Is(err, ErrMoving):
		if order.Action == "CreateStack" {
			return &query.RefusalError{Code: "AlreadyExistsException", Message: fmt.Sprintf("Stack [%s] already exists", name)}
		}
		id, status := name, "IN_PROGRESS"
		if kept, unread := o.home.Stack(name); unread == nil {
			id, status = kept.Stack.ID, kept.Stack.Status
		}
		switch order.Action {
		case "DeleteStack":
			return &query.RefusalError{Code: "ValidationError", Message: fmt.Sprintf("Stack [%s] cannot be deleted while in status %s", name, status)}
		case "CancelUpdateStack":
			return &query.RefusalError{Code: "ValidationError", Message: "CancelUpdateStack cannot be called from current stack status"}
		}
		return &query.RefusalError{Code: "ValidationError", Message: fmt.Sprintf("Stack:%s is in %s state and can not be updated.", id, status)}
	}
	return &query.RefusalError{Code: "ValidationError", Message: err.Error()} // of the template, a program, or a value
}
