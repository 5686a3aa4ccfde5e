package local

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/query"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Serve answers as CloudFormation's API does, for reading, on an address of
// loopback, until it is closed. It reads the stacks anew for each request, so
// that one in motion, in this process or another, is seen as it was saved last:
// before any of its requests went out that came of it.
func (h *Home) Serve(address string) (*query.Server, error) {
	return query.Start(address, served{h})
}

// served is a home as the API reads it.
type served struct{ home *Home }

// Names returns the names of all stacks, sorted.
func (s served) Names() ([]string, error) { return s.home.store.Stacks() }

// Stack returns the stack of a name, or nil.
func (s served) Stack(name string) (*query.Stack, error) {
	r, err := s.home.Stack(name)
	if err != nil {
		if names, unlisted := s.Names(); unlisted == nil && !slices.Contains(names, name) { // also one that no stack can have here
			return nil, nil
		}
		return nil, err
	}
	stack := &query.Stack{Stack: r.Shown()}
	d := r.Current()
	if d == nil {
		return stack, nil
	}
	plan, err := d.Plan(r.Stack)
	if err != nil {
		return nil, err
	}
	stack.Template, stack.Description = d.Body, plan.Description
	for _, p := range plan.Parameters {
		stack.Parameters = append(stack.Parameters, query.Parameter{ParameterKey: p.Name, ParameterValue: p.Value, ResolvedValue: p.Resolved})
	}
	stack.Declared, err = declared(d)
	return stack, err
}

// declared are a template's parameters. The default of one with NoEcho is not
// shown.
func declared(d *Deployment) (all []query.Declared, err error) {
	t, err := template.Parse(d.File, []byte(d.Body))
	if err != nil {
		return nil, err
	}
	for _, p := range t.Parameters() {
		one := query.Declared{ParameterKey: p.Name, ParameterType: p.Type, NoEcho: p.NoEcho, Description: p.Description, DefaultValue: p.Default}
		if p.NoEcho && p.Default != nil {
			masked := hidden
			one.DefaultValue = &masked
		}
		all = append(all, one)
	}
	return all, nil
}
