package local

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// operation returns what an order has done.
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
	change := Change{Revision: rev, Action: order.Action, Options: engine.Deployment{
		DisableRollback: order.DisableRollback, OnFailure: order.OnFailure, RetainExceptOnCreate: order.RetainExceptOnCreate,
		TerminationProtection: order.EnableTerminationProtection,
	}}
	return func(s Settings) (*engine.Stack, error) { return h.Deploy(o.ctx, name, change, s) }, nil
}

// refuseCapabilities returns an error if a plan needs capabilities that an order does not have.
func refuseCapabilities(plan *template.Plan, given []string) error {
	if all := template.MissingCapabilities(plan.Capabilities, given); len(all) > 0 {
		return &api.RefusalError{Code: "InsufficientCapabilitiesException", Message: fmt.Sprintf("Requires capabilities : [%s]", strings.Join(all, ", "))}
	}
	return nil
}

// deployment returns what an order deploys.
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

// refusal words what kept an operation from its beginning as CloudFormation does.
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
		err = fmt.Errorf("%w; cfnlocal resume %s goes on with it", err, order.StackName)
	}
	return &engine.ValidationError{Message: err.Error()} // of the template, a program, or a value
}

// refusedInProgress returns what the engine says of an order about a stack that somebody
// works on, as it was last saved.
func (o *Operator) refusedInProgress(order *api.Order) error {
	kept, err := o.home.Stack(order.StackName)
	if errors.Is(err, ErrNoStack) { // a creation of which nothing is saved yet
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
