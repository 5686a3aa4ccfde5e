package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	Guard    Guard           // nil lets everything run
	Faults   *Faults         // may be nil
	Options  engine.Options  // of a new stack
	List     *Listing        // runs once the stack is at rest; may be nil
	Override record.Override // of the revisions that the stack can move to
	// ExactTimeouts gives functions no more time on a busy machine, for tests of what happens at a
	// timeout.
	ExactTimeouts bool
	// InitTimeout is how long a function may take to get ready; 0 is Lambda's ten seconds.
	InitTimeout time.Duration

	acceptance *acceptance // may be nil
}

// A Guard decides what may run on this machine.
type Guard interface {
	// Allow is called with what will run, before it does. Its error fails the operation.
	Allow(runs []record.Run) error
}

// allow asks the guard, if there is one.
func (s *Settings) allow(runs []record.Run) error {
	if s.Guard == nil {
		return nil
	}
	return s.Guard.Allow(runs)
}

// An acceptance tells whoever waits for it that CloudFormation would have accepted an operation.
type acceptance struct {
	stackID chan string // gets one, and has room for it
	given   bool
}

// give gives it, once. Only the operation's own goroutine calls it.
func (a *acceptance) give(stackID string) {
	if a != nil && !a.given {
		a.given = true
		a.stackID <- stackID
	}
}

// ErrMoving is returned for a stack whose operation was interrupted: no process
// runs it any more. Resume continues it.
var ErrMoving = errors.New("an operation on the stack was interrupted")

// ErrDeleted is returned for the deletion of a stack that is deleted already.
var ErrDeleted = errors.New("the stack is deleted already")

// A Change is what CreateStack or UpdateStack makes of a stack: another revision.
type Change struct {
	Revision   *record.Revision
	Deployment engine.Deployment // the template is the revision's
	Action     string            // CreateStack or UpdateStack, if a client of the API orders it, or "" for the one that is possible

	// Check compares the template with the schemas of its functions before anything starts. A mistake
	// is a *CheckError.
	Check bool
	// RepeatWarnings gives all warnings about a template, also those that the latest deployment gave.
	RepeatWarnings bool
}

// A Reviewer learns what is known of a change before anything starts.
type Reviewer interface {
	// Planned is called with the plan of the template, and the warnings about it. Those about the templates
	// of nested stacks are known when these are created, and go to the watcher.
	Planned(plan *template.Plan, warnings []string)
	// Checked is called with the result of a check that has found no mistake.
	Checked(c *Checked)
}

// CreateOrUpdate is CreateStack, or UpdateStack if there is a stack. It returns when the stack is at rest. The
// reviewer may be nil.
func (h *Home) CreateOrUpdate(ctx context.Context, name string, c Change, r Reviewer, s Settings) (*engine.Stack, error) {
	return h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		plan, err := o.prepare(c, r)
		if err != nil {
			return nil, err
		}
		c.Deployment.Template = &plan.Template
		return func(m *engine.Machine, now time.Time) error {
			if c.Action == "CreateStack" || c.Action == "" && m.Stack().Status == "" {
				return m.Create(now, c.Deployment)
			}
			return m.Update(now, c.Deployment)
		}, nil
	})
}

// prepare makes a change's revision the stack's next one, and returns its plan.
func (o *operation) prepare(c Change, r Reviewer) (*template.Plan, error) {
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
	if r != nil {
		r.Planned(plan, o.record.Warn(rev.Body, rev.Warnings(plan), c.RepeatWarnings))
	}
	o.record.OnNestedWarnings = func(nested *record.Revision, warnings []string) {
		if nested.Number != rev.Number {
			return // an earlier revision's
		}
		for _, w := range o.record.WarnNested(nested.Body, warnings, c.RepeatWarnings) {
			o.watcher.Note("warning: " + w)
		}
	}
	o.record.Next, o.change, o.reviewer = rev, c, r

	// The sources may have changed since an earlier attempt at this revision built its programs.
	return plan, o.home.removeOldBuilds(o.record)
}

// Delete is DeleteStack. If another process is creating the stack, Delete sends that
// process the instruction and returns the stack as it is then. The error is ErrDeleted if the
// stack is deleted already, unless the settings have a List to run.
func (h *Home) Delete(ctx context.Context, name string, retain []string, force bool, s Settings) (*engine.Stack, error) {
	stack, err := h.operate(ctx, name, s, false, func(o *operation) (step, error) {
		if o.record.Stack.Status == "DELETE_COMPLETE" && s.List == nil {
			return nil, ErrDeleted
		}
		o.noteDependents()
		return o.onExisting(s.Override, func(m *engine.Machine, now time.Time) error { return m.Delete(now, retain, force) })
	})
	needsRest := force || len(retain) > 0 // these are for a stack that is at rest
	if needsRest || !errors.As(err, new(*store.LockedError)) {
		return stack, err
	}
	return h.delegate(ctx, name, instructDelete, err)
}

// Cancel is CancelUpdateStack, or DeleteStack of a stack that is being created. If another process
// runs an operation on the stack, Cancel sends that process the instruction and returns the stack as it is then.
func (h *Home) Cancel(ctx context.Context, name string, s Settings) (*engine.Stack, error) {
	stack, err := h.existing(ctx, name, s, true, cancelOperation)
	if !errors.As(err, new(*store.LockedError)) {
		return stack, err
	}
	return h.delegate(ctx, name, instructCancel, err)
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

// protect is UpdateTerminationProtection. If a process works on the stack, protect sends it the instruction.
func (h *Home) protect(ctx context.Context, order *api.Order) (_ *engine.Stack, err error) {
	name, on := order.StackName, order.EnableTerminationProtection
	lock, err := h.store.Lock(name)
	switch {
	case errors.As(err, new(*store.LockedError)):
		return h.delegate(ctx, name, map[bool]string{true: instructProtect, false: instructUnprotect}[on], err)
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

// The instructions that one process sends to the one that runs an operation on a stack.
const (
	instructCancel    = "cancel" // CancelUpdateStack; DeleteStack of a stack that is being created
	instructDelete    = "delete" // DeleteStack of a stack that is being created
	instructProtect   = "protect"
	instructUnprotect = "unprotect"
)

// instructions has the step of each instruction, and the statuses that allow it: nil is each in which an operation runs.
var instructions = map[string]struct {
	do    step
	while []string
}{
	instructCancel:    {cancelOperation, []string{"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"}},
	instructDelete:    {func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) }, []string{"CREATE_IN_PROGRESS"}},
	instructProtect:   {do: func(m *engine.Machine, _ time.Time) error { return m.Protect(true) }},
	instructUnprotect: {do: func(m *engine.Machine, _ time.Time) error { return m.Protect(false) }},
}

// IsCancellable reports whether CloudFormation cancels an operation in a stack's status.
func IsCancellable(status string) bool {
	return slices.Contains(instructions[instructCancel].while, status)
}

// These overwrite an instruction that was not executed.
const (
	refusedMark = "refused: " // with the reason why CloudFormation would refuse it
	unheard     = "unheard"   // the operation had ended
)

// instructionExt is the extension of the file that holds an instruction.
const instructionExt = ".ask"

// pollInterval is how often a process looks for an instruction.
const pollInterval = 100 * time.Millisecond

// An instruction comes from another process, which gets its answer once result has one. By then, the stack
// is saved.
type instruction struct {
	text   string
	result chan<- error
}

// ErrJustEnded is the error of an instruction that no operation has read.
var ErrJustEnded = errors.New("has just ended")

// delegate sends an instruction to the process that runs an operation on a stack, if the stack's
// status allows the instruction. Otherwise it returns the error locked, with the status.
func (h *Home) delegate(ctx context.Context, name, instruction string, locked error) (*engine.Stack, error) {
	kept, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	while := instructions[instruction].while
	isAllowed := slices.Contains(while, kept.Stack.Status)
	if while == nil {
		isAllowed = !kept.Stack.AtRest()
	}
	if !isAllowed {
		return kept.Stack, fmt.Errorf("%w; its status is %s", locked, kept.Stack.Status)
	}
	return kept.Stack, h.sendInstruction(ctx, name, instruction)
}

// sendInstruction sends an instruction to the process that runs an operation on a stack. It returns when
// that process has executed it, or with an *engine.ValidationError if it is refused.
func (h *Home) sendInstruction(ctx context.Context, name, instruction string) error {
	file := name + instructionExt
	if err := h.dir.WriteFile(file, []byte(instruction)); err != nil {
		return err
	}
	// The file is the only channel between two processes: it is gone once the instruction is executed.
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		working := h.Working(name) // asked first, since an operation that has ended may have executed the instruction
		text, err := h.dir.ReadFile(file)
		why, refused := strings.CutPrefix(string(text), refusedMark)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case refused:
			return errors.Join(&engine.ValidationError{Message: why}, h.dir.Remove(file))
		case !working || string(text) == unheard:
			return errors.Join(h.dir.Remove(file), fmt.Errorf("the process that worked on the stack %s %w", name, ErrJustEnded))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dropInstruction answers an instruction that came after its operation had ended.
func (h *Home) dropInstruction(name string) {
	if _, err := h.dir.Stat(name + instructionExt); err == nil {
		_ = h.dir.WriteFile(name+instructionExt, []byte(unheard)) // else its sender would wait for the next operation
	}
}

// receiveInstructions passes on the instructions of other processes until ctx ends, one at a time.
func (h *Home) receiveInstructions(ctx context.Context, name string, to chan<- instruction) {
	file := name + instructionExt
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		text, err := h.dir.ReadFile(file)
		if err != nil || instructions[string(text)].do == nil { // there is none, it is not written yet, or it was refused
			continue
		}
		// Have it executed, and answer its sender.
		result := make(chan error, 1)
		select {
		case to <- instruction{string(text), result}:
			err := <-result
			refused, is := errors.AsType[*engine.ValidationError](err)
			switch {
			case err == nil:
				_ = h.dir.Remove(file)
			case is:
				_ = h.dir.WriteFile(file, []byte(refusedMark+refused.Message))
			}
		case <-ctx.Done():
			return
		}
	}
}

// cancelOperation is CancelUpdateStack, or DeleteStack of a stack that is being created.
func cancelOperation(m *engine.Machine, now time.Time) error {
	if m.Stack().Status == "CREATE_IN_PROGRESS" {
		return m.Delete(now, nil, false)
	}
	return m.Cancel(now)
}

// execute executes an instruction. If CloudFormation would refuse it, the watcher gets a note.
func (o *operation) execute(instruction string) (refused, err error) {
	err = o.live.Do(func(m *engine.Machine, now time.Time) error {
		refused = instructions[instruction].do(m, now)
		return nil
	})
	if err == nil && refused != nil {
		o.watcher.Note(refused.Error())
	}
	return refused, err
}
