package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A BuildError reports a function whose program could not be built.
type BuildError struct {
	Function string // its logical ID, or the type that it runs
	Err      error  // *host.BuildError
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the function %s: %v", e.Function, e.Err)
}

// Unwrap returns the error of the build.
func (e *BuildError) Unwrap() error { return e.Err }

// buildPrograms builds the Go programs of functions without a command, and of the revision's types, each
// source once, into a part of a directory. It returns the programs by logical ID or type name. It
// leaves out functions without a Go program: to call one is an error later.
func buildPrograms(ctx context.Context, out *store.Dir, part string, rev *record.Revision, functions []template.Function) (map[string]string, error) {
	programs := map[string]string{}
	built := map[string]string{} // by directory
	sources := map[string]string{}
	for _, f := range functions {
		if dir, _ := rev.SourceOfFunction(&f); dir != "" {
			sources[f.LogicalID] = dir
		}
	}
	for name := range rev.Types {
		if dir := rev.SourceOf(name); dir != "" {
			sources[name] = dir
		}
	}
	// Sorted, so that of several mistakes the same one is reported each time.
	for _, owner := range slices.Sorted(maps.Keys(sources)) {
		dir := sources[owner]
		if built[dir] == "" {
			program := path.Join(part, programName(dir))
			if err := buildOnce(ctx, dir, out, program); err != nil {
				return nil, &BuildError{owner, err}
			}
			built[dir] = out.Path(program)
		}
		programs[owner] = built[dir]
	}
	return programs, nil
}

// codeHashes returns a hash of each function's program or command, and environment. Commands and variables
// may be secret: the seed keeps others from comparing the hash with that of a guess.
func codeHashes(rev *record.Revision, functions []template.Function, programs map[string]string, seed uint64) map[string]string {
	all := map[string]string{}
	for _, f := range functions {
		if rev.Commands[f.LogicalID] == "" && programs[f.LogicalID] == "" {
			continue
		}
		sum := sha256.New()
		fmt.Fprintln(sum, seed, rev.Commands[f.LogicalID], rev.Env)
		if program, err := os.Open(programs[f.LogicalID]); err == nil {
			_, _ = io.Copy(sum, program) // if it cannot be read, running it fails and reports that
			_ = program.Close()
		}
		all[f.LogicalID] = hex.EncodeToString(sum.Sum(nil)[:16])
	}
	return all
}

// programName is the name of the program that is built from a directory.
func programName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:4])
}

// programsDir is where the programs of a stack's revision are.
func programsDir(stack string, revision int) string {
	return path.Join("build", stack, strconv.Itoa(revision))
}

// buildOnce builds a program unless it exists: the program of a revision does not change.
func buildOnce(ctx context.Context, dir string, out *store.Dir, program string) error {
	if _, err := out.Stat(program); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return buildAnew(ctx, dir, out, program)
}

// buildAnew builds a program. Until it is built, the former one stays.
func buildAnew(ctx context.Context, dir string, out *store.Dir, program string) error {
	unfinished := program + ".new"
	err := errors.Join(out.MkdirAll(path.Dir(program)), out.RemoveAll(unfinished))
	if err != nil {
		return err
	}
	if err := host.Build(ctx, dir, out.Path(unfinished)); err != nil {
		return err
	}
	return out.Rename(unfinished, program)
}

// An AdoptedError reports a deployment in which CloudFormation updates nothing, although the stack runs
// other programs, or runs them in another environment, from then on.
type AdoptedError struct {
	*engine.ValidationError
	Changed []string // such as "the type Acme::Shop::Crate", sorted
}

// Unwrap is the refusal.
func (e *AdoptedError) Unwrap() error { return e.ValidationError }

// adopt has the stack's present revision run the programs of the next one, in its environment:
// registered types and functions of other stacks are no part of a template.
func (o *operation) adopt(refused *engine.ValidationError) error {
	r, next := o.record, o.record.Next
	target := r.Revisions[r.Stack.Target]
	if refused.Kind != engine.ErrNoUpdate || next == nil || target == nil {
		return refused
	}
	// A function's new code is a change of the template, so only types are compared.
	changed := next.Differs(target)
	for name, program := range r.Programs[next.Number] {
		last := r.Programs[target.Number][name]
		isNew := last == "" || !sameFile(program, last)
		if isNew && next.Types[name].Command != "" {
			changed = append(changed, next.RunOfType(name).What)
		}
	}
	if len(changed) == 0 {
		return refused
	}
	// CloudFormation stays at the present revision, so that one gets the programs of the next under its own number.
	former, programs := programsDir(o.name(), target.Number), programsDir(o.name(), next.Number)
	if _, err := o.home.dir.Stat(programs); err == nil {
		if err := errors.Join(o.home.dir.RemoveAll(former), o.home.dir.Rename(programs, former)); err != nil {
			return err
		}
	}
	next.Number, next.Service, next.Ready = target.Number, target.Service, target.Ready
	r.Revisions[target.Number], r.Next = next, nil
	if err := o.lock.Save(r); err != nil {
		return err
	}
	slices.Sort(changed)
	return &AdoptedError{refused, slices.Compact(changed)}
}

// sameFile reports whether two files have the same content. A file that cannot be read counts as
// the same.
func sameFile(a, b string) bool {
	one, err := os.ReadFile(a)
	other, unread := os.ReadFile(b)
	return err != nil || unread != nil || bytes.Equal(one, other)
}

// removeOldBuilds removes the programs of all revisions of a stack but those that are kept.
func (h *Home) removeOldBuilds(kept *record.Record) error {
	dir := path.Join("build", kept.Stack.Name)
	entries, err := h.dir.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range entries {
		if revision, unnumbered := strconv.Atoi(name); unnumbered == nil && kept.Revisions[revision] == nil {
			err = errors.Join(err, h.dir.RemoveAll(path.Join(dir, name)))
		}
	}
	return err
}

// UpdateCode is Lambda's UpdateFunctionCode: it builds the programs of a stack's functions and types
// anew, or gives them other commands, by their names as seen from the root. Without names it builds
// all. The stack may be in any status, but no operation may run. UpdateCode is not an operation itself.
// It returns the names of the updated functions and types, sorted.
//
// CloudFormation does not learn of it, as on AWS. The next deployment updates a function whose code
// differs from that of the stack's last deployment, and a rollback restores that code only if a
// deployment has changed the function in between.
func (h *Home) UpdateCode(ctx context.Context, name string, commands map[string]string, s Settings) (updated []string, err error) {
	// The stack must be at rest.
	lock, err := h.store.Lock(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	kept, err := h.Stack(name)
	switch {
	case err != nil:
		return nil, err
	case !kept.Stack.AtRest():
		return nil, movingError(kept.Stack)
	}

	// Find what to build, and check the names.
	o := newOperation(h, kept, lock, s)
	all := o.codes()
	for _, owner := range slices.Sorted(maps.Keys(commands)) {
		if _, is := all[owner]; !is {
			return nil, &NoCodeError{Stack: name, Name: owner, Known: slices.Sorted(maps.Keys(all))}
		}
	}
	if len(commands) > 0 {
		maps.DeleteFunc(all, func(owner string, _ *code) bool { _, named := commands[owner]; return !named })
	}
	for owner, command := range commands {
		all[owner].use(command)
	}
	var runs []record.Run
	for _, owner := range slices.Sorted(maps.Keys(all)) {
		runs = append(runs, all[owner].run(commands[owner]))
	}
	if err := s.allow(runs); err != nil {
		return nil, err
	}

	// Build it, note it in the trace, and save the stack.
	var started unwinding
	defer func() { err = errors.Join(err, started.run()) }()
	if err := o.openLogs(ctx, &started); err != nil {
		return nil, err
	}
	for _, owner := range slices.Sorted(maps.Keys(all)) {
		c, run := all[owner], all[owner].run(commands[owner])
		switch {
		case run.Source != "":
			if err := buildAnew(ctx, run.Source, h.dir, path.Join(programsDir(name, c.revision.Number), programName(run.Source))); err != nil {
				return updated, &BuildError{owner, err}
			}
		case run.Command == "":
			continue // it has no program here
		}
		delete(c.revision.Since, owner)
		o.watcher.Note(run.What + " has new code")
		updated = append(updated, owner)
	}
	return updated, lock.Save(kept)
}

// A NoCodeError reports a name that no function and no type has.
type NoCodeError struct {
	Stack, Name string
	Known       []string
}

func (e *NoCodeError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("the stack %s has no function and no registered type with a program", e.Stack)
	}
	return fmt.Sprintf("the stack %s has no function %.100q: it has %s", e.Stack, e.Name, strings.Join(e.Known, ", "))
}

// A code is the program that a function or a type runs now.
type code struct {
	name     string
	revision *record.Revision   // of the root, that runs it
	function *template.Function // nil for a type
}

// codes returns the programs of the stack's functions and types, by their names as seen from the root.
func (o *operation) codes() map[string]*code {
	all := map[string]*code{}
	r := o.record
	// A function runs the revision that last changed it, and that may not be the stack's latest.
	for _, stack := range r.Stack.All() {
		for _, res := range stack.Resources {
			if res.Type != functionType || res.Gone || res.PhysicalID == "" {
				continue
			}
			rev := r.RevisionFor(stack, res)
			if rev == nil || r.Revisions[rev.Number] == nil {
				continue
			}
			plan, err := rev.Plan(stack)
			if err != nil {
				continue
			}
			if declared := plan.Function(res.LogicalID); declared != nil {
				f, name := *declared, stack.PathOf(res.LogicalID)
				f.LogicalID, f.CodeURI = name, rev.CodeOf(declared)
				all[name] = &code{name, r.Revisions[rev.Number], &f}
			}
		}
	}
	// A type is no part of a template: it is the account's, and one revision has it.
	for _, rev := range r.Revisions {
		for name := range rev.Types {
			if r.RevisionOfType(name) == rev {
				all[name] = &code{name: name, revision: rev}
			}
		}
	}
	return all
}

// use sets the command, unless it is "".
func (c *code) use(command string) {
	switch {
	case command == "":
	case c.function == nil:
		t := c.revision.Types[c.name]
		t.Command = command
		c.revision.Types[c.name] = t
	case c.revision.Commands == nil:
		c.revision.Commands = map[string]string{c.name: command}
	default:
		c.revision.Commands[c.name] = command
	}
}

// run describes the program, and where it comes from: a command that is given now, or the state.
func (c *code) run(command string) (r record.Run) {
	if c.function == nil {
		r = c.revision.RunOfType(c.name)
	} else {
		r = c.revision.RunOf(c.function)
	}
	r.Kept = command == ""
	return r
}
