// Cfnlocal is a local CloudFormation for custom resources. It deploys the real
// template with the handler's real program, and behaves as CloudFormation, Lambda
// and S3 do, including failures and rollbacks.
//
//	go run ./cfnlocal demo
//	go run ./cfnlocal deploy examples/webhook/template.yaml --run "go run ./examples/webhook/fakeapi"
//
// Nothing leaves the machine. AWS resources other than custom ones are
// stand-ins: they have IDs and attributes, and no effect.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
)

// Exit codes.
const (
	exitComplete    = 0
	exitFailed      = 1 // the operation failed, or was rolled back, or output was lost
	exitUsage       = 2
	exitRefused     = 3 // nothing was started
	exitInterrupted = 4 // the stack is still in progress
)

const description = `CloudFormation on your own machine, for custom resources.

Deploying a template runs code on this machine with your rights: cfnlocal builds and runs the programs in CodeUri of the template's functions, and the commands that you give. Deploy only what you would run.

Stacks are kept in .cfnlocal. They survive a crash at any moment: the next command continues what was interrupted.

Exit codes: 0 success; 1 the operation failed, or was rolled back and nobody asked for that, --list found an ID that no stack has (see --accept-kept), a fault matched no request, or output could not be written; 2 the command line is wrong; 3 nothing was started (a mistake in the template, a program that does not build, no such stack, stacks that somebody else deployed, or an operation that CloudFormation refuses); 4 the command was interrupted, and the stack is still in progress.`

type cli struct {
	Dir  string `help:"Directory in which the stacks are kept." default:".cfnlocal" placeholder:"DIR"`
	JSON bool   `name:"json" help:"Print JSON. Operations print one object per line."`

	TrustState bool `help:"Run the programs and commands of the stacks in --dir although you did not deploy them on this machine, and do not ask again."`

	Demo             demoCmd             `cmd:"" help:"Play the life of a custom resource and explain each step."`
	Check            checkCmd            `cmd:"" help:"Check a template against the schemas of its functions. Nothing is deployed."`
	Schema           schemaCmd           `cmd:"" help:"Write the schemas of a template's resource types, or tables of their properties."`
	Deploy           deployCmd           `cmd:"" help:"Create a stack from a template, or update it."`
	Delete           deleteCmd           `cmd:"" help:"Delete a stack."`
	UpdateCode       updateCodeCmd       `cmd:"" help:"Rebuild a stack's functions, or run them with other commands. No handler is called."`
	Rollback         rollbackCmd         `cmd:"" help:"Roll back a stack that failed with --disable-rollback."`
	ContinueRollback continueRollbackCmd `cmd:"" help:"Continue a rollback that failed."`
	Cancel           cancelCmd           `cmd:"" help:"Cancel the operation that another terminal runs on a stack."`
	Resume           resumeCmd           `cmd:"" help:"Resume an operation that was interrupted."`
	Events           eventsCmd           `cmd:"" help:"Show a stack's events, oldest first."`
	Requests         requestsCmd         `cmd:"" help:"Show each request to a handler and its answer, as JSON."`
	Describe         describeCmd         `cmd:"" help:"Show a stack's status, resources and outputs, and what it left behind."`
	Story            storyCmd            `cmd:"" help:"Write a stack's time line as a page of HTML."`
	List             listCmd             `cmd:"" help:"List the stacks."`
	Serve            serveCmd            `cmd:"" help:"Show the stacks in a browser, and serve CloudFormation's API to the AWS CLI and SDKs: read-only, or with --deploy also to change stacks."`
	Invoke           invokeCmd           `cmd:"" help:"Send one event to a handler, and show the answer."`
	Package          packageCmd          `cmd:"" help:"Package a registered type for CloudFormation's registry."`
	New              newCmd              `cmd:"" help:"Copy an example as a project of your own."`
}

func main() { os.Exit(start(streams{os.Stdin, os.Stdout, os.Stderr})) }

// start carries out the command of the command line until a signal ends it, and returns the exit code.
func start(s streams) int {
	ctx, interrupt := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // room for both that endOnSignals waits for, so that none is lost
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go endOnSignals(signals, interrupt, os.Exit)
	return run(ctx, os.Args[1:], s)
}

// initTimeout is how long a function may take to get ready. It is Lambda's, but in tests of functions that never do.
var initTimeout time.Duration

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A failure is an error with what to do next and the exit code.
type failure struct {
	err  error
	next string
	code int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// run carries out a command. If its output was lost, the exit code is not 0.
func run(ctx context.Context, args []string, s streams) int {
	out, stderr := newScreen(s.out), newScreen(s.err)
	code := carryOut(ctx, args, streams{s.in, out, stderr})
	if err := cmp.Or(out.lost(), stderr.lost()); err != nil {
		fmt.Fprintln(stderr, "cfnlocal: output was lost:", err)
		if code == exitComplete {
			code = exitFailed
		}
	}
	return code
}

func carryOut(ctx context.Context, args []string, s streams) int {
	var c cli
	exit := -1
	parser, err := kong.New(&c, kong.Name("cfnlocal"), kong.Description(description), kong.UsageOnError(), kong.Writers(s.out, s.err),
		kong.Exit(func(code int) { exit = code }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(s.err, "cfnlocal:", err)
		return exitUsage
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		fmt.Fprintf(s.err, "cfnlocal: %v\nNext: %s\n", err, afterUsage(args, err))
		return exitUsage
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a := &app{ctx: ctx, end: end, streams: s, dir: c.Dir, json: c.JSON, trustState: c.TrustState, command: parsed.Selected().Name}
	a.endWhenAlone()
	err = parsed.Run(a)
	if err != nil || ctx.Err() != nil {
		err = cmp.Or(a.gone(), err)
	}
	code := a.report(err)
	if a.opened != nil {
		_ = a.opened.Close()
	}
	return code
}

// others maps words of other commands and of the AWS CLI to what to write here.
var others = map[string]string{
	"--port":                   "cfnlocal serve --address 127.0.0.1:PORT",
	"--stack-name":             "did you mean --stack? delete and the like take the name alone: cfnlocal delete NAME",
	"--template-file":          "cfnlocal deploy TEMPLATE",
	"--template-body":          "cfnlocal deploy TEMPLATE",
	"--parameter-overrides":    "did you mean --parameter NAME=VALUE?",
	"--parameters":             "did you mean --parameter NAME=VALUE?",
	"--resources-to-skip":      "did you mean --skip RESOURCE?",
	"--capabilities":           "leave it out: cfnlocal deploy asks for no capabilities",
	"create-stack":             "cfnlocal deploy TEMPLATE",
	"update-stack":             "cfnlocal deploy TEMPLATE",
	"delete-stack":             "cfnlocal delete STACK",
	"describe-stacks":          "cfnlocal list, or cfnlocal describe STACK",
	"describe-stack-events":    "cfnlocal events STACK",
	"continue-update-rollback": "cfnlocal continue-rollback STACK",
}

// afterUsage says what to write instead of a command line.
func afterUsage(args []string, err error) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if instead := others[name]; instead != "" {
			return instead
		}
	}
	if mistake, ok := errors.AsType[*kong.ParseError](err); ok && mistake.Context != nil && mistake.Context.Selected() != nil {
		command := mistake.Context.Selected()
		return "write it as cfnlocal " + command.Summary() + ", whose flags cfnlocal " + command.Name + " --help lists"
	}
	return "choose one of the commands, which cfnlocal --help lists"
}

// An app holds what all commands share.
type app struct {
	streams
	ctx     context.Context
	end     context.CancelCauseFunc // of ctx
	dir     string
	json    bool
	command string // such as deploy
	opened  *local.Home
	refused error // why the command was refused, or nil

	asking     sync.Mutex
	trustState bool // the stacks in dir, whoever deployed them
	trusted    bool // dir, by this process
}

func (a *app) report(err error) int {
	if err == nil {
		return exitComplete
	}
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{err: err, code: exitRefused}
		if e := outermost(err); e != nil && e.tell != nil { // it was met where there is no operation
			f.next = e.tell(a.command, err)
		}
	}
	if errors.Is(f.err, errReported) {
		return f.code
	}
	next := a.withDir(f.next)
	if a.json {
		a.print(map[string]any{"Error": f.err.Error(), "Next": next})
		return f.code
	}
	text := "cfnlocal: " + f.err.Error()
	if next != "" {
		text += "\nNext: " + next
	}
	a.printError(text)
	return f.code
}

// errReported is an error that was already printed.
var errReported = errors.New("the operation failed")

// home opens the directory of stacks, once. run closes it.
func (a *app) home() (h *local.Home, err error) {
	if a.opened == nil {
		if a.opened, err = local.Open(a.dir); err != nil {
			return nil, &failure{err, "choose another directory with --dir", exitRefused}
		}
		a.endWhen(a.gone)
	}
	return a.opened, nil
}

// A guard announces what is about to run, and asks the user about programs that somebody else may have named.
type guard struct {
	app  *app
	home *local.Home // nil where there are no stacks
}

// Allow prints what is about to run, and returns an error if that may not run.
func (g guard) Allow(runs []record.Run) error {
	g.app.announce(runs)
	// Nothing that runs needs trust. An empty directory is marked in any case, before it has stacks.
	if g.home == nil {
		return nil
	}
	if len(runs) == 0 && !g.home.Empty() {
		return nil
	}
	return g.app.trust(g.home)
}

// trust returns an error if the stacks in a directory may be somebody else's, such as those of a repository, and the user
// does not accept what they run. It marks a directory that it trusts.
func (a *app) trust(h *local.Home) error {
	a.asking.Lock()
	defer a.asking.Unlock()
	switch {
	case a.trusted || h.Trusted():
		return nil
	case h.Empty(), a.trustState, a.ask("You did not deploy the stacks in " + a.dir + " on this machine. Their programs and commands run with your rights. Run them?"):
	default:
		return &failure{errors.New("you did not deploy the stacks in " + a.dir + " on this machine, and their programs and commands would run with your rights"),
			"if you trust whoever deployed them, repeat the command with --trust-state; nothing was started", exitRefused}
	}
	a.trusted = true
	if err := h.Trust(); err != nil {
		a.warning("cfnlocal cannot record that you trust the stacks in " + a.dir + ", so that the next command asks again, or needs --trust-state: " + err.Error())
	}
	return nil
}

// ask asks the user a question. The answer is no unless there is a terminal to ask at.
func (a *app) ask(question string) bool {
	in, _ := a.in.(*os.File)
	canAsk := isTerminal(in) && isTerminal(a.err)
	if a.json || !canAsk {
		return false
	}
	a.printError(question + " [y/N]")
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // none is no
		answers <- line
	}()
	select {
	case answer := <-answers:
		return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
	case <-a.ctx.Done():
		return false
	}
}
