package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
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
	Watch           bool       `help:"Deploy again after each change to a file of the template, or to one from which its Go programs are built. A stack whose creation was rolled back is deleted first. Ctrl-C ends it."`
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

	// Options that are not given keep their values, which are those of the stack's latest deployment.
	change := local.Change{
		Revision:       d,
		Deployment:     engine.Deployment{DisableRollback: c.DisableRollback, Express: c.Express, ExpressRollback: c.Rollback},
		Check:          !c.NoCheck,
		RepeatWarnings: c.Warnings,
	}

	// A stack that exists stays where it is.
	return a.runOperation(name, c.operationFlags, c.override(), func(h *local.Home, ctx context.Context, name string, s local.Settings) (*engine.Stack, error) {
		if kept, err := h.Stack(name); err == nil && !kept.Stack.Deleted() {
			if err := c.stays(kept.Stack); err != nil {
				return nil, err
			}
		}
		s.Options = c.options(c.Seed)
		return h.CreateOrUpdate(ctx, name, change, &review{a, c, d}, s)
	})
}

// deleteUncreated deletes the template's stack if its creation was rolled back: it takes no update. The CDK's command does
// that too.
func (c *deployCmd) deleteUncreated(a *app) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	// Every other status takes an update, or has a next step that the deployment names.
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

// A review prints what is worth a warning before a deployment starts.
type review struct {
	app      *app
	command  *deployCmd
	revision *record.Revision
}

// Planned prints the warnings about the template, with --json all of them, and those about the command.
func (r *review) Planned(plan *template.Plan, warnings []string) {
	if watch := r.command.watch; watch != nil {
		watch.planned(r.app.ctx, r.revision, plan)
	}
	if r.app.json {
		warnings = r.revision.Warnings(plan)
	}
	for _, w := range warnings {
		r.app.warning(w)
	}
	r.app.warnOfUnknownFunctions(r.revision.Functions(plan), r.command.Function)
	r.app.warnOfUnusedTypes(plan, r.command.Type)
}

// Checked prints which resources the deployment replaces.
func (r *review) Checked(c *local.Checked) { r.app.warnOfReplacements(c) }

// warnOfReplacements warns of each resource that a deployment replaces.
func (a *app) warnOfReplacements(c *local.Checked) {
	for _, w := range c.Replaced {
		a.warning(w.String())
	}
}

// Validate refuses a --run-ready that is no address, what is no Region or account, and --rollback without --express.
func (c *deployCmd) Validate() error {
	if c.Rollback && !c.Express {
		return errors.New("--rollback requires --express: without it, a failure is rolled back unless --disable-rollback is given")
	}
	return errors.Join(c.placeFlags.Validate(), c.runFlags.Validate())
}

// warnOfUnknownFunctions warns of a --function that the template does not have.
// Otherwise a misspelt name would silently run the program in CodeUri.
func (a *app) warnOfUnknownFunctions(known []template.Function, commands map[string]string) {
	var functions []string
	for _, f := range known {
		functions = append(functions, f.LogicalID)
	}
	// An ARN belongs to no stack here, so it always has an effect. NAME- forgets a function that may be gone.
	has := "the stack has no function"
	if len(functions) > 0 {
		has = "the functions of the stack are " + strings.Join(functions, ", ")
	}
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		if isKnown := strings.HasPrefix(id, "arn:") || slices.Contains(functions, strings.TrimSuffix(id, "-")); !isKnown {
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

// A watch has the files that a round of deploy --watch was made from.
type watch struct {
	stacksDir string          // the directory of the stacks, which each round writes to
	templates string          // the directory of the template, until the template is read; then ""
	files     []string        // of the template
	programs  []*host.Sources // that are built
	stamps    map[string]fileState
}

// A fileState changes when a file is written.
type fileState struct {
	size    int64
	written time.Time
}

// rounds deploys, and again whenever a file changes, until the command is to end.
func (w *watch) rounds(a *app, templateFile string, deploy func() error) error {
	for {
		if err := w.begin(templateFile, a.dir); err != nil {
			return err
		}
		err := deploy()
		if a.ctx.Err() != nil {
			return err
		}
		a.report(err)                               // the next round may be right
		if !errors.As(err, new(*host.BuildError)) { // a build runs nothing that could write
			a.noteWritten(w.end())
		}
		a.note("waiting until a file of the template or of a program changes; Ctrl-C ends this")
		if !w.wait(a.ctx.Done()) {
			return nil
		}
	}
}

// noteWritten names files that count as unchanged, since the user may have written them.
func (a *app) noteWritten(files []string) {
	const most = 3
	more := ""
	if len(files) > most {
		files, more = files[:most], ", and others"
	}
	here, _ := os.Getwd() // without it, the names are absolute
	for i, file := range files {
		if relative, err := filepath.Rel(here, file); err == nil {
			files[i] = relative
		}
	}
	if len(files) > 0 {
		a.note(strings.Join(files, ", ") + more + " was written while the round ran, which is no change: if you wrote it, save it again")
	}
}

// begin starts a round. Until the template is read, every file in its directory may be a part of it.
func (w *watch) begin(templateFile, stacks string) (err error) {
	file, err := filepath.Abs(templateFile)
	if err != nil {
		return err
	}
	w.stacksDir, err = filepath.Abs(stacks)
	w.templates = filepath.Dir(file)
	w.stamps = w.read()
	return err
}

// planned has the round depend on what the template names. Files that were watched before keep their
// stamps, since they may have been written after the round read them.
func (w *watch) planned(ctx context.Context, d *record.Revision, plan *template.Plan) {
	w.templates, w.files, w.programs = "", append(slices.Sorted(maps.Keys(d.Files)), d.File), nil
	programs := map[string]bool{}
	for _, f := range d.Functions(plan) {
		dir, _ := d.SourceOfFunction(&f)
		programs[dir] = true
	}
	for name, t := range d.Types {
		programs[d.SourceOf(name)] = true
		w.files = append(w.files, t.File)
	}
	delete(programs, "")
	for dir := range programs {
		w.programs = append(w.programs, host.SourcesOf(ctx, dir))
	}
	former := w.stamps
	w.stamps = w.read()
	for file := range w.stamps {
		if s, was := former[file]; was {
			w.stamps[file] = s
		}
	}
}

// end ends a round, and returns the files that were written while it ran. They are no change: what the round runs may have
// written them, and would again.
func (w *watch) end() (written []string) {
	before := w.stamps
	w.stamps = w.read()
	for file, now := range w.stamps {
		if now != before[file] {
			written = append(written, file)
		}
	}
	slices.Sort(written)
	return written
}

// wait waits until a file has changed, and no more files change. It returns false once the command must end.
func (w *watch) wait(done <-chan struct{}) bool {
	const (
		pause = 250 * time.Millisecond
		share = 20 // a twentieth of a processor, however many files there are
	)
	for now, took := w.stamps, time.Duration(0); ; {
		select {
		case <-done:
			return false
		case <-time.After(max(pause, share*took)):
		}
		last, began := now, time.Now()
		now = w.read()
		took = time.Since(began)
		if maps.Equal(now, last) && !maps.Equal(now, w.stamps) {
			return true
		}
	}
}

// read returns the stamps of all files. It leaves out those that cannot be read, which the round reports.
func (w *watch) read() map[string]fileState {
	all := map[string]fileState{}
	add := func(files ...string) {
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && !info.IsDir() {
				all[file] = fileState{info.Size(), info.ModTime()}
			}
		}
	}
	add(w.files...)
	for _, program := range w.programs {
		add(program.Files()...)
	}
	if w.templates != "" {
		add(w.below(w.templates)...)
	}
	return all
}

// below returns the files below a directory, without hidden directories and the directory of the stacks.
func (w *watch) below(root string) (all []string) {
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is left out
		}
		isHidden := name != root && strings.HasPrefix(entry.Name(), ".")
		switch {
		case entry.IsDir() && (isHidden || name == w.stacksDir):
			return fs.SkipDir
		case !entry.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all
}
