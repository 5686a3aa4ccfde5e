package main

import (
	"context"
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// stackArg is the argument that names the stack of most commands.
type stackArg struct {
	Stack string `arg:"" optional:"" help:"The name of the stack. Optional if there is only one."`
}

// find returns the stack's name, and the home that it is in. Without the argument it is
// the name of the only stack.
func (s *stackArg) find(a *app) (h *local.Home, name string, err error) {
	h, err = a.home()
	if err != nil || s.Stack != "" {
		return h, s.Stack, err
	}
	all, err := h.Stacks()
	if err != nil {
		return nil, "", err
	}
	var names []string
	for _, r := range all {
		if !r.Stack.Deleted() || len(all) == 1 {
			names = append(names, r.Stack.Name)
		}
	}
	switch len(names) {
	case 0:
		return nil, "", &failure{errors.New("which stack? There is none in " + a.dir), "give --dir, or deploy one", exitUsage}
	case 1:
		return h, names[0], nil
	}
	return nil, "", &failure{errors.New("which stack? There are " + strings.Join(names, ", ")), "name it, such as cfnlocal " + a.command + " " + names[0], exitUsage}
}

// changeFlags are those of the commands that run an operation without a template.
type changeFlags struct {
	stackArg
	operationFlags
	serviceFlags
}

func (c *changeFlags) run(a *app, work func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error)) error {
	_, name, err := c.find(a)
	if err != nil {
		return err
	}
	return a.runOperation(name, c.operationFlags, c.values(), func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error) {
		return work(h, ctx, name, s)
	})
}

type deleteCmd struct {
	changeFlags
	Retain []string `help:"Logical IDs of resources to keep, for a stack in DELETE_FAILED." placeholder:"RESOURCE"`
	Force  bool     `help:"Delete a stack in DELETE_FAILED even if resources fail again."`
}

// Run calls DeleteStack. With --list, it asks the service even if the stack is already deleted.
func (c *deleteCmd) Run(a *app) error {
	return c.run(a, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		return h.Delete(ctx, name, c.Retain, c.Force, s)
	})
}

type rollbackCmd struct{ changeFlags }

// Run calls RollbackStack.
func (c *rollbackCmd) Run(a *app) error {
	return c.run(a, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		return h.Rollback(ctx, name, false, s)
	})
}

type continueRollbackCmd struct {
	changeFlags
	Skip []string `help:"Logical IDs of resources that failed in the rollback and are skipped. In a nested stack, NESTED.RESOURCE." placeholder:"RESOURCE"`
}

// Run calls ContinueUpdateRollback.
func (c *continueRollbackCmd) Run(a *app) error {
	return c.run(a, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		return h.ContinueRollback(ctx, name, c.Skip, s)
	})
}

type cancelCmd struct{ changeFlags }

// Run calls CancelUpdateStack, or DeleteStack if the stack is being created.
func (c *cancelCmd) Run(a *app) error {
	return c.run(a, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		if r, err := h.Stack(name); err == nil && r.Stack.AtRest() && !h.Working(name) {
			return r.Stack, &failure{errors.New("CancelUpdateStack cannot be called from current stack status: " + name + " is in " + r.Stack.Status),
				"nothing is to be cancelled; cfnlocal describe " + name + " shows the stack", exitRefused}
		}
		return h.Cancel(ctx, name, s)
	})
}

type resumeCmd struct{ changeFlags }

// Run resumes an interrupted operation.
func (c *resumeCmd) Run(a *app) error {
	if r, err := c.record(a); err == nil && r.Stack.AtRest() {
		return a.say("Nothing is to be done: the stack " + r.Stack.Name + " is in " + r.Stack.Status + ", and nothing was interrupted.")
	}
	return c.run(a, (*local.Home).Resume)
}
