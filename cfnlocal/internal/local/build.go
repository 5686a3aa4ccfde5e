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
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A BuildError reports a function whose program could not be built.
type BuildError struct {
	Function string // its logical ID, or the type that it runs
	Err      error  // *host.BuildError, or that there is no program
	At       string // where the template says where its code is, or ""
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("the function %s: %v", e.Function, e.Err)
	if e.At != "" {
		text = e.At + ": " + text
	}
	return text
}

// Unwrap returns the error of the build.
func (e *BuildError) Unwrap() error { return e.Err }

// buildPrograms builds the Go programs of functions without a command, and of the revision's types, each
// source once, into a part of a directory. It returns the programs by logical ID or type name. It
// leaves out functions without a Go program: to call one is an error later.
func buildPrograms(ctx context.Context, out *store.Dir, part string, rev *record.Revision, functions []template.Function) (map[string]string, error) {
	programs := map[string]string{}
	built := map[string]string{} // by directory
	sources, places := map[string]string{}, map[string]string{}
	for _, f := range functions {
		if dir, _ := rev.SourceOfFunction(&f); dir != "" {
			sources[f.LogicalID], places[f.LogicalID] = dir, f.CodeAt.String()
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
				return nil, &BuildError{owner, err, places[owner]}
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
	_, err := buildAnew(ctx, dir, out, program)
	return err
}

// buildAnew builds a program, and reports whether it is another one than before. Until it is built, the former one stays.
func buildAnew(ctx context.Context, dir string, out *store.Dir, program string) (isNew bool, err error) {
	unfinished := program + ".new"
	err = errors.Join(out.MkdirAll(path.Dir(program)), out.RemoveAll(unfinished))
	if err != nil {
		return false, err
	}
	if err := host.Build(ctx, dir, out.Path(unfinished)); err != nil {
		return false, err
	}
	_, missing := out.Stat(program)
	isNew = missing != nil || !sameFile(out.Path(unfinished), out.Path(program))
	return isNew, out.Rename(unfinished, program)
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
// all. A function that no stack here has goes by its ARN. The stack may be in any status, but no operation may run.
// UpdateCode is not an operation itself. It returns the names of the functions and types that have new code, and of those
// whose code is what it was, sorted.
//
// CloudFormation does not learn of it, as on AWS. The next deployment updates a function whose code
// differs from that of the stack's last deployment, and a rollback restores that code only if a
// deployment has changed the function in between.
func (h *Home) UpdateCode(ctx context.Context, name string, commands map[string]string, s Settings) (updated, same []string, err error) {
	// The stack must be at rest.
	lock, err := h.store.Lock(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	kept, err := h.Stack(name)
	switch {
	case err != nil:
		return nil, nil, err
	case !kept.Stack.AtRest():
		return nil, nil, movingError(kept.Stack)
	}

	// Find what to build, and check the names.
	o := newOperation(h, kept, lock, s)
	all, err := o.codesToUpdate(commands)
	if err != nil {
		return nil, nil, err
	}
	names := slices.Sorted(maps.Keys(all))
	var runs []record.Run
	for _, owner := range names {
		runs = append(runs, all[owner].run(commands[owner]))
	}
	if err := s.allow(runs); err != nil {
		return nil, nil, err
	}

	// Build it, note it in the trace, and save the stack.
	var started unwinding
	defer func() { err = errors.Join(err, started.run()) }()
	if err := o.openLogs(ctx, &started); err != nil {
		return nil, nil, err
	}
	for _, owner := range names {
		c, run := all[owner], all[owner].run(commands[owner])
		isNew := run.Command != c.former
		if run.Source != "" {
			if isNew, err = buildAnew(ctx, run.Source, h.dir, path.Join(programsDir(name, c.revision.Number), programName(run.Source))); err != nil {
				return updated, same, &BuildError{owner, err, all[owner].place()}
			}
		}
		if !isNew {
			same = append(same, owner)
			continue
		}
		delete(c.revision.Since, owner)
		o.watcher.Note(run.What + " has new code")
		updated = append(updated, owner)
	}
	return updated, same, lock.Save(kept)
}

// codesToUpdate returns the programs of the stack that are to be updated, with their new commands: those that are named, or
// all that are on this machine. One that is named, or was here at the last deployment, must still be here.
func (o *operation) codesToUpdate(commands map[string]string) (map[string]*code, error) {
	all := o.codes()
	known := slices.Sorted(maps.Keys(all))
	for _, owner := range slices.Sorted(maps.Keys(commands)) {
		if _, is := all[owner]; !is {
			return nil, &NoCodeError{Stack: o.name(), Name: owner, Known: known}
		}
	}
	if len(commands) > 0 {
		maps.DeleteFunc(all, func(owner string, _ *code) bool { _, named := commands[owner]; return !named })
	}
	for _, owner := range slices.Sorted(maps.Keys(all)) {
		c := all[owner]
		c.former = c.run("").Command
		c.use(commands[owner])
		_, isNamed := commands[owner]
		isMissing := c.run("").Source == "" && c.run("").Command == ""
		switch {
		case isMissing && (isNamed || c.isExpected()):
			return nil, &BuildError{owner, errNoProgram, c.place()}
		case isMissing:
			delete(all, owner)
		}
	}
	if len(all) == 0 { // of several functions without a program, each may be the one that is meant
		return nil, &NoCodeError{Stack: o.name(), Known: known}
	}
	return all, nil
}

// errNoProgram is the error of a function whose program cannot be updated.
var errNoProgram = errors.New("it has no program on this machine: neither a command, nor a Go program in the directory of its code")

// A NoCodeError reports a name that no function and no type has, or, without a name, that none has a program.
type NoCodeError struct {
	Stack, Name string
	Known       []string
}

func (e *NoCodeError) Error() string {
	switch {
	case len(e.Known) == 0:
		return fmt.Sprintf("the stack %s has no function and no registered type with a program", e.Stack)
	case e.Name == "":
		return fmt.Sprintf("no function of the stack %s has a program here: it has %s", e.Stack, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("the stack %s has no function %.100q: it has %s", e.Stack, e.Name, strings.Join(e.Known, ", "))
}

// A code is the program that a function or a type runs now.
type code struct {
	name     string
	revision *record.Revision   // of the root, that runs it
	function *template.Function // nil for a type
	former   string             // its command before, or ""
	isAsked  bool               // it is known by an ARN, since resources are made by it
}

// isExpected reports whether the program must be on this machine: it was at the last deployment, or resources are made by it.
func (c *code) isExpected() bool { return c.isAsked || c.revision.Code[c.name] != "" }

// place is where the template says where its code is, or "".
func (c *code) place() string {
	if c.function == nil {
		return ""
	}
	return c.function.CodeAt.String()
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
				all[name] = &code{name: name, revision: r.Revisions[rev.Number], function: &f}
			}
		}
	}
	// A function that no stack here has is known by the ServiceToken of what it answers for.
	for _, token := range o.tokens() {
		rev := r.Revisions[r.Stack.Target]
		if rev == nil || mask.Text(token, r.Secrets()) != token {
			continue
		}
		p, command := o.providerOf(token), rev.CommandOf(token)
		isExternal := token != "" && len(p.declared) == 0 && (p.unknown || command != "")
		if isExternal {
			name := rev.NameOf(token)
			all[name] = &code{name: name, revision: rev, function: &template.Function{LogicalID: name}, isAsked: true}
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
