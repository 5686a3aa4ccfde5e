package local

import (
	"fmt"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// findOutputs gives a deployment the outputs of the stacks that take the places
// of nested ones.
func (h *Home) findOutputs(d *record.Deployment, s *engine.Stack) error {
	d.Outputs = map[string]string{}
	for id, name := range d.Nested {
		if name == template.StandIn {
			continue
		}
		r, err := h.Stack(name)
		switch {
		case err != nil:
			return fmt.Errorf("--nested %s=%s: %w: deploy the template of %s as a stack of that name first", id, name, err, id)
		case r.Stack.Deleted() || name == s.Name:
			return fmt.Errorf("--nested %s=%s: that stack cannot take the place of a nested one: deploy the template of %s as another one", id, name, id)
		}
		for _, o := range r.Stack.Outputs {
			d.Outputs[id+".Outputs."+o.Name] = o.Value
		}
	}
	return nil
}
