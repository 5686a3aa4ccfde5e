package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// UpdateCode is Lambda's UpdateFunctionCode: it builds the programs of a stack's functions and types
// anew, or gives them other commands, by their names as seen from the root. Without names it builds
// all. A function that no stack here has goes by its ARN. The stack may be in any status, also in that of an operation that was interrupted.
// UpdateCode is not an operation itself. It returns the names of the functions and types that have new code, and of those
// whose code is what it was, sorted.
//
// CloudFormation does not learn of it, as on AWS. The next deployment updates a function whose code
// differs from that of the stack's last deployment, and a rollback restores that code only if a
// deployment has changed the function in between: the other deployments with the same code get the new program, too.
func (h *Home) UpdateCode(ctx context.Context, name string, commands map[string]string, s Settings) (updated, same []string, err error) {
	lock, err := h.store.Lock(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	kept, err := h.Stack(name)
	if err != nil {
		return nil, nil, err
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
		isNew := c.isNew
		if run.Source != "" {
			if isNew, err = o.rebuild(ctx, c); err != nil {
				return updated, same, &BuildError{Function: owner, Err: err, At: c.place()}
			}
		}
		if !isNew {
			same = append(same, owner)
			continue
		}
		for _, rev := range c.revisions {
			delete(rev.Since, owner)
		}
		o.watcher.Note(run.What + " has new code")
		updated = append(updated, owner)
	}
	return updated, same, lock.Save(kept)
}

// rebuild builds the program anew for each revision that has it, and reports whether one that runs now is another one than
// before.
func (o *operation) rebuild(ctx context.Context, c *code) (isNew bool, err error) {
	for i, rev := range c.revisions {
		source := c.runOf(rev).Source
		if i > 0 && source == "" {
			continue // a command has taken its place
		}
		differs, err := buildAnew(ctx, source, o.home.dir, path.Join(programsDir(o.name(), rev.Number), programName(source)))
		if err != nil {
			return false, err
		}
		isNew = isNew || i < c.running && differs
	}
	return isNew, nil
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
		c.isNew = c.use(commands[owner])
		_, isNamed := commands[owner]
		isMissing := c.run("").Source == "" && c.run("").Command == ""
		switch {
		case isMissing && (isNamed || c.isExpected()):
			return nil, &BuildError{Function: owner, Err: errNoProgram, At: c.place()}
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
	name      string
	revisions []*record.Revision // of the root: those that it runs, and the others of which it has the same code
	running   int                // how many it runs: a function and the one that has replaced it can run two
	function  *template.Function // nil for a type
	isNew     bool               // another command has taken its place
	isAsked   bool               // it is known by an ARN, since resources are made by it
}

// newCode returns the code of a function that runs revisions of the root, or of a type.
func (o *operation) newCode(name string, f *template.Function, runs ...*record.Revision) *code {
	c := &code{name: name, revisions: runs, running: len(runs), function: f}
	for _, rev := range o.record.Revisions {
		hasSame := slices.ContainsFunc(runs, func(r *record.Revision) bool { return r.Code[name] == rev.Code[name] })
		if hasSame && !slices.Contains(runs, rev) {
			c.revisions = append(c.revisions, rev)
		}
	}
	return c
}

// isExpected reports whether the program must be on this machine: it was at the last deployment, or resources are made by it.
func (c *code) isExpected() bool { return c.isAsked || c.revisions[0].Code[c.name] != "" }

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
	add := func(name string, f *template.Function, runs *record.Revision) {
		also := []*record.Revision{runs}
		if other := all[name]; other != nil {
			f, also = other.function, slices.Concat(other.revisions[:other.running], also)
		}
		all[name] = o.newCode(name, f, also...)
	}
	// A function runs the revision that last changed it, and that may not be the stack's latest.
	for _, stack := range r.Stack.All() {
		for _, res := range slices.Concat(stack.Resources, stack.Leaving) { // what is leaving answers until it is deleted
			if res.Type != functionType || !exists(res) {
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
				f := *declared
				f.LogicalID, f.CodeURI = stack.PathOf(res.LogicalID), rev.CodeOf(declared)
				add(f.LogicalID, &f, r.Revisions[rev.Number])
			}
		}
	}
	// An operation that was interrupted can have one still to create.
	for _, number := range slices.Sorted(maps.Keys(r.Revisions)) {
		rev := r.Revisions[number]
		plan, err := rev.Plan(r.Stack)
		if err != nil {
			continue
		}
		for _, f := range rev.Functions(plan) {
			if all[f.LogicalID] == nil && r.Runs(rev, f.LogicalID) {
				add(f.LogicalID, &f, rev)
			}
		}
	}
	// A function that no stack here has is known by the ServiceToken of what it answers for.
	for _, token := range o.tokens() {
		rev := r.Revisions[r.Stack.Target]
		if rev == nil || mask.Text(token, r.Secrets()) != token {
			continue
		}
		if isKnown := token != ""; isKnown && o.providerOf(token).external() {
			name := rev.NameOf(token)
			all[name] = o.newCode(name, &template.Function{LogicalID: name}, rev)
			all[name].isAsked = true
		}
	}
	// A type is no part of a template: it is the account's, and one revision has it.
	for _, rev := range r.Revisions {
		for name := range rev.Types {
			if r.RevisionOfType(name) == rev {
				all[name] = &code{name: name, revisions: []*record.Revision{rev}, running: 1}
			}
		}
	}
	return all
}

// use sets the command, unless it is "", and reports whether that is another one than before.
func (c *code) use(command string) (isNew bool) {
	if command == "" {
		return false
	}
	for i, rev := range c.revisions {
		isNew = isNew || i < c.running && c.runOf(rev).Command != command
		switch {
		case c.function == nil:
			t := rev.Types[c.name]
			t.Command = command
			rev.Types[c.name] = t
		case rev.Commands == nil:
			rev.Commands = map[string]string{c.name: command}
		default:
			rev.Commands[c.name] = command
		}
	}
	return isNew
}

// run describes the program, and where it comes from: a command that is given now, or the state.
func (c *code) run(command string) record.Run {
	r := c.runOf(c.revisions[0])
	r.Kept = command == ""
	return r
}

func (c *code) runOf(rev *record.Revision) record.Run {
	if c.function == nil {
		return rev.RunOfType(c.name)
	}
	return rev.RunOf(c.function)
}
