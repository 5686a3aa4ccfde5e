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
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

type deployCmd struct {
	operationFlags
	templateFlags
	typeFlags
	runFlags
	DisableRollback bool       `help:"After a failure, keep the changes that succeeded." xor:"rollback"`
	Express         bool       `help:"Deploy in the mode EXPRESS, which does not roll back after a failure." xor:"rollback"`
	Rollback        bool       `help:"With --express: roll back after a failure, as DeploymentConfig.DisableRollback=false does."`
	Warnings        bool       `help:"Repeat warnings that the previous deployment gave about the same template."`
	Watch           bool       `help:"Deploy again after each change to a file of the template, or to one from which its Go programs are built. A stack whose creation failed is deleted first. Ctrl-C ends it."`
	NoCheck         bool       `name:"no-check" help:"Deploy even if the template does not match the schemas of its functions."`
	HelpFaults      helpFaults `help:"List the faults."`
	watch           *watch     // nil deploys once
}

// Help is shown by cfnlocal deploy --help.
func (deployCmd) Help() string {
	return `Functions run as processes on this machine. cfnlocal plays two AWS services for them, at the endpoints where the AWS SDKs look for them: CloudFormation's API, read-only, in AWS_ENDPOINT_URL_CLOUDFORMATION, and Lambda's Invoke in AWS_ENDPOINT_URL_LAMBDA, for the stack's functions and those of --function. If a function sends an event with Invoke and fails to handle it, the event is retried as Lambda retries CloudFormation's. If a function invokes itself, cfnlocal waits for it until ServiceTimeout, and ends the chain after 16 invocations as Lambda does, unless RecursiveLoop is Allow.

cfnlocal treats resources of a type that --type names as CloudFormation treats registered types. Each handler call may take one minute. While the answer is IN_PROGRESS, the handler is called again with its callbackContext, until timeoutInMinutes have passed. Waits between the calls are skipped if nothing else is running. Properties are checked against the schema and converted to its JSON types. A change of a createOnly property creates a new resource, and deletes the old one in the cleanup.`
}

// Run creates or updates the stack.
func (c *deployCmd) Run(a *app) error {
	if !c.Watch {
		return c.deploy(a)
	}
	c.watch = new(watch)
	return c.watch.rounds(a, c.Template, func() error {
		if err := c.deleteUncreated(a); err != nil {
			return err
		}
		return c.deploy(a)
	})
}

// deploy deploys once. It prints warnings about the template before anything starts, with --warnings also those that were
// given before.
func (c *deployCmd) deploy(a *app) error {
	// Read what the command line names.
	d, name, err := c.read()
	if err != nil {
		return err
	}
	if d.Types, err = c.registeredTypes(); err != nil {
		return err
	}
	if err := errors.Join(checkPrograms(a.ctx, "--function", c.Function, d.Dir), checkPrograms(a.ctx, "--type", c.Type, d.Dir)); err != nil {
		return err
	}

	// Warn once the template is read.
	change := local.Change{
		Revision: d,
		Options:  engine.Deployment{DisableRollback: c.DisableRollback, Express: c.Express, ExpressRollback: c.Rollback},
		Again:    c.Warnings,
	}
	if !c.NoCheck {
		change.Checked = a.warnOfReplacements
	}
	change.Planned = func(plan *template.Plan, notYetGiven func([]string) []string) {
		if c.watch != nil {
			c.watch.planned(a.ctx, d, plan)
		}
		a.warn(d.Warnings(plan), notYetGiven, change.Again)
		a.warnOfUnknownFunctions(d.Functions(plan), c.Function)
		a.warnOfUnusedTypes(plan, c.Type)
	}

	// A stack that exists stays where it is.
	return a.runOperation(name, c.operationFlags, record.Override{Service: c.Service, Ready: c.Ready}, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		if kept, err := h.Stack(name); err == nil && !kept.Stack.Deleted() {
			if err := c.stays(kept.Stack); err != nil {
				return nil, err
			}
		}
		s.Options = c.options(c.Seed)
		return h.Deploy(ctx, name, change, s)
	})
}

// deleteUncreated deletes the template's stack if its creation was rolled back: it takes no update. The CDK's command does
// that too.
func (c *deployCmd) deleteUncreated(a *app) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	name, err := c.stackName()
	if err != nil {
		return err
	}
	kept, err := h.Stack(name)
	if err != nil || kept.Stack.Status != "ROLLBACK_COMPLETE" {
		return nil //nolint:nilerr // what is wrong with the state is for the deployment to say
	}
	a.note("the stack " + name + " is in ROLLBACK_COMPLETE, which takes no update. cfnlocal deletes it first, with the parameters and functions of earlier commands. Give this command every value that differs from the template's")
	return a.runOperation(name, operationFlags{Logs: c.Logs}, record.Override{}, func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		return h.Delete(ctx, name, nil, false, s)
	})
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
// before; --warnings repeats the others. With --json it prints all of them.
func (a *app) warn(warnings []string, notYetGiven func([]string) []string, repeat bool) {
	fresh := notYetGiven(warnings)
	if repeat || a.json {
		fresh = warnings
	}
	for _, w := range fresh {
		a.warning(w)
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

// checkPrograms returns an error if a command cannot run: it would fail for every event, and the stack would wait for an
// hour. The keys of commands name the functions that they run, or the types, which can be directories of Go programs.
// NAME- without a command forgets one.
func checkPrograms(ctx context.Context, flag string, commands map[string]string, dir string) error {
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		if commands[what] == "" && strings.HasSuffix(what, "-") {
			continue
		}
		if why := cannotRun(ctx, commands[what], dir, flag == "--type"); why != "" {
			return &failure{fmt.Errorf("%s %s: %s", flag, what, why), "correct the command, or give the program's path", exitUsage}
		}
	}
	return nil
}

// programName matches the beginning of a command if it is a program's name, and not shell syntax.
var programName = regexp.MustCompile(`^\s*([A-Za-z0-9_./+~-]+)(?:\s|$)`)

// cannotRun returns why a command cannot run in a directory, as far as that can be said without running it, or "".
func cannotRun(ctx context.Context, command, dir string, source bool) string {
	// The shell's grammar, and on Windows no more: its built-in commands are not files.
	if strings.TrimSpace(command) == "" {
		return "there is no command"
	}
	if runtime.GOOS == "windows" {
		return ""
	}
	check := exec.CommandContext(ctx, "sh", "-n", "-c", command)
	var complaint strings.Builder
	check.Stderr = &complaint
	if err := check.Run(); err != nil {
		return fmt.Sprintf("the shell cannot read %.100q: %.200s", command, printable.Line(strings.TrimSpace(complaint.String())))
	}

	// Its first word, as the shell looks for it.
	found := programName.FindStringSubmatch(command)
	if found == nil {
		return ""
	}
	path := found[1]
	if rest, isHome := strings.CutPrefix(path, "~/"); isHome {
		home, _ := os.UserHomeDir() // without one, the shell finds nothing either
		path = filepath.Join(home, rest)
	}
	if strings.Contains(path, "/") && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	isDir := false
	if info, err := os.Stat(path); err == nil {
		isDir = info.IsDir()
	}
	_, err := exec.LookPath(path)
	switch {
	case isDir && source:
		return ""
	case isDir:
		return fmt.Sprintf("%.100s is a directory", found[1])
	case err != nil:
		return fmt.Sprintf("there is no program %.100s", found[1])
	}
	return ""
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
