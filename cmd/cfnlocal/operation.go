package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/describe"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/service"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// operationFlags are the flags of the commands that run an operation.
type operationFlags struct {
	Logs  bool     `help:"Print what handlers write."`
	Fault []string `help:"Inject a fault: NAME[@[RESOURCE.]REQUEST[#N]], such as lose@Create. In a nested stack, RESOURCE is NESTED.RESOURCE. Can be repeated. cfnlocal deploy --help-faults lists the names." placeholder:"FAULT" sep:"none"`
	List  string   `help:"A command that prints the IDs of everything in the service, one per line. IDs that no stack has are reported, with exit code 1." placeholder:"COMMAND"`
	Kept  bool     `name:"accept-kept" help:"With --list: report what a policy or --retain has kept without exit code 1, until its stack is created again."`
	Seed  uint64   `help:"The seed of random faults and generated IDs. The same seed gives the same ones." placeholder:"N"`
}

// settings returns the settings that the flags describe.
func (o *operationFlags) settings(p *printer) (local.Settings, error) {
	var list []local.Fault
	for _, text := range o.Fault {
		f, err := local.ParseFault(text)
		if err != nil {
			return local.Settings{}, &failure{err, "cfnlocal deploy --help-faults", exitUsage}
		}
		list = append(list, f)
	}
	s := local.Settings{Watcher: p, Faults: local.NewFaults(o.Seed, list...), Options: engine.Options{Seed: o.Seed}}
	if o.List != "" {
		s.List = &local.Listing{Command: o.List, AcceptKept: o.Kept}
	}
	return s, nil
}

// An operationFunc runs one operation on a stack.
type operationFunc func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error)

// runOperation runs an operation and prints its result. If another operation was
// interrupted, it resumes that first.
func (a *app) runOperation(name string, o operationFlags, override record.Override, work operationFunc) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	p := newPrinter(a, o.Logs)
	s, err := o.settings(p)
	if err != nil {
		return err
	}
	s.Override = override
	p.start()
	began := time.Now()
	before := positionBefore(h, name)
	stack, err := work(a.ctx, h, s)
	if errors.Is(err, local.ErrMoving) {
		p.Note("the stack " + name + " was left in " + stack.Status + " by a cfnlocal that was ended: going on with that first")
		if stack, err = h.Resume(a.ctx, name, s); err == nil {
			p.Note("the stack " + name + " has come to rest in " + stack.Status + ": now to what was asked for")
			if stack, err = work(a.ctx, h, s); errors.As(err, new(*engine.ValidationError)) && !strings.HasPrefix(err.Error(), noUpdate) {
				p.Note("CloudFormation refuses it now: " + err.Error())
				err = nil
			}
		}
	}
	p.stop()
	if err != nil {
		if kept, unread := h.Stack(name); unread == nil {
			stack = kept.Stack // changes that could not be saved do not count
		} else {
			stack = nil
		}
		if err := a.explain(name, stack, err); err != nil {
			return err
		}
		return missedFaults(s.Faults)
	}
	return errors.Join(missedFaults(s.Faults), a.conclude(stack, before, time.Since(began), h.Log(name), s.List))
}

// missedFaults returns an error if a fault met no request, since then the operation
// has not shown the effect of the fault.
func missedFaults(f *local.Faults) error {
	all := f.Missed()
	if len(all) == 0 {
		return nil
	}
	return &failure{errors.New("no request met the fault " + strings.Join(all, ", nor the fault ")),
		"cfnlocal requests shows what was asked for; write the fault so that it meets a request", exitFailed}
}

// A position is the state of a stack before an operation: how many requests it had
// sent, and which leftovers earlier commands had reported.
type position struct {
	requests, reportedRequests int
	reportedLeft               map[string]int // by the stack's ID
}

// reported reports whether an earlier command has reported a leftover.
func (b position) reported(r local.Leftover) bool {
	if r.LetGo {
		return r.At < b.reportedLeft[r.StackID]
	}
	return r.At < b.reportedRequests
}

// positionBefore returns the position of a stack by its name.
func positionBefore(h *local.Home, name string) position {
	r, err := h.Stack(name)
	if err != nil {
		return position{}
	}
	return positionOf(r.Stack)
}

// positionOf returns the position of a stack. An interrupted operation resumes at
// its pending requests, and has reported nothing yet.
func positionOf(s *engine.Stack) position {
	sent := s.Sent()
	n := len(sent)
	switch {
	case s.Deleted():
		return position{}
	case s.AtRest():
		b := position{n, n, map[string]int{}}
		for _, one := range s.All() {
			b.reportedLeft[one.ID] = len(one.Left)
		}
		return b
	}
	index := func(is func(*engine.Request) bool) int {
		if i := slices.IndexFunc(sent, is); i >= 0 {
			return i
		}
		return n
	}
	began := s.Events[operationStart(s)].Timestamp
	return position{
		requests:         index(func(q *engine.Request) bool { return q.Outcome == engine.Pending }),
		reportedRequests: index(func(q *engine.Request) bool { return !q.SentAt.Before(began) }),
	}
}

// noUpdate is CloudFormation's error for an update that changes nothing.
const noUpdate = "No updates are to be performed"

// explain adds to an error of an operation what to do next.
func (a *app) explain(name string, stack *engine.Stack, err error) error {
	var build *local.BuildError
	var full *host.BuildError
	var refused *engine.ValidationError
	var unsaved *store.UnsavedError
	const room = "make room, or correct the rights of the directory"
	switch {
	case errors.As(err, new(*failure)):
		return err
	case errors.As(err, &refused) && strings.HasPrefix(err.Error(), noUpdate):
		if changed, ok := errors.AsType[*local.RefusedError](err); ok {
			return a.say("The program of " + strings.Join(changed.Programs, ", ") + " is new. No property changed, so CloudFormation sends no Update: docs/faq.md says how to force one. Until then cfnlocal runs the program that was deployed.")
		}
		return a.say("Nothing is to be done: the stack " + name + " is what the template says.")
	case errors.As(err, new(*store.LockedError)):
		return &failure{err, "cfnlocal cancel " + name + " cancels what it does; cfnlocal events " + name + " shows it", exitRefused}
	case errors.Is(err, record.ErrNoService):
		return &failure{err, "add --run COMMAND, or leave it out", exitUsage}
	case errors.As(err, new(*service.EndedError)) && stack != nil && !stack.AtRest():
		return &failure{fmt.Errorf("%w\n%s", err, describePosition(stack, "")), "correct --run: cfnlocal resume " + name + " --run COMMAND", exitInterrupted}
	case errors.As(err, new(*service.EndedError)):
		return &failure{err, "correct --run: the same command with --run COMMAND; nothing was started", exitRefused}
	case stack != nil && !stack.AtRest():
		goOn := "cfnlocal resume " + name + " goes on, as does the same command again"
		if stack.Status == "CREATE_IN_PROGRESS" || stack.Status == "UPDATE_IN_PROGRESS" {
			goOn += "; cfnlocal cancel " + name + " gives up"
		}
		if errors.As(err, &unsaved) {
			goOn = room + ", then " + goOn
		}
		return &failure{fmt.Errorf("%s\n%s", strings.TrimSuffix(cause(err), "\n"), describePosition(stack, "")), goOn, exitInterrupted}
	case errors.As(err, &unsaved):
		return &failure{err, room + ", then the same command again", exitRefused}
	case errors.Is(err, context.Canceled):
		return &failure{errors.New("interrupted before anything was started"), "the same command again", exitInterrupted}
	case errors.As(err, &full) && full.Full:
		return &failure{err, "make room, then the same command again", exitRefused}
	case errors.As(err, &full) && full.Offline:
		return &failure{err, offline, exitRefused}
	case errors.As(err, &build) && strings.Contains(build.Function, "::"):
		return &failure{err, "correct the program, or give a command with --type " + build.Function + "=COMMAND", exitRefused}
	case errors.As(err, new(*local.ImportError)):
		return &failure{err, "correct --id; nothing was started", exitRefused}
	case errors.As(err, new(*record.TypeError)):
		return &failure{err, "correct the schema, or the command that --type gives; nothing was started", exitRefused}
	case errors.As(err, &build):
		return &failure{err, "correct the program, or give a command with --function " + build.Function + "=COMMAND", exitRefused}
	case errors.As(err, new(*describe.ConfigurationError)):
		return &failure{err, "correct the program; nothing was started. --no-check deploys it all the same", exitRefused}
	case errors.As(err, new(*local.CheckError)):
		return &failure{fmt.Errorf("the template has what its functions do not take:\n%w", err), "correct it and deploy again; nothing was started. --no-check deploys it all the same", exitRefused}
	case errors.As(err, new(template.Errors)):
		return &failure{fmt.Errorf("the template has mistakes:\n%w", err), "correct it and deploy again; nothing was started", exitRefused}
	case errors.Is(err, local.ErrNoStack):
		return &failure{err, "cfnlocal list shows the stacks; cfnlocal deploy TEMPLATE makes one", exitRefused}
	case errors.As(err, new(*store.NameError)):
		return &failure{err, "give the stack another name", exitRefused}
	case errors.As(err, &refused):
		return &failure{err, next(stack), exitRefused}
	}
	return err
}

// offline is the next step if modules are missing.
const offline = "go mod download, with a network"

// cause returns why an operation was interrupted.
func cause(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// describePosition describes a stack in progress and its pending requests. more
// follows the status.
func describePosition(s *engine.Stack, more string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The stack %s is in %s%s", s.Name, s.Status, more)
	waiting := 0
	for _, one := range s.All() {
		for _, q := range one.Requests {
			if q.Outcome == engine.Pending {
				fmt.Fprintf(&b, "\n  the %s of %s was sent, and no answer was read: what its handler did until now is not undone", q.RequestType, one.PathOf(q.LogicalID))
				waiting++
			}
		}
	}
	if waiting == 0 {
		b.WriteString("; no request is waiting for an answer")
	}
	return b.String()
}

// say prints a sentence to stdout, as a note with --json.
func (a *app) say(text string) error {
	if a.json {
		a.print(map[string]any{"Note": text})
	} else {
		fmt.Fprintln(a.out, text)
	}
	return nil
}
