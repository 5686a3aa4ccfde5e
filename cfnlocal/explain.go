package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An explanation says what to do about an error of an operation, and has the exit code. In texts, STACK
// is the stack's name, GO_ON the next step that follows from its situation, and AS_AT_REST that of a stack at rest.
type explanation struct {
	// is reports whether this explains the error itself, not one that it wraps: the
	// outermost error of a chain that has an explanation counts. Each error has one
	// explanation, so order does not matter.
	is    func(error) bool
	intro string                                 // a line before the error, or ""
	next  string                                 // the next step
	tell  func(command string, err error) string // computes the next step of a command, such as "delete shop", instead; "" is next
	code  int
	// resume is the next step of a stack that is in progress; "" if the error is no interruption.
	resume string
}

const (
	nothingStarted = "; nothing was started"
	deployAnyway   = ". To deploy it anyway, repeat the command with --no-check"
	makeRoom       = "free disk space, or correct the permissions of the directory"
	goOn           = "GO_ON"
	asAtRest       = "AS_AT_REST"
)

var explanations = []explanation{
	{is: kind[*store.LockedError], next: "cfnlocal events STACK, to see its operation" + orCancel, code: exitRefused},
	{is: value(record.ErrNoService), next: "repeat the command with --run COMMAND, or without --run-ready", code: exitUsage},
	{is: kind[*local.ServiceError], next: "repeat the command with a correct --run COMMAND" + nothingStarted, code: exitRefused,
		resume: "correct --run: cfnlocal resume STACK --run COMMAND"},
	{is: kind[*store.UnsavedError], next: makeRoom + ", then repeat the command", code: exitRefused, resume: makeRoom + ", then " + goOn},
	{is: kind[*local.ListingError], next: "repeat the command with a correct --list COMMAND" + nothingStarted, code: exitRefused, resume: goOn},
	{is: kind[*local.BuildError], tell: mend, code: exitRefused, resume: asAtRest},
	{is: kind[*record.TypeError], next: "correct the type's name, its schema, or the command that --type gives" + nothingStarted, code: exitRefused, resume: goOn},
	{is: kind[*local.ConfigurationError], next: "correct the program" + nothingStarted + deployAnyway, code: exitRefused, resume: goOn},
	{is: kind[*local.CheckError], intro: "the template does not match the schemas of its functions:",
		next: "correct it and deploy again" + nothingStarted + deployAnyway, code: exitRefused, resume: goOn},
	{is: mistaken, intro: "the template has mistakes:", tell: correct, code: exitRefused, resume: goOn},
	{is: missing, intro: "the template needs values or programs:", tell: give, code: exitRefused, resume: goOn},
	{is: kind[*local.NoCodeError], tell: nameCode, next: goOn, code: exitRefused},
	{is: value(local.ErrNoStack), next: "cfnlocal list, to see the stacks; or cfnlocal deploy TEMPLATE, to create one", code: exitRefused, resume: goOn},
	{is: value(local.ErrMoving), next: "cfnlocal resume STACK, then repeat the command", code: exitRefused, resume: goOn},
	{is: value(local.ErrJustEnded), next: "cfnlocal describe STACK, to see what has become of it; or repeat the command", code: exitRefused,
		resume: goOn},
	{is: kind[*store.UnusableError], tell: restore, code: exitRefused},
	{is: kind[*store.NameError], next: "give the stack another name", code: exitRefused, resume: goOn},
	{is: kind[*engine.ValidationError], next: goOn, code: exitRefused, resume: goOn},
}

// kind matches errors of a type.
func kind[E error](err error) bool {
	_, ok := err.(E)
	return ok
}

// missing matches a template without mistakes that needs values or programs that were not given.
func missing(err error) bool {
	errs, ok := err.(template.Errors)
	return ok && !slices.ContainsFunc(errs, func(e *template.Error) bool { return len(e.Give) == 0 })
}

// mistaken matches a template that has to be corrected.
func mistaken(err error) bool { return kind[template.Errors](err) && !missing(err) }

// give says what to add to the command.
func give(_ string, err error) string {
	return "add these lines to the command, and replace VALUE and COMMAND" + nothingStarted + flagsToGive(err)
}

// correct says what else to add, once the template is corrected.
func correct(_ string, err error) string {
	text := "correct it and deploy again" + nothingStarted
	if flags := flagsToGive(err); flags != "" {
		text += ". Add these lines to the command, and replace VALUE and COMMAND" + flags
	}
	return text
}

// maxGiven is how many flags are printed, each once.
const maxGiven = 50

// flagsToGive are the flags of all errors, as lines.
func flagsToGive(err error) string {
	errs, _ := errors.AsType[template.Errors](err)
	var flags []string
	for _, e := range errs {
		for _, flag := range e.Give {
			if !slices.Contains(flags, flag) {
				flags = append(flags, flag)
			}
		}
	}
	return lines(flags)
}

// lines are flags as lines to be copied.
func lines(flags []string) (text string) {
	for i, flag := range flags[:min(len(flags), maxGiven)] {
		if i > 0 {
			text += " \\"
		}
		text += "\n  " + flag
	}
	if n := len(flags) - maxGiven; n > 0 {
		text += fmt.Sprintf("\nand %d more, which are listed once you have added these", n)
	}
	return text
}

func value(target error) func(error) bool {
	return func(err error) bool { return err == target }
}

// restore says what to do about a file that is not as it was written.
func restore(_ string, err error) string {
	damaged, _ := errors.AsType[*store.UnusableError](err)
	return damaged.Next
}

// mend says how to make a program build.
func mend(command string, err error) string {
	program, _ := errors.AsType[*local.BuildError](err)
	failed, _ := errors.AsType[*host.BuildError](err)
	switch {
	case failed != nil && failed.Full:
		return "free disk space, then repeat the command"
	case failed != nil && failed.Offline:
		return "connect to a network and run go mod download"
	case strings.HasPrefix(command, "update-code "):
		return "correct the program, or give a command: cfnlocal " + command + " " + program.Function + "=COMMAND"
	case program.Kept:
		_, stack, _ := strings.Cut(command, " ")
		return "correct the program, or give a command: cfnlocal update-code " + stack + " " + program.Function + "=COMMAND, then repeat the command"
	}
	return "correct the program, or repeat the command with " + flagOf(program.Function) + "=COMMAND"
}

// nameCode says what update-code can be given, or "" if the stack has nothing of its own.
func nameCode(command string, err error) string {
	refusal, _ := errors.AsType[*local.NoCodeError](err)
	switch {
	case len(refusal.Known) == 0:
		return ""
	case refusal.Name == "":
		return "cfnlocal " + command + " " + refusal.Known[0] + "=COMMAND"
	}
	return "name a function that the stack has, or none to update all: cfnlocal " + command
}

// explain adds the next step to an operation's error. If there was nothing to do, it says
// so and returns nil. stack may be nil.
func (a *app) explain(name string, stack *engine.Stack, err error) error {
	// These need no explanation.
	switch {
	case errors.As(err, new(*failure)):
		return err
	case errors.Is(err, local.ErrDeleted):
		return a.say("Nothing to do: stack " + name + " is already deleted.")
	case errors.Is(err, engine.ErrNoUpdate):
		return a.nothingToUpdate(name, stack, err)
	}
	// A stack in progress can be resumed.
	e := explanationOf(err)
	step := ""
	if e.tell != nil {
		step = e.tell(a.command+" "+name, err)
	}
	isMoving := stack != nil && !stack.AtRest()
	if isMoving && e.resume != "" {
		why := strings.TrimSuffix(err.Error(), "\n")
		if errors.Is(err, context.Canceled) {
			why = "interrupted"
			if cause, ok := errors.AsType[interruption](context.Cause(a.ctx)); ok {
				why = cause.Error()
			}
		}
		text := why + "\n" + describePosition(stack, "")
		return &failure{errors.New(text), strings.ReplaceAll(a.fill(e.resume, name, stack), asAtRest, step), exitInterrupted}
	}
	// Nothing was started, or CloudFormation has refused it.
	switch {
	case e.is == nil:
		return err
	case e.code == exitInterrupted:
		return &failure{errors.New("interrupted before anything was started"), e.next, e.code}
	case e.intro != "":
		err = fmt.Errorf("%s\n%w", e.intro, err)
	}
	a.refused = err
	return &failure{err, cmp.Or(step, a.fill(e.next, name, stack)), e.code}
}

// explanationOf returns the explanation of an error. An interruption comes before any other.
func explanationOf(err error) explanation {
	if errors.Is(err, context.Canceled) {
		return explanation{is: value(context.Canceled), next: "repeat the command", code: exitInterrupted, resume: goOn}
	}
	if e := outermost(err); e != nil {
		return *e
	}
	return explanation{resume: goOn}
}

// outermost returns the explanation of the outermost error of a chain that has one, or nil.
func outermost(err error) *explanation {
	for i := range explanations {
		if explanations[i].is(err) {
			return &explanations[i]
		}
	}
	switch wraps := err.(type) {
	case interface{ Unwrap() error }:
		if inner := wraps.Unwrap(); inner != nil {
			return outermost(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range wraps.Unwrap() {
			if e := outermost(inner); e != nil {
				return e
			}
		}
	}
	return nil
}

// fill replaces STACK and GO_ON in a text.
func (a *app) fill(text, name string, stack *engine.Stack) string {
	if stack == nil {
		return strings.NewReplacer("STACK", name, goOn, "").Replace(offerCancel(text, ""))
	}
	text = offerCancel(text, stack.Status)
	return strings.NewReplacer("STACK", name, goOn, a.situationOf(stack, nil).next()).Replace(text)
}

// nothingToUpdate says why an update changes nothing, and what CloudFormation does not know.
func (a *app) nothingToUpdate(name string, stack *engine.Stack, err error) error {
	text := "Nothing to do: stack " + name + " already matches the template."
	if adopted, ok := errors.AsType[*local.AdoptedError](err); ok {
		text = "No property has changed, so CloudFormation updates nothing. Later operations run with the changes to " + strings.Join(adopted.Changed, ", ") + "."
	}
	next := ""
	if stack != nil && len(local.Skipped(stack))+len(local.Overwritten(stack)) > 0 {
		next = a.next(stack, nil)
	}
	return a.sayNext(text, next)
}
