package local

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A CheckError has the properties that the functions of a template would refuse.
type CheckError struct{ template.Errors }

// Unwrap hides that the mistakes are a template's own: CloudFormation itself would take it.
func (e *CheckError) Unwrap() error { return nil }

// Checked is the result of comparing a template with the schemas of its functions.
type Checked struct {
	Types    []*schema.ResourceType // of the resources that were checked, each once, in the order of the file
	Replaced []template.Warning     // the resources that an update replaces
	Silent   []string               // why functions and nested stacks were not checked
	Unbuilt  []string               // the functions that have no program here
	Warnings []string               // about the template, as a deployment gives them; of Check only
	Resources,
	Unchecked int // so many custom resources
}

// Check builds the functions of a template and compares it with the schemas that they report, and
// with the state of the named stack. It starts nothing else and saves nothing. A mistake is a
// *CheckError, with which Checked is valid. Options that are not set are those of the stack's
// previous revision, except commands and types. h may be nil if there are no stacks. The
// guard is asked before anything runs.
func (h *Home) Check(ctx context.Context, name string, rev *record.Revision, o engine.Options, guard Guard) (*Checked, error) {
	kept := record.New(name, o, nil)
	rev.Inherit(kept)
	if h != nil {
		var err error
		if kept, err = h.inheritForCheck(kept, rev); err != nil {
			return nil, err
		}
	}

	// Report what will run before it runs.
	if err := rev.ReadNested(); err != nil {
		return nil, err
	}
	plan, err := rev.Plan(kept.Stack)
	if err != nil {
		return nil, err
	}
	functions := customResourceFunctions(plan)
	var others map[string]describer
	asks := rev.Asks(functions)
	if h != nil {
		var more []record.Run
		others, more = newOperation(h, kept, nil, Settings{}).describers(rev, plan)
		asks = append(asks, more...)
	}
	if err := guard.Allow(asks); err != nil {
		return nil, err
	}

	// Build the programs in a directory of their own, and ask them.
	out, err := os.MkdirTemp("", "cfnlocal-check-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }() // it only takes room
	dir, err := store.OpenDir(out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	programs, err := buildPrograms(ctx, dir, ".", rev, functions, slices.Sorted(maps.Keys(rev.Types)))
	if err != nil {
		return nil, err
	}
	checked, err := compareWithSchemas(ctx, kept, rev, plan, programsToAsk(rev, plan, programs, others), func(string) {})
	if checked == nil {
		return nil, err
	}
	checked.Warnings = rev.Warnings(plan)
	if len(rev.Files) > 0 {
		checked.Silent = append(checked.Silent, "the custom resources of nested stacks are not checked: check the template of each by itself")
	}
	return checked, err
}

// inheritForCheck gives a revision the options of the stack of a new record's name, and the values of other stacks. It returns
// the stack's record, or the new one if there is no such stack. A check runs no command or type of an earlier deployment.
func (h *Home) inheritForCheck(kept *record.Record, rev *record.Revision) (*record.Record, error) {
	found, err := h.Stack(kept.Stack.Name)
	switch {
	case err == nil && !found.Stack.Deleted():
		kept = found
		given := rev.Commands
		rev.Inherit(kept)
		rev.Commands, rev.Types = given, nil
	case err != nil && !errors.Is(err, ErrNoStack):
		return nil, err
	}
	return kept, errors.Join(h.findOutputs(rev, kept.Stack), h.findStored(rev, kept.Stack), h.findImports(rev, kept.Stack))
}

// customResourceFunctions returns the functions that answer for custom resources.
func customResourceFunctions(plan *template.Plan) []template.Function {
	return slices.DeleteFunc(slices.Clone(plan.Functions), func(f template.Function) bool {
		return !slices.ContainsFunc(plan.Customs, func(c template.Custom) bool { return c.Function == f.LogicalID })
	})
}

// compareWithSchemas asks the programs whether they would refuse a revision. tell is called with what is waited for.
func compareWithSchemas(ctx context.Context, kept *record.Record, rev *record.Revision, plan *template.Plan, toAsk map[string]describer, tell func(string)) (*Checked, error) {
	providers, silent, err := describeFunctions(ctx, plan, toAsk, rev.Env, tell)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	checked := &Checked{Silent: silent}
	listed := map[string]bool{}
	for _, c := range plan.Customs {
		if providers[c.Function] == nil {
			// A function that could be built and is not is worth a word; one of another stack is not.
			checked.Unchecked++
			program := toAsk[c.Function]
			isUnbuilt := c.Function != "" && program.isMissing()
			if isUnbuilt && !slices.Contains(checked.Unbuilt, c.Function) {
				checked.Unbuilt = append(checked.Unbuilt, c.Function)
			}
			continue
		}
		checked.Resources++
		if t := providers[c.Function].Type(c.Type); t != nil && !listed[c.Type] {
			listed[c.Type] = true
			checked.Types = append(checked.Types, t)
		}
	}
	// With mistakes the rest of the result is valid as well, since a check shows both.
	mistakes, replaced := schema.Check(plan, providers, lastSent(kept.Stack))
	checked.Replaced = replaced
	if len(mistakes) > 0 {
		return checked, &CheckError{mistakes}
	}
	return checked, nil
}

// programsToAsk returns the programs that describe the functions of custom resources: the program of
// the command, the one built from the code, the one in the code's directory, or the one that another
// stack has built.
func programsToAsk(rev *record.Revision, plan *template.Plan, built map[string]string, others map[string]describer) map[string]describer {
	all := map[string]describer{}
	for _, c := range plan.Customs {
		command := rev.CommandOf(c.Function)
		switch f := plan.Function(c.Function); {
		case command != "":
			all[c.Function] = commandProgram(command, rev.Dir)
		case built[c.Function] != "":
			all[c.Function] = builtProgram(built[c.Function])
		case f != nil:
			all[c.Function] = assetProgram(rev.AssetOf(f))
		default:
			all[c.Function] = others[c.Function]
		}
	}
	return all
}

// lastSent returns the properties in the latest requests for a stack's custom resources.
func lastSent(s *engine.Stack) map[string]map[string]any {
	last := map[string]map[string]any{}
	for _, r := range s.Resources {
		if !r.Gone && r.PhysicalID != "" {
			last[r.LogicalID] = r.Properties.Map()
		}
	}
	return last
}
