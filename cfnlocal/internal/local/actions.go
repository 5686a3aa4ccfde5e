package local

import (
	"context"
	"errors"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Settings are how an operation is run.
type Settings struct {
	Watcher  Watcher             // nil is nobody
	Faults   *Faults             // nil are none
	Options  engine.Options      // of a stack that is made
	Assume   []engine.Assumption // from now on
	List     *Listing            // is asked once the stack is at rest; nil is not
	Override record.Override     // of the deployments that the stack is led to
	// ExactTimeouts gives functions no more time on a busy machine: what they do at
	// their timeout is what is played.
	ExactTimeouts bool
	// Runs is told what will be run on this machine, before anything is. It may be nil.
	Runs func([]record.Run)
	// Found is called with the stack as it is before the operation, which it must
	// neither change nor keep. It may be nil.
	Found func(*engine.Stack)
	// Began is called with the stack's ID once CloudFormation would have taken the
	// operation. It may be nil.
	Began func(stackID string)
}

// ErrMoving is returned for a stack whose operation was interrupted: no process
// runs it any more. Resume continues it.
var ErrMoving = errors.New("an operation on the stack was interrupted")

// ErrDeleted is returned for the deletion of a stack that is deleted already.
var ErrDeleted = errors.New("the stack is deleted already")

// A Change is what a deployment takes beside the template.
type Change struct {
	Action                string // CreateStack, UpdateStack, or "" for that which the stack is for
	DisableRollback       bool
	OnFailure             string // of a creation
	RetainExceptOnCreate  bool
	TerminationProtection bool // of a creation
	Express               bool // the deployment mode EXPRESS
	ExpressRollback       bool // which rolls back what fails
	// Planned is called with the plan of the template before anything starts. unsaid returns which
	// of the warnings about it are new: the stack's latest deployment did not give them, or was one
	// of another template. Its error refuses the deployment.
	Planned func(plan *template.Plan, unsaid func(warnings []string) []string) error
	// Again reports all warnings about the templates of nested stacks to the
	// watcher, including old ones. They become known when the nested stacks are made.
	Again bool
	// Checked is called with the functions' descriptions, once they are built and
	// before anything starts, and with the *CheckError of what they would refuse.
	// Its error fails the deployment. If Checked is nil, no function is asked.
	Checked func(*Checked, error) error
}

// Deploy creates a stack, or updates it if there is one. It returns when the stack is at rest.
func (h *Home) Deploy(ctx context.Context, name string, rev *record.Revision, c Change, s Settings) (*engine.Stack, error) {
	return h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		plan, err := o.prepare(rev, c, s)
		if err != nil {
			return nil, err
		}
		return func(m *engine.Machine, now time.Time) error {
			e := engine.Deployment{
				Template: &plan.Template, DisableRollback: c.DisableRollback, OnFailure: c.OnFailure, RetainExceptOnCreate: c.RetainExceptOnCreate,
				TerminationProtection: c.TerminationProtection, Express: c.Express, ExpressRollback: c.ExpressRollback,
			}
			if c.Action == "CreateStack" || c.Action == "" && m.Stack().Status == "" {
				return m.Create(now, e)
			}
			return m.Update(now, e)
		}, nil
	})
}

// prepare makes a deployment the stack's next one, and returns its plan.
func (o *operation) prepare(rev *record.Revision, c Change, s Settings) (*template.Plan, error) {
	// What is not said again is as before.
	rev.Inherit(o.record)
	if err := s.Override.ApplyTo(rev); err != nil {
		return nil, err
	}

	// A stack that was deleted is made anew, with other IDs.
	if o.record.Stack.Deleted() {
		former := o.record
		if former.Stack.Status == "" {
			former = nil
		}
		o.record = record.New(o.name(), s.Options, former)
	}

	// What the plan needs is read, from other files and from other stacks.
	rev.Number, rev.RequiresPrograms = o.record.Stack.Revisions+1, true
	if err := rev.ReadNested(); err != nil {
		return nil, err
	}
	if err := o.home.findOutputs(rev, o.record.Stack); err != nil {
		return nil, err
	}
	if err := o.home.findImports(rev, o.record.Stack); err != nil {
		return nil, err
	}
	plan, err := rev.Plan(o.record.Stack)
	if err != nil {
		return nil, err
	}

	// The warnings about it are told, those about nested stacks once they are made.
	if c.Planned != nil {
		if err := c.Planned(plan, func(warnings []string) []string { return o.record.Warn(rev.Body, warnings) }); err != nil {
			return nil, err
		}
	}
	o.record.OnNestedWarnings = func(nested *record.Revision, warnings []string) {
		if nested.Number != rev.Number {
			return // it is of a deployment before
		}
		for _, w := range o.record.WarnNested(nested.Body, warnings, c.Again) {
			o.watcher.Note("warning: " + w)
		}
	}
	o.record.Next, o.checked = rev, c.Checked
	// A program of this revision was refused or interrupted before, and its source may
	// have changed.
	return plan, o.home.removeOldBuilds(o.record)
}

// Delete is DeleteStack. If another process is creating the stack, Delete sends it
// the command and returns the stack as it is then. The error is ErrDeleted if the
// stack is deleted already, unless the settings have a List to be asked.
func (h *Home) Delete(ctx context.Context, name string, retain []string, force bool, s Settings) (*engine.Stack, error) {
	stack, err := h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		if o.record.Stack.Status == "DELETE_COMPLETE" && s.List == nil {
			return nil, ErrDeleted
		}
		return o.onExisting(s.Override, func(m *engine.Machine, now time.Time) error {
			if err := h.deletable(o.record); err != nil {
				return err
			}
			return m.Delete(now, retain, force)
		})
	})
	if !errors.As(err, new(*store.LockedError)) || len(retain) > 0 || force { // these are for a stack that is at rest
		return stack, err
	}
	return h.delegate(ctx, name, commandDelete, err)
}

// Cancel is CancelUpdateStack, or DeleteStack of a stack that is being created. If another process
// runs an operation on the stack, Cancel sends it the command and returns the stack as it is then.
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

// protect is UpdateTerminationProtection. A process that works on the stack is sent the command.
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
