package main

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
)

// The stack that most commands are about.
type named struct {
	Stack string `arg:"" optional:"" help:"Name of the stack. It need not be given if there is only one."`
}

// name returns the stack's name, or that of the only one there is.
func (n *named) name(a *app) (string, error) {
	if n.Stack != "" {
		return n.Stack, nil
	}
	h, err := a.home()
	if err != nil {
		return "", err
	}
	defer func() { _ = h.Close() }()
	all, err := h.Stacks()
	if err != nil {
		return "", err
	}
	var names []string
	for _, r := range all {
		if !local.Deleted(r.Stack) || len(all) == 1 {
			names = append(names, r.Stack.Name)
		}
	}
	if len(names) != 1 {
		if len(names) == 0 {
			return "", &failure{errors.New("which stack? There is none in " + a.dir), "give --dir, or deploy one", exitUsage}
		}
		return "", &failure{errors.New("which stack? There are " + strings.Join(names, ", ")), "give its name", exitUsage}
	}
	return names[0], nil
}

// run runs an operation on the stack.
func (n *named) run(a *app, o operation, work func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error)) error {
	name, err := n.name(a)
	if err != nil {
		return err
	}
	return a.do(name, o, func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error) {
		return work(ctx, h, name, s)
	})
}

type deleteCmd struct {
	named
	operation
	Retain []string `help:"Logical IDs to keep, of a stack in DELETE_FAILED." placeholder:"RESOURCE"`
	Force  bool     `help:"Delete a stack in DELETE_FAILED, whatever fails."`
}

// Run is DeleteStack.
func (c *deleteCmd) Run(a *app) error {
	return c.run(a, c.operation, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Delete(ctx, name, c.Retain, c.Force, s)
	})
}

type rollbackCmd struct {
	named
	operation
}

// Run is RollbackStack.
func (c *rollbackCmd) Run(a *app) error {
	return c.run(a, c.operation, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Rollback(ctx, name, s)
	})
}

type continueRollbackCmd struct {
	named
	operation
	Skip []string `help:"Logical IDs of what failed in the rollback and is not to be tried again; in a nested stack, NESTED.RESOURCE." placeholder:"RESOURCE"`
}

// Run is ContinueUpdateRollback.
func (c *continueRollbackCmd) Run(a *app) error {
	return c.run(a, c.operation, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.ContinueRollback(ctx, name, c.Skip, s)
	})
}

type cancelCmd struct {
	named
	operation
}

// Run is CancelUpdateStack, or DeleteStack of a stack that is being created.
func (c *cancelCmd) Run(a *app) error {
	return c.run(a, c.operation, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Cancel(ctx, name, s)
	})
}

type resumeCmd struct {
	named
	operation
}

// Run goes on with what was interrupted.
func (c *resumeCmd) Run(a *app) error {
	if s, _, err := c.stack(a); err == nil && s.AtRest() {
		return a.say("Nothing is to be done: the stack " + s.Name + " is in " + s.Status + ", and nothing was interrupted.")
	}
	return c.run(a, c.operation, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Resume(ctx, name, s)
	})
}
