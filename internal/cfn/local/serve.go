package local

import (
	"slices"
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/query"
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
	secrets := sync.OnceValue(r.Secrets)
	stack := &query.Stack{Stack: r.Stack, Hide: func(text string) string { return string(HideValues([]byte(text), secrets())) }}
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
	return stack, nil
}
