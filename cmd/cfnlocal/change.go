package main

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
)

// stackArg is the argument that names the stack of most commands.
type stackArg struct {
	Stack string `arg:"" optional:"" help:"The name of the stack. Optional if there is only one."`
}

// name returns the stack's name. Without the argument it is the name of the only stack.
func (n *stackArg) name(a *app) (string, error) {
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
		if !r.Stack.Deleted() || len(all) == 1 {
			names = append(names, r.Stack.Name)
		}
	}
	if len(names) != 1 {
		if len(names) == 0 {
			return "", &failure{errors.New("which stack? There is none in " + a.dir), "give --dir, or deploy one", exitUsage}
		}
		return "", &failure{errors.New("which stack? There are " + strings.Join(names, ", ")), "name it, such as cfnlocal " + a.command + " " + names[0], exitUsage}
	}
	return names[0], nil
}

// run runs an operation on the stack.
func (n *stackArg) run(a *app, o operationFlags, r serviceFlags, work func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error)) error {
	name, err := n.name(a)
	if err != nil {
		return err
	}
	return a.runOperation(name, o, r.values(), func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error) {
		return work(ctx, h, name, s)
	})
}

type deleteCmd struct {
	stackArg
	operationFlags
	serviceFlags
	Retain []string `help:"Logical IDs of resources to keep, for a stack in DELETE_FAILED." placeholder:"RESOURCE"`
	Force  bool     `help:"Delete a stack in DELETE_FAILED even if resources fail again."`
}

// Run calls DeleteStack. With --list, it asks the service even if the stack is
// already deleted.
func (c *deleteCmd) Run(a *app) error {
	return c.run(a, c.operationFlags, c.serviceFlags, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Delete(ctx, name, c.Retain, c.Force, s)
	})
}

type rollbackCmd struct {
	stackArg
	operationFlags
	serviceFlags
}

// Run calls RollbackStack.
func (c *rollbackCmd) Run(a *app) error {
	return c.run(a, c.operationFlags, c.serviceFlags, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Rollback(ctx, name, s)
	})
}

type continueRollbackCmd struct {
	stackArg
	operationFlags
	serviceFlags
	Skip []string `help:"Logical IDs of resources that failed in the rollback and are skipped. In a nested stack, NESTED.RESOURCE." placeholder:"RESOURCE"`
}

// Run calls ContinueUpdateRollback.
func (c *continueRollbackCmd) Run(a *app) error {
	return c.run(a, c.operationFlags, c.serviceFlags, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.ContinueRollback(ctx, name, c.Skip, s)
	})
}

type cancelCmd struct {
	stackArg
	operationFlags
	serviceFlags
}

// Run calls CancelUpdateStack, or DeleteStack if the stack is being created.
func (c *cancelCmd) Run(a *app) error {
	return c.run(a, c.operationFlags, c.serviceFlags, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		if r, err := h.Stack(name); err == nil && r.Stack.AtRest() && !h.Working(name) {
			return r.Stack, &failure{errors.New("CancelUpdateStack cannot be called from current stack status: " + name + " is in " + r.Stack.Status),
				"nothing is to be cancelled; cfnlocal describe " + name + " shows the stack", exitRefused}
		}
		return h.Cancel(ctx, name, s)
	})
}

type resumeCmd struct {
	stackArg
	operationFlags
	serviceFlags
}

// Run resumes an interrupted operation.
func (c *resumeCmd) Run(a *app) error {
	if s, _, err := c.stack(a); err == nil && s.AtRest() {
		return a.say("Nothing is to be done: the stack " + s.Name + " is in " + s.Status + ", and nothing was interrupted.")
	}
	return c.run(a, c.operationFlags, c.serviceFlags, func(ctx context.Context, h *local.Home, name string, s local.Settings) (*engine.Stack, error) {
		return h.Resume(ctx, name, s)
	})
}
