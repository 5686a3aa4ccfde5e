package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// deploymentFlags are the flags of the commands that deploy a template.
type deploymentFlags struct {
	operationFlags
	templateFlags
	typeFlags
	runFlags
	watch *watch // nil deploys once
}

// run runs an operation that makes a change to the template's stack. It prints warnings about the
// template before anything starts, with change.Again also those that were given before.
func (f *deploymentFlags) run(a *app, change local.Change,
	work func(*local.Home, context.Context, string, local.Change, local.Settings) (*engine.Stack, error),
) error {
	d, name, err := f.read()
	if err != nil {
		return err
	}
	if d.Types, err = f.registeredTypes(); err != nil {
		return err
	}
	if err := errors.Join(checkPrograms("--function", f.Function, d.Dir), checkPrograms("--type", f.Type, d.Dir)); err != nil {
		return err
	}
	change.Revision = d
	change.Planned = func(plan *template.Plan, notYetGiven func([]string) []string) {
		if f.watch != nil {
			f.watch.planned(a.ctx, d, plan)
		}
		a.warn(d.Warnings(plan), notYetGiven, change.Again)
		a.warnOfUnknownFunctions(d.Functions(plan), f.Function)
		a.warnOfUnusedTypes(plan, f.Type)
	}
	return a.runOperation(name, f.operationFlags, record.Override{Service: f.Service, Ready: f.Ready}, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		if kept, err := h.Stack(name); err == nil && !kept.Stack.Deleted() {
			if err := f.stays(kept.Stack); err != nil {
				return nil, err
			}
		}
		s.Options = f.options(f.Seed)
		return work(h, ctx, name, change, s)
	})
}

type deployCmd struct {
	deploymentFlags
	DisableRollback bool       `help:"After a failure, keep the changes that succeeded." xor:"rollback"`
	Express         bool       `help:"Deploy in the mode EXPRESS, which does not roll back after a failure." xor:"rollback"`
	Rollback        bool       `help:"With --express: roll back after a failure, as DeploymentConfig.DisableRollback=false does."`
	Warnings        bool       `help:"Repeat warnings that the previous deployment gave about the same template."`
	Watch           bool       `help:"Deploy again after each change to a file of the template, or of a local module from which its Go programs are built. Ctrl-C ends it."`
	NoCheck         bool       `name:"no-check" help:"Deploy even if the template does not match the schemas of its functions."`
	HelpFaults      helpFaults `help:"List the faults."`
	HelpAssume      helpAssume `help:"List the readings: the questions that AWS's documentation leaves open."`
}

// Help is shown by cfnlocal deploy --help.
func (deployCmd) Help() string {
	return `Functions run as processes on this machine. cfnlocal plays two AWS services for them, at the endpoints where the AWS SDKs look for them: CloudFormation's API, read-only, in AWS_ENDPOINT_URL_CLOUDFORMATION, and Lambda's Invoke in AWS_ENDPOINT_URL_LAMBDA, for the stack's functions and those of --function. If a function sends an event with Invoke and fails to handle it, the event is retried as Lambda retries CloudFormation's. If a function invokes itself, cfnlocal waits for it until ServiceTimeout, and ends the chain after 16 invocations as Lambda does, unless RecursiveLoop is Allow.

cfnlocal treats resources of a type that --type names as CloudFormation treats registered types. Each handler call may take one minute. While the answer is IN_PROGRESS, the handler is called again with its callbackContext, until timeoutInMinutes have passed. Waits between the calls are skipped if nothing else is running. Properties are checked against the schema and converted to its JSON types. A change of a createOnly property creates a new resource, and deletes the old one in the cleanup.`
}

// Run creates or updates the stack.
func (c *deployCmd) Run(a *app) error {
	change := local.Change{
		Options: engine.Deployment{DisableRollback: c.DisableRollback, Express: c.Express, ExpressRollback: c.Rollback},
		Again:   c.Warnings,
	}
	if !c.NoCheck {
		change.Checked = a.warnOfReplacements
	}
	if !c.Watch {
		return c.run(a, change, (*local.Home).Deploy)
	}
	c.watch = new(watch)
	return c.watch.rounds(a, c.Template, func() error { return c.run(a, change, (*local.Home).Deploy) })
}

// warnOfReplacements warns of each resource that the deployment replaces, if the
// functions would take it.
func (a *app) warnOfReplacements(c *local.Checked, err error) error {
	if err == nil {
		for _, w := range c.Replaced {
			a.warning(w.String())
		}
	}
	return err
}

// Validate refuses a --run-ready that is no address, what is no Region or account, and --rollback without --express.
func (c *deployCmd) Validate() error {
	if c.Rollback && !c.Express {
		return errors.New("--rollback requires --express: without it, a failure is rolled back unless --disable-rollback is given")
	}
	return errors.Join(c.placeFlags.Validate(), c.runFlags.Validate())
}

// warn prints warnings. Without repeat it prints only those that were not given
// before. With --json it prints all of them.
func (a *app) warn(warnings []string, notYetGiven func([]string) []string, repeat bool) {
	fresh := notYetGiven(warnings)
	if repeat || a.json {
		fresh = warnings
	}
	for _, w := range fresh {
		a.warning(w)
	}
	switch n := len(warnings) - len(fresh); {
	case n == 1:
		a.printError("1 warning of the previous deployment is not repeated; --warnings shows it.")
	case n > 1:
		a.printError(fmt.Sprintf("%d warnings of the previous deployment are not repeated; --warnings shows them.", n))
	}
}

// warnOfUnknownFunctions warns of a --function that the template does not have.
// Otherwise a misspelt name would silently run the program in CodeUri.
func (a *app) warnOfUnknownFunctions(known []template.Function, commands map[string]string) {
	var functions []string
	for _, f := range known {
		functions = append(functions, f.LogicalID)
	}
	has := "the stack has no function"
	if len(functions) > 0 {
		has = "the functions of the stack are " + strings.Join(functions, ", ")
	}
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		if !slices.Contains(functions, strings.TrimSuffix(id, "-")) && !strings.HasPrefix(id, "arn:") {
			a.warning("--function " + id + " has no effect: " + has)
		}
	}
}

// announce prints what is about to run on this machine, with the caller's rights. A program
// from outside of the template's directory is a warning.
func (a *app) announce(runs []record.Run) {
	for _, r := range runs {
		if r.Outside {
			a.warning(r.String())
		} else {
			a.note(r.String())
		}
	}
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9-]+`)

// stackNameOf returns the name of the template's directory, changed to be a valid stack name.
func stackNameOf(file string) string {
	name := strings.Trim(notInNames.ReplaceAllString(filepath.Base(filepath.Dir(file)), "-"), "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "stack-" + name
	}
	return strings.Trim(name, "-")
}

// programName matches the beginning of a command if it is a program's name, and not shell syntax.
var programName = regexp.MustCompile(`^[A-Za-z0-9_./+-]+(?:\s|$)`)

// checkPrograms returns an error if the program of a command does not exist: the shell
// would fail for every event, and the stack would wait for an hour. The keys of commands
// name the functions or types that they run.
func checkPrograms(flag string, commands map[string]string, dir string) error {
	if runtime.GOOS == "windows" { // the shell's built-in commands are not files
		return nil
	}
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		command := commands[what]
		word := strings.TrimSpace(programName.FindString(command))
		if word == "" {
			continue
		}
		path := word
		if strings.Contains(word, "/") && !filepath.IsAbs(word) {
			path = filepath.Join(dir, word)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // the directory of a Go program
		}
		if _, err := exec.LookPath(path); err != nil {
			return &failure{fmt.Errorf("%s %s: there is no program %.100s", flag, what, word), "correct the command, or give the program's path", exitUsage}
		}
	}
	return nil
}

type importCmd struct {
	deploymentFlags
	ID map[string]string `name:"id" help:"An existing resource and its primary identifier, as RESOURCE=ID, with | between the parts of an identifier." placeholder:"RESOURCE=ID" mapsep:"none" required:""`
}

// Help is shown by cfnlocal import --help.
func (importCmd) Help() string {
	return `The template contains the stack's resources, unchanged, and the resources to import, each with a DeletionPolicy. The handlers first read the resources to import. The import is refused, before anything starts, if a resource does not exist, belongs to another stack, or has a type without a read handler. CloudFormation does not compare an imported resource with the template. It calls the update handler with the template's properties. If that fails, the stack releases the resource again.`
}

// Run imports the resources.
func (c *importCmd) Run(a *app) error {
	for id, of := range c.ID {
		if of == "" {
			return &failure{errors.New("--id " + id + " has no identifier"), "write --id " + id + "=ID", exitUsage}
		}
	}
	return c.run(a, local.Change{}, func(h *local.Home, ctx context.Context, name string, change local.Change, s local.Settings) (*engine.Stack, error) {
		return h.Import(ctx, name, change, c.ID, s)
	})
}

// warnOfUnusedTypes warns of a --type that no resource of the template has.
// Otherwise the resources of a misspelt type would silently be stand-ins.
func (a *app) warnOfUnusedTypes(plan *template.Plan, types map[string]string) {
	if slices.ContainsFunc(plan.Resources, func(r engine.Resource) bool { return r.Nested != nil }) {
		return // the resources of a nested stack are not known yet
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !slices.ContainsFunc(plan.Resources, func(r engine.Resource) bool { return r.Type == strings.TrimSuffix(name, "-") }) {
			a.warning("--type " + name + " has no effect: no resource of the template has that type")
		}
	}
}
