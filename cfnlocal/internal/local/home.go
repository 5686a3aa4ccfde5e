// Package local plays stacks on this machine. It connects the engine, the response bucket, the host
// of functions and the store.
//
// Each operation saves what a step changed before it sends the requests of that step. It saves the
// whole stack when an operation, or a walk over the resources, starts or ends. A handler gets the
// response to its PUT before its answer is saved. A process that is killed leaves a stack in motion.
// [Home.Resume] then sends every request again whose answer was not saved, just as Lambda may
// deliver an event twice. It marks such a request as interrupted: unless that succeeds, what it made before
// is among the [Leftovers].
//
// While an operation runs, handlers get the endpoint of an API that describes stacks as
// CloudFormation's does. A handler that looks up its own stack finds it in the status in which the
// request was sent, or in a later one. Handlers also get Lambda's Invoke. It calls a function as it
// is deployed at that time, and the operation waits for that call as for its own. Invocations are
// not saved: resuming sends the request again and starts a new chain.
//
// # What it cannot do
//
// AWS resources are stand-ins, with IDs and attributes but no effect. Functions are those of the
// stack's own template, of the templates nested in it, and of the other stacks in the home. If no
// handler can answer any more, the operation skips the wait for the answer, and later times include
// it. It also skips Lambda's waits between attempts, and each but the first for a function that does
// not get ready, which no time includes. Faults belong to one command: a resumed operation has only
// those that are given again. Invoking another function does not consult the caller's role. If a
// role's policies plainly forbid a function to invoke itself, a warning says so.
package local

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Home is a directory of stacks. One operation at a time may run on a stack,
// in this process or another one.
type Home struct {
	dir   *store.Dir
	store *store.Store // in dir
	cache *recordCache
}

// Open opens the home in a directory, and creates the directory if needed. Call Close when done.
func Open(dir string) (*Home, error) {
	dir, err := filepath.Abs(cmp.Or(dir, store.DefaultDir))
	if err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	h := &Home{dir: s.Beside(), store: s}
	h.cache = &recordCache{home: h, records: map[string]cachedRecord{}}
	return h, nil
}

// Close closes the directory.
func (h *Home) Close() error { return h.store.Close() }

// Gone reports whether the directory was removed or moved since it was opened.
func (h *Home) Gone() bool { return h.dir.Gone() }

// Empty reports whether there are no stacks. Then nothing in the directory specifies what runs.
func (h *Home) Empty() bool {
	names, err := h.store.Stacks()
	return err == nil && len(names) == 0
}

// Trusted reports whether this user has marked the directory on this machine.
func (h *Home) Trusted() bool { return h.store.Marked() }

// Trust marks the directory.
func (h *Home) Trust() error { return h.store.Mark() }

// ErrNoStack is returned for a stack that does not exist.
var ErrNoStack = errors.New("there is no such stack")

// Stack returns a stack's record. The error is ErrNoStack if there is none.
func (h *Home) Stack(name string) (*record.Record, error) {
	kept, err := store.Load(h.store, name, (*record.Record).Apply)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s", ErrNoStack, name)
	case err != nil:
		return nil, err
	}
	if why := strange(&kept, name); why != "" {
		return nil, h.store.Damaged(name, why)
	}
	return &kept, nil
}

// strange returns why a record that could be read is not that of a stack, or "".
func strange(kept *record.Record, name string) string {
	switch {
	case kept.Stack == nil || kept.Stack.Name != name: // the files beside a stack are found by its name
		return "it holds no stack of that name"
	case !kept.Whole():
		return "it holds an incomplete stack"
	}
	if forged := kept.Forged(); forged != "" { // somebody has written it to mislead
		return fmt.Sprintf("it holds the name %.200q, which no stack has", forged)
	}
	return ""
}

// Stacks returns all stacks, sorted by name, with those that were deleted.
func (h *Home) Stacks() ([]*record.Record, error) { return h.stacksBut("") }

// stacksBut is Stacks without the one of a name, whose state is not read: to read a state costs more than most commands.
func (h *Home) stacksBut(name string) ([]*record.Record, error) {
	names, err := h.store.Stacks()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(one string) bool { return one == name })
	all := make([]*record.Record, 0, len(names))
	for _, name := range names {
		r, err := h.Stack(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Working reports whether a process is running an operation on a stack.
func (h *Home) Working(name string) bool { return h.store.Locked(name) }

// State describes what happens with a stack that is not at rest. It returns "" for others.
func (h *Home) State(s *engine.Stack) string {
	switch {
	case s.AtRest():
		return ""
	case h.Working(s.Name):
		return "a process works on it"
	}
	return "interrupted: cfnlocal resume " + s.Name
}

const logExt = ".log"

// Log returns the path of the log of a stack's handlers.
func (h *Home) Log(name string) string { return h.dir.Path(name + logExt) }

// otherStacks returns the records of the other stacks that exist in this directory
// and are of the stack's region and account.
func (h *Home) otherStacks(s *engine.Stack) ([]*record.Record, error) {
	all, err := h.stacksBut(s.Name)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(r *record.Record) bool {
		o := &r.Stack.Options
		isElsewhere := o.Region != s.Options.Region || o.Account != s.Options.Account
		return isElsewhere || r.Stack.Deleted()
	}), nil
}

// exported returns the exports of the other stacks, by name.
func (h *Home) exported(s *engine.Stack) (map[string]string, error) {
	others, err := h.otherStacks(s)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, r := range others {
		for _, one := range r.Stack.All() {
			maps.Copy(all, exportsOf(one.Outputs))
		}
	}
	return all, nil
}

// outputs returns the outputs of the other stacks, in any Region and account, by the names that Fn::GetStackOutput has
// for them in a stack.
func (h *Home) outputs(s *engine.Stack) (map[string]string, error) {
	all, err := h.stacksBut(s.Name)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, r := range all {
		if r.Stack.Deleted() {
			continue
		}
		place := ""
		if r.Stack.Options.Region != s.Options.Region {
			place = r.Stack.Options.Region + "/"
		}
		for _, one := range r.Stack.All() {
			for _, output := range one.Outputs {
				values[place+one.Name+"."+output.Name] = output.Value
			}
		}
	}
	return values, nil
}

// findImports gives a revision the exports and the outputs of other stacks that its template uses, except those
// with a value from --import.
func (h *Home) findImports(rev *record.Revision, s *engine.Stack) error {
	imports := func(body string) bool {
		return strings.Contains(body, "ImportValue") || strings.Contains(body, "GetStackOutput")
	}
	// Reading all stacks takes long, and few templates import.
	nested := slices.ContainsFunc(slices.Collect(maps.Values(rev.Files)), imports)
	if used := nested || imports(rev.Body); !used {
		return nil
	}
	exports, err := h.exported(s)
	if err != nil {
		return err
	}
	outputs, err := h.outputs(s)
	if err != nil {
		return err
	}
	maps.Copy(exports, outputs)
	rev.Exports = exports
	if nested {
		rev.Offered = maps.Clone(exports)
	}
	// The plan knows which it uses. A nested template may use any of them, which is known once it is read.
	plan, err := rev.Plan(s)
	if err != nil {
		return err
	}
	maps.DeleteFunc(exports, func(name, _ string) bool {
		_, given := rev.Imports[name]
		return given || !slices.Contains(plan.Imports, name)
	})
	return nil
}

// findStored gives a revision the parameters that the other stacks have in Parameter Store.
func (h *Home) findStored(rev *record.Revision, s *engine.Stack) error {
	if reads := rev.Mentions("AWS::SSM::Parameter::Value") || rev.Mentions("{{resolve:ssm:"); !reads {
		return nil
	}
	others, err := h.otherStacks(s)
	if err != nil {
		return err
	}
	rev.Stored = map[string]string{}
	for _, r := range others {
		for _, one := range r.Stack.All() {
			for _, res := range one.Resources {
				if res.Type == "AWS::SSM::Parameter" && exists(res) {
					rev.Stored[res.PhysicalID] = textProperty(res.Properties.Map(), "Value")
				}
			}
		}
	}
	return nil
}

// exists reports whether a resource of a stack exists: it has an ID, and was not deleted.
func exists(res *engine.StackResource) bool { return !res.Gone && res.PhysicalID != "" }

// importers returns the names of the other stacks that import an export, sorted.
func importers(others []*record.Record, export string) []string {
	names := map[string]bool{}
	for _, r := range others {
		for _, rev := range r.Revisions {
			if _, uses := rev.Exports[export]; uses {
				names[r.Stack.Name] = true
			}
		}
		for _, nested := range r.Stack.All()[1:] {
			for _, rev := range r.RevisionsOf(nested) {
				plan, err := rev.Plan(nested)
				isKnown := err == nil && !nested.Deleted()
				if isKnown && slices.Contains(plan.Imports, export) {
					names[nested.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// keepExports returns an error if the new outputs of a stack export a name that is taken, or change
// an export that another stack imports. The stack is the record's, or nested in it.
func (h *Home) keepExports(owner *record.Record, s *engine.Stack, outputs []engine.StackOutput) error {
	former, now := exportsOf(s.Outputs), exportsOf(outputs)
	if len(former) == 0 && len(now) == 0 {
		return nil
	}
	others, err := h.otherStacks(owner.Stack)
	if err != nil {
		return err
	}

	// Each name is exported once.
	for _, r := range append(others, owner) {
		for _, one := range r.Stack.All() {
			if one.ID == s.ID {
				continue
			}
			for name := range exportsOf(one.Outputs) {
				if _, twice := now[name]; twice {
					return fmt.Errorf("Export with name %s is already exported by stack %s.", name, one.Name)
				}
			}
		}
	}

	// An export that another stack imports stays as it is.
	for _, o := range s.Outputs {
		value, still := now[o.ExportName]
		in := importers(others, o.ExportName)
		isKept := still && value == o.Value
		switch {
		case o.ExportName == "", len(in) == 0, isKept:
		case still:
			return fmt.Errorf("Cannot update export %s"+exportInUse+"%s.", o.ExportName, strings.Join(in, " and "))
		default:
			return fmt.Errorf("Cannot delete export %s"+exportInUse+"%s.", o.ExportName, strings.Join(in, " and "))
		}
	}
	return nil
}

// exportInUse is what CloudFormation's text says of an export that stays as it is.
const exportInUse = " as it is in use by "

// ExportKept reports whether one of the events of a stack says that an export stays as it is.
func ExportKept(events []engine.Event) bool {
	return slices.ContainsFunc(events, func(e engine.Event) bool { return strings.Contains(e.ResourceStatusReason, exportInUse) })
}

func exportsOf(all []engine.StackOutput) map[string]string {
	byName := map[string]string{}
	for _, o := range all {
		if o.ExportName != "" {
			byName[o.ExportName] = o.Value
		}
	}
	return byName
}

// findOutputs gives a revision the outputs of the stacks that stand in for nested ones.
func (h *Home) findOutputs(rev *record.Revision, s *engine.Stack) error {
	rev.Outputs = map[string]string{}
	for id, name := range rev.Nested {
		if name == template.StandIn {
			continue
		}
		r, err := h.Stack(name)
		switch {
		case err != nil:
			return fmt.Errorf("--nested %s=%s: %w: first deploy the template of %s as a stack of that name", id, name, err, id)
		case r.Stack.Deleted() || name == s.Name:
			return fmt.Errorf("--nested %s=%s: that stack cannot take the place of a nested one: deploy the template of %s as another one", id, name, id)
		}
		for _, o := range r.Stack.Outputs {
			rev.Outputs[id+".Outputs."+o.Name] = o.Value
		}
	}
	return nil
}
