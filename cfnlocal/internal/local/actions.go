package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Settings are how an operation is run.
type Settings struct {
	Watcher  Watcher         // may be nil
	Faults   *Faults         // may be nil
	Options  engine.Options  // of a new stack
	List     *Listing        // runs once the stack is at rest; may be nil
	Override record.Override // of the revisions that the stack can move to
	// ExactTimeouts gives functions no more time on a busy machine, for tests of what happens at a
	// timeout.
	ExactTimeouts bool
	// Runs is called with what will run on this machine, before anything does. Its error fails the
	// operation. It may be nil.
	Runs func([]record.Run) error

	// began is called with the stack's ID once CloudFormation would have accepted the operation. It
	// may be nil.
	began func(stackID string)
}

// ErrMoving is returned for a stack whose operation was interrupted: no process
// runs it any more. Resume continues it.
var ErrMoving = errors.New("an operation on the stack was interrupted")

// ErrDeleted is returned for the deletion of a stack that is deleted already.
var ErrDeleted = errors.New("the stack is deleted already")

// A Change is a deployment: a revision, and how to deploy it.
type Change struct {
	Revision *record.Revision  // what is deployed
	Options  engine.Deployment // how; the template is the revision's
	Action   string            // CreateStack or UpdateStack, if a client of the API orders it, or "" for the one that is possible

	// Planned is called with the plan of the template before anything starts. unsaid returns the
	// warnings that the stack's latest deployment did not give about the same template. It may be nil.
	Planned func(plan *template.Plan, unsaid func(warnings []string) []string)
	// Again reports all warnings about the templates of nested stacks to the watcher, also those that
	// the latest deployment gave. They become known when the nested stacks are created.
	Again bool
	// Checked is called once the functions are built, and before anything starts, with the result of
	// the check and its *CheckError. Its error fails the deployment. If it is nil, nothing is checked.
	Checked func(*Checked, error) error
}

// Deploy creates a stack, or updates it if there is one. It returns when the stack is at rest.
func (h *Home) Deploy(ctx context.Context, name string, c Change, s Settings) (*engine.Stack, error) {
	return h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		plan, err := o.prepare(c)
		if err != nil {
			return nil, err
		}
		c.Options.Template = &plan.Template
		return func(m *engine.Machine, now time.Time) error {
			if c.Action == "CreateStack" || c.Action == "" && m.Stack().Status == "" {
				return m.Create(now, c.Options)
			}
			return m.Update(now, c.Options)
		}, nil
	})
}

// prepare makes a change's revision the stack's next one, and returns its plan.
func (o *operation) prepare(c Change) (*template.Plan, error) {
	// Options that are not given keep their values.
	rev := c.Revision
	rev.Inherit(o.record)
	if err := o.settings.Override.ApplyTo(rev); err != nil {
		return nil, err
	}

	// A deleted stack is created again with other IDs.
	if o.record.Stack.Deleted() {
		former := o.record
		if former.Stack.Status == "" {
			former = nil
		}
		o.record = record.New(o.name(), o.settings.Options, former)
	}

	// The plan needs other files and other stacks.
	rev.Number, rev.RequiresPrograms, rev.Provided = o.record.Stack.Revisions+1, true, o.provided
	if err := rev.ReadNested(); err != nil {
		return nil, err
	}
	if err := o.home.findOutputs(rev, o.record.Stack); err != nil {
		return nil, err
	}
	if err := errors.Join(o.home.findStored(rev, o.record.Stack), o.home.findImports(rev, o.record.Stack)); err != nil {
		return nil, err
	}
	plan, err := rev.Plan(o.record.Stack)
	if err != nil {
		return nil, err
	}

	// A client must acknowledge capabilities.
	if missing := template.MissingCapabilities(plan.Capabilities, rev.Capabilities); c.Action != "" && len(missing) > 0 {
		return nil, &api.RefusalError{Code: "InsufficientCapabilitiesException", Message: fmt.Sprintf("Requires capabilities : [%s]", strings.Join(missing, ", "))}
	}

	// Warnings about the template are given now, those about nested stacks once these are created.
	if c.Planned != nil {
		c.Planned(plan, func(warnings []string) []string { return o.record.Warn(rev.Body, warnings) })
	}
	o.record.OnNestedWarnings = func(nested *record.Revision, warnings []string) {
		if nested.Number != rev.Number {
			return // an earlier revision's
		}
		for _, w := range o.record.WarnNested(nested.Body, warnings, c.Again) {
			o.watcher.Note("warning: " + w)
		}
	}
	o.record.Next, o.checked = rev, c.Checked

	// The sources may have changed since an earlier attempt at this revision built its programs.
	return plan, o.home.removeOldBuilds(o.record)
}

// Delete is DeleteStack. If another process is creating the stack, Delete sends that
// process the command and returns the stack as it is then. The error is ErrDeleted if the
// stack is deleted already, unless the settings have a List to run.
func (h *Home) Delete(ctx context.Context, name string, retain []string, force bool, s Settings) (*engine.Stack, error) {
	stack, err := h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		if o.record.Stack.Status == "DELETE_COMPLETE" && s.List == nil {
			return nil, ErrDeleted
		}
		return o.onExisting(s.Override, func(m *engine.Machine, now time.Time) error {
			o.noteDependents()
			return m.Delete(now, retain, force)
		})
	})
	if !errors.As(err, new(*store.LockedError)) || len(retain) > 0 || force { // these are for a stack that is at rest
		return stack, err
	}
	return h.delegate(ctx, name, commandDelete, err)
}

// Cancel is CancelUpdateStack, or DeleteStack of a stack that is being created. If another process
// runs an operation on the stack, Cancel sends that process the command and returns the stack as it is then.
func (h *Home) Cancel(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	stack, err := h.existing(ctx, name, s, true, cancel)
	if !errors.As(err, new(*store.LockedError)) {
		return stack, err
	}
	return h.delegate(ctx, name, commandCancel, err)
}

// Resume continues an interrupted operation. It sends unanswered requests again.
func (h *Home) Resume(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, true, func(*engine.Machine, time.Time) error { return nil })
}

// Rollback is RollbackStack.
func (h *Home) Rollback(ctx context.Context, name string, retainExceptOnCreate bool, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, false, func(m *engine.Machine, now time.Time) error { return m.Rollback(now, retainExceptOnCreate) })
}

// ContinueRollback is ContinueUpdateRollback.
func (h *Home) ContinueRollback(ctx context.Context, name string, skip []string, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, false, func(m *engine.Machine, now time.Time) error { return m.Continue(now, skip) })
}

// protect is UpdateTerminationProtection. If a process works on the stack, protect sends it the command.
func (h *Home) protect(ctx context.Context, order *api.Order) (_ *engine.Stack, err error) {
	name, on := order.StackName, order.EnableTerminationProtection
	lock, err := h.store.Lock(name)
	switch {
	case errors.As(err, new(*store.LockedError)):
		return h.delegate(ctx, name, map[bool]string{true: commandProtect, false: commandUnprotect}[on], err)
	case err != nil:
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	kept, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	if err := engine.Resume(kept.Stack, nil).Protect(on); err != nil {
		return nil, err
	}
	return kept.Stack, lock.Save(kept)
}
