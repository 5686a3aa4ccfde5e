package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// operationFlags are the flags of the commands that run an operation.
type operationFlags struct {
	Logs  bool     `help:"Print what handlers write."`
	Fault []string `help:"Inject a fault: NAME[@[RESOURCE.]REQUEST[#N]], such as lose-answer@Create. In a nested stack, RESOURCE is NESTED.RESOURCE. Can be repeated. cfnlocal deploy --help-faults lists the names." placeholder:"FAULT" sep:"none"`
	List  string   `help:"A command that prints the IDs of all resources in the service, one per line. IDs that no stack has are reported, with exit code 1." placeholder:"COMMAND"`
	Kept  bool     `name:"accept-kept" help:"With --list: resources that a policy or --retain kept are no failure, until their stack is created again."`
	Seed  uint64   `help:"The seed of random faults and generated IDs. The same seed gives the same ones." placeholder:"N"`
}

func (o *operationFlags) settings(p *printer, h *local.Home) (local.Settings, error) {
	var list []local.Fault
	for _, text := range o.Fault {
		f, err := local.ParseFault(text)
		if err != nil {
			return local.Settings{}, &failure{err, "write it as NAME@REQUEST, such as lose-answer@Create; to see the names, cfnlocal deploy --help-faults", exitUsage}
		}
		list = append(list, f)
	}
	s := local.Settings{Watcher: p, Guard: guard{p.app, h}, Faults: local.NewFaults(o.Seed, list...), Options: engine.Options{Seed: o.Seed}, InitTimeout: initTimeout}
	if o.List != "" {
		s.List = &local.Listing{Command: o.List, AcceptKept: o.Kept}
	}
	return s, nil
}

// helpFaults is a flag that lists the faults and ends the program.
type helpFaults bool

// BeforeReset is called before anything else is checked, as for --help.
func (helpFaults) BeforeReset(k *kong.Kong) error { //nolint:unparam // kong looks for this signature
	fmt.Fprintf(k.Stdout, "A fault is written %s\n", local.FaultForm)
	fmt.Fprintln(k.Stdout, "#N is the Nth request that matches (without it, the first), #* each one, ~P% each one with that probability, from --seed.")
	fmt.Fprintln(k.Stdout, "Each event with which a function invokes itself counts as another request; cancel-while-running strikes before it.")
	for _, f := range local.FaultKinds {
		fmt.Fprintf(k.Stdout, "  %-20s %s\n", f.Name, f.Does)
	}
	k.Exit(exitComplete)
	return nil
}

// An operationFunc runs one operation on a stack, as a method of Home does.
type operationFunc = func(h *local.Home, ctx context.Context, stack string, s local.Settings) (*engine.Stack, error)

// runOperation runs an operation and prints its result. If another operation was
// interrupted, it resumes that first.
func (a *app) runOperation(name string, o operationFlags, override record.Override, work operationFunc) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	p := newPrinter(a, o.Logs)
	s, err := o.settings(p, h)
	if err != nil {
		return err
	}

	s.Override = override
	before := positionBefore(h, name)
	p.start()
	began := time.Now()
	stack, err := work(h, a.ctx, name, s)
	if errors.Is(err, local.ErrMoving) {
		stack, err = a.resumeFirst(h, p, stack, s, work)
	}
	p.stop()

	// Print the result, or why there is none.
	if err != nil {
		stack = nil
		if kept, unread := h.Stack(name); unread == nil {
			stack = kept.Stack // changes that could not be saved do not count
		}
		if err := a.explain(name, stack, err); err != nil {
			return err
		}
		return errors.Join(a.missedFaults(stack, name, s.Faults), a.concludeList(stack, h.Log(name), s.List))
	}
	return errors.Join(a.missedFaults(stack, name, s.Faults), a.conclude(stack, before, time.Since(began), h.Log(name), s.List))
}

// concludeList prints what --list has found where there was nothing else to do. list may be nil.
func (a *app) concludeList(stack *engine.Stack, log string, list *local.Listing) error {
	if stack == nil || list == nil {
		return nil
	}
	if err := a.conclude(stack, positionOf(stack), 0, log, list); list.Unaccounted() {
		return err
	}
	return nil
}

// resumeFirst resumes the operation that was interrupted on a stack, and then runs the
// command's own, unless CloudFormation refuses it by now.
func (a *app) resumeFirst(h *local.Home, p *printer, stack *engine.Stack, s local.Settings, work operationFunc) (*engine.Stack, error) {
	name := stack.Name
	p.Note("an earlier cfnlocal ended and left the stack " + name + " in " + stack.Status + ": resuming its operation first")
	stack, err := h.Resume(a.ctx, name, s)
	if err != nil {
		return stack, err
	}
	p.Note("the stack " + name + " is now in " + stack.Status + ": starting the command's own operation")
	stack, err = work(h, a.ctx, name, s)
	if errors.As(err, new(*engine.ValidationError)) && !errors.Is(err, engine.ErrNoUpdate) {
		p.Note("CloudFormation now refuses the command: " + err.Error())
		a.refused, err = err, nil
	}
	return stack, err
}

// missedFaults returns an error if a fault matched no request, since then the operation
// has not shown the effect of the fault. stack may be nil.
func (a *app) missedFaults(stack *engine.Stack, name string, f *local.Faults) error {
	all := f.Missed()
	if len(all) == 0 {
		return nil
	}
	found := &situation{stack: name, faultMissed: true}
	if stack != nil {
		found.status = stack.Status
	}
	return &failure{errors.New("no request matched the fault " + strings.Join(all, ", nor the fault ")), found.next(), exitFailed}
}

// A position is the state of a stack before an operation: how many requests it had
// sent, and which leftovers earlier commands had reported.
type position struct {
	idle                       bool // no operation was under way
	stackID                    string
	requests, reportedRequests int
	reportedLeft               map[string]int // by the stack's ID
}

func (p position) reported(r local.Leftover) bool {
	if r.LetGo {
		return r.At < p.reportedLeft[r.StackID]
	}
	return r.At < p.reportedRequests
}

// positionBefore returns the position of a stack before an operation. It is the zero position if
// there is no stack, or if it cannot be read, which the operation reports.
func positionBefore(h *local.Home, name string) position {
	kept, err := h.Stack(name)
	if err != nil {
		return position{}
	}
	return positionOf(kept.Stack)
}

// positionOf returns the position of a stack. An interrupted operation resumes at
// its pending requests, and has reported nothing yet.
func positionOf(s *engine.Stack) position {
	sent := s.Sent()
	n := len(sent)
	switch {
	case s.Status == "":
		return position{}
	case s.AtRest():
		b := position{idle: true, stackID: s.ID, requests: n, reportedRequests: n, reportedLeft: map[string]int{}}
		for _, one := range s.All() {
			b.reportedLeft[one.ID] = len(one.Left)
		}
		return b
	}
	return position{stackID: s.ID, requests: indexOf(sent, func(q *engine.Request) bool { return q.Outcome == engine.Pending }), reportedRequests: latest(s)}
}

// in returns the position in a stack. If that has come in the place of the position's own, which
// was deleted meanwhile, all of it is new.
func (p position) in(s *engine.Stack) position {
	if p.stackID != s.ID {
		return position{}
	}
	return p
}

// latest returns the index of the first request of the latest operation, in all that were sent.
func latest(s *engine.Stack) int {
	began := operationBegan(s)
	return indexOf(s.Sent(), func(q *engine.Request) bool { return !q.SentAt.Before(began) })
}

// told returns the index of the first request whose unknown work is told wherever the stack is shown: of the latest operation,
// and of a stack that is deleted any.
func told(s *engine.Stack) int {
	if s.Deleted() {
		return 0
	}
	return latest(s)
}

// indexOf returns the index of the first request for which is reports true, or len(sent).
func indexOf(sent []*engine.Request, is func(*engine.Request) bool) int {
	if i := slices.IndexFunc(sent, is); i >= 0 {
		return i
	}
	return len(sent)
}

// describePosition describes a stack in progress and its pending requests. more follows the status.
func describePosition(s *engine.Stack, more string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The stack %s is in %s%s", s.Name, s.Status, more)
	waiting := 0
	for _, one := range s.All() {
		for _, q := range one.Requests {
			if q.Outcome == engine.Pending {
				fmt.Fprintf(&b, "\n  the %s of %s was sent, and no answer was read: the handler's work is not undone", q.RequestType, one.PathOf(q.LogicalID))
				waiting++
			}
		}
	}
	if waiting == 0 {
		b.WriteString("; no request is waiting for an answer")
	}
	return b.String()
}

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
		return nil, "", &failure{errors.New("which stack? There is none in " + a.dir), "give another --dir, or deploy a stack", exitUsage}
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

func (c *changeFlags) run(a *app, work operationFunc) error {
	_, name, err := c.find(a)
	if err != nil {
		return err
	}
	return a.runOperation(name, c.operationFlags, c.values(), work)
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
		r, err := h.Stack(name)
		isAtRest := err == nil && r.Stack.AtRest()
		if isAtRest && !h.Working(name) {
			return r.Stack, &engine.ValidationError{Message: "CancelUpdateStack cannot be called from current stack status: " + name + " is in " + r.Stack.Status}
		}
		return h.Cancel(ctx, name, s)
	})
}

type resumeCmd struct{ changeFlags }

// Run resumes an interrupted operation.
func (c *resumeCmd) Run(a *app) error {
	r, err := c.record(a)
	if isIdle := err == nil && r.Stack.AtRest(); isIdle && c.List == "" {
		return a.sayNext("Nothing to do: stack "+r.Stack.Name+" is in "+r.Stack.Status+", and nothing was interrupted.", a.next(r.Stack, nil))
	}
	return c.run(a, (*local.Home).Resume)
}

type updateCodeCmd struct {
	stackArg
	Functions []string `arg:"" optional:"" name:"function" help:"A function, its ARN if no stack has it, or a type: as NAME, or NAME=COMMAND for another program. The default is all." placeholder:"FUNCTION[=COMMAND]"`
}

// Help is shown by cfnlocal update-code --help.
func (updateCodeCmd) Help() string {
	return `This is Lambda's UpdateFunctionCode. It is for repairing a handler where CloudFormation accepts no new template, as in DELETE_FAILED, ROLLBACK_FAILED and UPDATE_ROLLBACK_FAILED, or after an interruption: repair the program, update its code, and run the command that it names, which can be about another stack that waits for the code. FUNCTION=COMMAND has another program answer, also for a function that is known by its ARN alone. In the statuses that take an update, cfnlocal deploy updates a function whose code has changed.`
}

// Run updates the code.
func (c *updateCodeCmd) Run(a *app) error {
	h, name, err := c.find(a)
	if err != nil {
		return err
	}
	commands := map[string]string{}
	for _, one := range c.Functions {
		function, command, _ := strings.Cut(one, "=")
		commands[function] = command
	}
	dir := ""
	if kept, err := h.Stack(name); err == nil && kept.Current() != nil {
		dir = kept.Current().Dir
	}
	if err := checkPrograms(a.ctx, "update-code", commands, dir); err != nil {
		return err
	}
	p := newPrinter(a, false)
	p.start()
	updated, same, err := h.UpdateCode(a.ctx, name, commands, local.Settings{Watcher: p, Guard: guard{a, h}})
	p.stop()
	kept, unread := h.Stack(name)
	switch {
	case err != nil && unread != nil:
		return a.explain(name, nil, err)
	case err != nil:
		return a.explain(name, kept.Stack, err)
	case unread != nil:
		return unread
	}

	// As on AWS, the stack stays as it is: the next step is still to run.
	var said []string
	if len(updated) > 0 {
		said = append(said, "Updated the code of "+strings.Join(updated, ", ")+". CloudFormation does not learn of it.")
	}
	if len(same) > 0 {
		said = append(said, "The code of "+strings.Join(same, ", ")+" is as it was: it is the same program, or the same command.")
	}
	return a.sayNext(strings.Join(said, "\n"), a.next(kept.Stack, nil))
}
