package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

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
	for _, of := range slices.Sorted(maps.Keys(commands)) {
		if _, is := all[of]; !is {
			return nil, &NoCodeError{Stack: name, Name: of, Known: slices.Sorted(maps.Keys(all))}
		}
	}
	if len(commands) > 0 {
		maps.DeleteFunc(all, func(of string, _ *code) bool { _, asked := commands[of]; return !asked })
	}
	for of, command := range commands {
		all[of].use(command)
	}
	var runs []record.Run
	for _, of := range slices.Sorted(maps.Keys(all)) {
		runs = append(runs, all[of].run(commands[of]))
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
	for _, of := range slices.Sorted(maps.Keys(all)) {
		c, run := all[of], all[of].run(commands[of])
		switch {
		case run.Source != "":
			if err := buildAnew(ctx, run.Source, h.dir, path.Join(programsOf(name, c.revision.Number), programOf(run.Source))); err != nil {
				return updated, &BuildError{of, err}
			}
		case run.Command == "":
			continue // it has no program here
		}
		delete(c.revision.Since, of)
		o.watcher.Note(run.What + " has new code")
		updated = append(updated, of)
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
