package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// refs resolves against what the stack is now. It notes whether a value came
// of an answer with NoEcho.
type refs struct {
	m      *Machine
	noEcho bool
}

func (r *refs) find(logicalID string) (*StackResource, error) {
	found := r.m.byID[logicalID]
	if found == nil || found.PhysicalID == "" {
		return nil, fmt.Errorf("resource %s does not exist yet", logicalID)
	}
	return found, nil
}

// Ref returns the physical ID [D].
func (r *refs) Ref(logicalID string) (string, error) {
	found, err := r.find(logicalID)
	if err != nil {
		return "", err
	}
	return found.PhysicalID, nil
}

// GetAtt returns an attribute of a resource, as its provider has it.
func (r *refs) GetAtt(logicalID, attribute string) (any, error) {
	found, err := r.find(logicalID)
	if err != nil {
		return nil, err
	}
	if c := r.m.child(found); c != nil {
		return c.stack.output(attribute)
	}
	p := r.m.provider(found.Type)
	if p == nil {
		return standInAttribute(r.m.stack, found, attribute), nil
	}
	v, err := p.attribute(r.m.stack, found, attribute)
	r.noEcho = r.noEcho || err == nil && found.NoEcho
	return v, err
}

// output returns a nested stack's attribute Outputs.NAME [D]. It is documented that an
// unknown one is an error, but not with what text [?].
func (s *Stack) output(attribute string) (any, error) {
	name, ok := strings.CutPrefix(attribute, "Outputs.")
	i := slices.IndexFunc(s.Outputs, func(o StackOutput) bool { return o.Name == name })
	if !ok || i < 0 {
		return nil, fmt.Errorf("Output '%s' not found in stack '%s'", name, s.ID)
	}
	return s.Outputs[i].Value, nil
}

// A resolved holds resolved properties, and what CloudFormation itself reads of them.
type resolved struct {
	properties     Properties
	token, timeout string
}

// resolve returns a resource's properties as they would be sent now.
func (m *Machine) resolve(t *Resource) (res resolved, err error) {
	var values map[string]any
	if t.Properties != nil {
		if values, err = t.Properties(&refs{m: m}); err != nil {
			return res, err
		}
	}
	if p := m.provider(t.Type); p != nil {
		return p.resolve(t, values)
	}
	res.properties, err = marshalProperties(values)
	return res, err
}

// ErrNoText is the error of an output whose value is a list or an object [O].
var ErrNoText = errors.New("Template format error: Every Value member must be a string.") // as CloudFormation has it

// OutputText is an output's value as the stack has it. The error is ErrNoText.
func OutputText(v any) (string, error) {
	text, err := scalar(v)
	if err != nil {
		return "", ErrNoText
	}
	return text, nil
}

// outputs resolves a template's outputs.
func (m *Machine) outputs(t *Template) ([]StackOutput, error) {
	var all []StackOutput
	for _, o := range t.Outputs {
		f := &refs{m: m}
		v, err := o.Value(f)
		if err != nil {
			return nil, err
		}
		text, err := OutputText(v)
		if err != nil {
			return nil, err
		}
		if f.noEcho && m.stack.Options.MaskNoEcho {
			text = "*****" // [D]
		}
		all = append(all, StackOutput{o.Name, text, o.Description, o.ExportName})
	}
	return all, nil
}
