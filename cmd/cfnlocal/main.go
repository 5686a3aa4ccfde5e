// Cfnlocal plays CloudFormation on this machine, for custom resources: the
// template is the real one and so is the handler's program, and what happens to
// them is what CloudFormation, Lambda and S3 do, failures and rollbacks
// included.
//
//	go run ./cmd/cfnlocal demo
//	go run ./cmd/cfnlocal deploy examples/webhook/template.yaml --run "go run ./examples/webhook/fakeapi"
//
// Nothing leaves the machine. AWS resources other than custom ones are
// stand-ins: they have IDs and attributes, and no effect.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/cfnresource/sdk-go/internal/cfn/local"
)

// What the program's exit code says.
const (
	exitComplete    = 0
	exitFailed      = 1 // the operation failed, or was rolled back
	exitUsage       = 2
	exitRefused     = 3 // nothing was started
	exitInterrupted = 4 // the stack is still in motion
)

const description = `CloudFormation on your own machine, for custom resources.

Deploying a template runs its code on this machine, with your rights: the programs that its functions name in CodeUri are built and run, as are the commands that you give. Deploy what you would run.

Stacks are kept in .cfnlocal, safe against a crash at any moment: whatever is interrupted, the next command goes on from there.

Exit codes: 0 it is complete; 1 the operation failed or was rolled back, --list found what no stack has (kept on purpose or not: see --accept-kept), or a fault met no request; 2 the command line is wrong; 3 nothing was started (a mistake in the template, a program that does not build, no such stack, what CloudFormation refuses); 4 it was interrupted and the stack is still in motion.`

type cli struct {
	Dir  string `help:"Directory of the stacks." default:".cfnlocal" placeholder:"DIR"`
	JSON bool   `name:"json" help:"Print JSON, for programs: operations print one object per line."`

	Demo             demoCmd             `cmd:"" help:"Play the life of a custom resource, and tell what happens."`
	Check            checkCmd            `cmd:"" help:"Hold a template against what its functions say they take. Nothing is deployed."`
	Schema           schemaCmd           `cmd:"" help:"Write the schemas of a template's resource types, for linters and editors, or as tables."`
	Deploy           deployCmd           `cmd:"" help:"Create a stack from a template, or update it."`
	Delete           deleteCmd           `cmd:"" help:"Delete a stack."`
	Rollback         rollbackCmd         `cmd:"" help:"Roll back a stack that failed with --disable-rollback."`
	ContinueRollback continueRollbackCmd `cmd:"" help:"Go on with a rollback that failed."`
	Cancel           cancelCmd           `cmd:"" help:"Cancel the operation that is at work on a stack, from another terminal."`
	Resume           resumeCmd           `cmd:"" help:"Go on with an operation that was interrupted."`
	Events           eventsCmd           `cmd:"" help:"Show a stack's events, the oldest first."`
	Requests         requestsCmd         `cmd:"" help:"Show each request to a handler and its answer, as JSON."`
	Describe         describeCmd         `cmd:"" help:"Show a stack: its status, resources, outputs, and what is left behind."`
	List             listCmd             `cmd:"" help:"List the stacks."`
	Serve            serveCmd            `cmd:"" help:"Answer as CloudFormation's API does, for reading: for the AWS CLI and SDKs."`
	Invoke           invokeCmd           `cmd:"" help:"Give one event to a handler, and show its answer."`
	New              newCmd              `cmd:"" help:"Write a project of your own, from an example."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

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

// run runs one command and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
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
		fmt.Fprintf(s.err, "cfnlocal: %v\nNext: %s\n", err, afterUsage(err))
		return exitUsage
	}
	a := &app{ctx: ctx, streams: s, dir: c.Dir, json: c.JSON}
	return a.report(parsed.Run(a))
}

// afterUsage says what to do about a command line that is wrong.
func afterUsage(err error) string {
	if strings.Contains(err.Error(), "unknown flag --port") {
		return "cfnlocal serve --address 127.0.0.1:PORT"
	}
	return "cfnlocal --help, or cfnlocal COMMAND --help"
}

// An app is what commands work with.
type app struct {
	streams
	ctx  context.Context
	dir  string
	json bool
}

// report tells of an error, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitComplete
	}
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{err: err, code: exitRefused}
	}
	if errors.Is(f.err, errTold) {
		return f.code
	}
	if a.json {
		a.print(map[string]any{"Error": f.err.Error(), "Next": f.next})
		return f.code
	}
	text := "cfnlocal: " + f.err.Error()
	if f.next != "" {
		text += "\nNext: " + f.next
	}
	a.complain(text)
	return f.code
}

// complain prints what is wrong, line by line.
func (a *app) complain(text string) {
	columns := columns(a.err)
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		fmt.Fprintln(a.err, wrap(columns, indent, indent+"  ", words))
	}
}

// errTold is an error that the summary of the operation has told of.
var errTold = errors.New("the operation failed")

// home opens the directory of stacks.
func (a *app) home() (*local.Home, error) {
	h, err := local.Open(a.dir)
	if err != nil {
		return nil, &failure{err, "choose another directory with --dir", exitRefused}
	}
	return h, nil
}
