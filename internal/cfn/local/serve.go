package local

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/query"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Serve answers as CloudFormation's API does, for reading, on an address of
// loopback, until it is closed. It reads the stacks anew for each request, so
// that one in motion in another process is seen as it was saved last: before any
// of its requests went out that came of it.
func (h *Home) Serve(address string) (*query.Server, error) {
	return query.Start(address, served{home: h})
}

// served is a home as the API reads it. The stack that the process works on, if
// there is one, is not read from its file: every handler of a stack may ask for
// it, and the file grows with each.
type served struct {
	home *Home
	run  *run
}

// Names returns the names of all stacks, sorted.
func (s served) Names() ([]string, error) { return s.home.store.Stacks() }

// Stack returns the stack of a name, or nil.
func (s served) Stack(name string) (*query.Stack, error) {
	if s.run != nil && name == s.run.record.Stack.Name {
		return s.run.seen()
	}
	r, err := s.home.Stack(name)
	if err != nil {
		if names, unlisted := s.Names(); unlisted == nil && !slices.Contains(names, name) { // also one that no stack can have here
			return nil, nil
		}
		return nil, err
	}
	return asked(r.Shown(), r.Current())
}

// seen is the stack that the run works on, as it was saved last.
func (r *run) seen() (*query.Stack, error) {
	var shot *engine.Stack
	var d *Deployment
	r.live.Look(func(s *engine.Stack) {
		shot, d = s.Snapshot(), r.record.Current()
		shot.Events = slices.Clip(r.rows)
		shot.StatusReason = hideIn(shot.StatusReason, r.secrets)
		for _, res := range shot.Resources {
			res.StatusReason = hideIn(res.StatusReason, r.secrets)
		}
	})
	return asked(shot, d)
}

// asked is a stack with what the API says of its template.
func asked(s *engine.Stack, d *Deployment) (stack *query.Stack, err error) {
	stack = &query.Stack{Stack: s}
	if d == nil {
		return stack, nil
	}
	plan, err := d.Plan(s)
	if err != nil {
		return nil, err
	}
	stack.Template, stack.Description = d.Body, plan.Description
	for _, p := range plan.Parameters {
		stack.Parameters = append(stack.Parameters, query.Parameter{ParameterKey: p.Name, ParameterValue: p.Value, ResolvedValue: p.Resolved})
	}
	stack.Declared = declared(d.declared)
	return stack, nil
}

// declared are a template's parameters. The default of one with NoEcho is not
// shown.
func declared(parameters []template.Parameter) (all []query.Declared) {
	for _, p := range parameters {
		one := query.Declared{ParameterKey: p.Name, ParameterType: p.Type, NoEcho: p.NoEcho, Description: p.Description, DefaultValue: p.Default}
		if p.NoEcho && p.Default != nil {
			masked := hidden
			one.DefaultValue = &masked
		}
		all = append(all, one)
	}
	return all
}
