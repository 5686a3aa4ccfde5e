package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// refs resolves against what the stack is now. It notes whether a value came
// of an answer with NoEcho.
type refs struct {
	m      *Machine
	noEcho bool
}

func (f *refs) find(logicalID string) (*StackResource, error) {
	r := f.m.byID[logicalID]
	if r == nil || r.PhysicalID == "" {
		return nil, fmt.Errorf("resource %s does not exist yet", logicalID)
	}
	return r, nil
}

// Ref returns the physical ID [D].
func (f *refs) Ref(logicalID string) (string, error) {
	r, err := f.find(logicalID)
	if err != nil {
		return "", err
	}
	return r.PhysicalID, nil
}

// GetAtt looks a custom resource's attribute up in the Data of its latest
// answer, under the whole name: a.b is not b in a [O]. One that is absent is
// the error of whoever asked [O].
func (f *refs) GetAtt(logicalID, attribute string) (any, error) {
	r, err := f.find(logicalID)
	if err != nil {
		return nil, err
	}
	if c := f.m.child(r); c != nil {
		return c.stack.output(attribute)
	}
	if !custom(r.Type) {
		return standInAttribute(f.m.stack, r, attribute), nil
	}
	v, ok := r.Attributes[attribute]
	if !ok || v == nil {
		return nil, fmt.Errorf("CustomResource attribute error: Vendor response doesn't contain %s attribute in object %s|%s|%s in S3 bucket cloudformation-custom-resource-storage-%s",
			attribute, f.m.stack.ID, logicalID, r.AnsweredTo, strings.ReplaceAll(f.m.stack.Options.Region, "-", ""))
	}
	f.noEcho = f.noEcho || r.NoEcho
	return v, nil
}

// output is a nested stack's attribute Outputs.NAME [D]. That one which it has
// not is an error is documented, the text is not known [?].
func (s *Stack) output(attribute string) (any, error) {
	name, ok := strings.CutPrefix(attribute, "Outputs.")
	i := slices.IndexFunc(s.Outputs, func(o StackOutput) bool { return o.Name == name })
	if !ok || i < 0 {
		return nil, fmt.Errorf("Output '%s' not found in stack '%s'", name, s.ID)
	}
	return s.Outputs[i].Value, nil
}

// Resolved properties, and what CloudFormation reads of them itself.
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
	if res.properties, err = wire(values); err != nil || !custom(t.Type) {
		return res, err
	}
	if res.token, _ = values["ServiceToken"].(string); res.token == "" {
		return res, errors.New("Properties validation failed for resource " + t.LogicalID + ": ServiceToken is required") // [?] that it is required is [D]
	}
	if v, ok := values["ServiceTimeout"]; ok {
		res.timeout, _ = scalar(v)
		if n, err := strconv.Atoi(res.timeout); err != nil || n < 1 || n > 3600 { // [D] the range, [?] the text
			return res, errors.New("Properties validation failed for resource " + t.LogicalID + ": ServiceTimeout must be a number of seconds from 1 to 3600")
		}
	}
	return res, nil
}

// outputs resolves a template's outputs. Lists and objects are written as JSON [?].
func (m *Machine) outputs(t *Template) ([]StackOutput, error) {
	var all []StackOutput
	for _, o := range t.Outputs {
		f := &refs{m: m}
		v, err := o.Value(f)
		if err != nil {
			return nil, err
		}
		text, err := scalar(v)
		if err != nil {
			out, err := appendJSON(nil, v, false)
			if err != nil {
				return nil, fmt.Errorf("output %s: %w", o.Name, err)
			}
			text = string(out)
		}
		if f.noEcho && m.stack.Options.MaskNoEcho {
			text = "*****" // [D]
		}
		all = append(all, StackOutput{o.Name, text, o.Description, o.ExportName})
	}
	return all, nil
}
