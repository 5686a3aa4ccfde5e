package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Settings are how an operation is run.
type Settings struct {
	Watcher Watcher        // nil is nobody
	Faults  *Faults        // nil are none
	Options engine.Options // of a stack that is made
	List    *Listing       // is asked once the stack is at rest; nil is not
	Around  Around         // of operations that deploy no template
}

// An Around overrides a stack's service and its functions' environment.
type Around struct {
	Service *string // nil is the one that is remembered
	Ready   string
	Env     map[string]string
}

// ErrNoService is returned for an Around that has Ready but leaves no service.
var ErrNoService = errors.New("--run-ready says where the service of --run answers, and there is no service")

// applyTo returns copies of deployments with the overrides.
func (a Around) applyTo(all map[int]*Deployment) (map[int]*Deployment, error) {
	changed := map[int]*Deployment{}
	for revision, d := range all {
		one := *d
		if a.Service != nil {
			one.Service, one.Ready = *a.Service, ""
		}
		one.Ready, one.Env = cmp.Or(a.Ready, one.Ready), merged(one.Env, a.Env)
		if a.Ready != "" && one.Service == "" {
			return nil, ErrNoService
		}
		changed[revision] = &one
	}
	return changed, nil
}

// ErrMoving is returned for a stack whose operation was interrupted: no process
// runs it any more. Resume continues it.
var ErrMoving = errors.New("an operation on the stack was interrupted")

// A Change is what a deployment takes beside the template.
type Change struct {
	DisableRollback bool
	Express         bool // the deployment mode EXPRESS
	ExpressRollback bool // which rolls back what fails
	// Planned is called with the plan of the template before anything starts.
	// unsaid returns which of the warnings about it are new: the stack's latest
	// deployment did not give them, or was one of another template.
	Planned func(plan *template.Plan, unsaid func(warnings []string) []string)
	// Again reports all warnings about the templates of nested stacks to the
	// watcher, including old ones. They become known when the nested stacks are made.
	Again bool
	// Checked is called with the functions' descriptions, once they are built and
	// before anything starts, and with the *CheckError of what they would refuse.
	// Its error fails the deployment. If Checked is nil, no function is asked.
	Checked func(*Checked, error) error
}

// Deploy creates a stack, or updates it if there is one. It returns when the
// stack is at rest.
func (h *Home) Deploy(ctx context.Context, name string, d *Deployment, c Change, s Settings) (*engine.Stack, error) {
	return h.operate(ctx, name, s, false, func(r *run) (step, error) {
		plan, err := r.prepare(d, c, s)
		if err != nil {
			return nil, err
		}
		return func(m *engine.Machine, now time.Time) error {
			e := engine.Deployment{Template: &plan.Template, DisableRollback: c.DisableRollback, Express: c.Express, ExpressRollback: c.ExpressRollback}
			if m.Stack().Status == "" {
				return m.Create(now, e)
			}
			return m.Update(now, e)
		}, nil
	})
}

// prepare makes a deployment the stack's next one.
func (r *run) prepare(d *Deployment, c Change, s Settings) (*template.Plan, error) {
	h := r.home
	if Deleted(r.record.Stack) {
		former := r.record
		if former.Stack.Status == "" {
			former = nil
		}
		r.record = newRecord(r.record.Stack.Name, s.Options, former)
	}
	d.Revision = r.record.Stack.Revisions + 1
	if err := d.readNested(); err != nil {
		return nil, err
	}
	if err := h.findOutputs(d, r.record.Stack); err != nil {
		return nil, err
	}
	if err := h.findImports(d, r.record.Stack); err != nil {
		return nil, err
	}
	plan, err := d.Plan(r.record.Stack)
	if err != nil {
		return nil, err
	}
	if c.Planned != nil {
		c.Planned(plan, func(warnings []string) []string { return r.record.warn(d.Body, warnings) })
	}
	r.record.Next, r.check = d, c.Checked
	h.removeOldBuilds(r.record.Stack.Name, r.record.Deployments) // of this revision, if it was refused or interrupted before: its source may have changed
	r.record.onNestedWarnings = func(nested *Deployment, warnings []string) {
		if nested.Revision != d.Revision {
			return // it is of a deployment before
		}
		for _, w := range r.record.warnNested(nested.Body, warnings, c.Again) {
			r.watcher.Note("warning: " + w)
		}
	}
	return plan, nil
}

// Delete is DeleteStack. If another process is creating the stack, Delete sends it
// the command and returns the stack as it is then.
func (h *Home) Delete(ctx context.Context, name string, retain []string, force bool, s Settings) (*engine.Stack, error) {
	stack, err := h.existing(ctx, name, s, false, func(m *engine.Machine, now time.Time) error {
		if err := h.deletable(&Record{Stack: m.Stack()}); err != nil {
			return err
		}
		return m.Delete(now, retain, force)
	})
	if !errors.As(err, new(*store.LockedError)) {
		return stack, err
	}
	return h.delegate(ctx, name, commandDelete, err, "CREATE_IN_PROGRESS")
}

// Cancel is CancelUpdateStack, or DeleteStack of a stack that is being created.
// If another process runs an operation on the stack, Cancel sends it the command
// and returns the stack as it is then.
func (h *Home) Cancel(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	stack, err := h.existing(ctx, name, s, true, cancel)
	if !errors.As(err, new(*store.LockedError)) {
		return stack, err
	}
	return h.delegate(ctx, name, commandCancel, err, "CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS")
}

// Resume continues an interrupted operation. It sends unanswered requests again.
func (h *Home) Resume(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, true, func(*engine.Machine, time.Time) error { return nil })
}

// delegate sends a command to the process that runs an operation on a stack, if the
// stack's status is one of while. Otherwise it returns locked with the status.
func (h *Home) delegate(ctx context.Context, name, command string, locked error, while ...string) (*engine.Stack, error) {
	r, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(while, r.Stack.Status) {
		return r.Stack, fmt.Errorf("%w; its status is %s", locked, r.Stack.Status)
	}
	return r.Stack, h.sendCommand(ctx, name, command)
}

// Rollback is RollbackStack.
func (h *Home) Rollback(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, false, func(m *engine.Machine, now time.Time) error { return m.Rollback(now, false) })
}

// ContinueRollback is ContinueUpdateRollback.
func (h *Home) ContinueRollback(ctx context.Context, name string, skip []string, s Settings) (*engine.Stack, error) {
	return h.existing(ctx, name, s, false, func(m *engine.Machine, now time.Time) error { return m.Continue(now, skip) })
}
