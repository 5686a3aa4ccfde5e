package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Token is the ServiceToken of custom resources that name none.
const Token = "arn:aws:lambda:us-east-1:123456789012:function:f" //nolint:gosec // the ARN of a function is no credential

// A Template is what a text in the small language of the tests' templates says, a resource a line:
//
//	R Custom::Thing {"Name": "a", "From": {"Ref": "S"}} DependsOn=S,T DeletionPolicy=Retain
//	output Key {"Fn::GetAtt": ["R", "Key"]}
//
// Ref and Fn::GetAtt are all it knows.
type Template struct {
	Resources []Resource
	Outputs   []Output
}

// A Resource is a line of a [Template].
type Resource struct {
	LogicalID, Type                     string
	Properties                          map[string]any
	DependsOn                           []string // explicit and by reference, sorted
	DeletionPolicy, UpdateReplacePolicy string
}

// An Output is a line of a [Template].
type Output struct {
	Name  string
	Value any
}

// ParseTemplate reads a template.
func ParseTemplate(text string) (*Template, error) {
	t := &Template{}
	for _, line := range lines(text) {
		name, rest, _ := strings.Cut(line, " ")
		kind, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
		rest = strings.TrimSpace(rest)
		if name == "output" {
			value, err := decode([]byte(rest))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			t.Outputs = append(t.Outputs, Output{kind, value})
			continue
		}
		r, err := parseResource(name, kind, rest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		t.Resources = append(t.Resources, r)
	}
	return t, nil
}

func parseResource(name, kind, rest string) (r Resource, err error) {
	r = Resource{LogicalID: name, Type: kind, Properties: map[string]any{}}
	if strings.HasPrefix(rest, "{") {
		d := json.NewDecoder(strings.NewReader(rest))
		d.UseNumber()
		if err := d.Decode(&r.Properties); err != nil {
			return r, err
		}
		rest = rest[d.InputOffset():]
	}
	for attribute := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(attribute, "=")
		switch key {
		case "DependsOn":
			r.DependsOn = strings.Split(value, ",")
		case "DeletionPolicy":
			r.DeletionPolicy = value
		case "UpdateReplacePolicy":
			r.UpdateReplacePolicy = value
		default:
			return r, fmt.Errorf("%s is not known", key)
		}
	}
	r.DependsOn = append(r.DependsOn, references(r.Properties)...)
	slices.Sort(r.DependsOn)
	r.DependsOn = slices.Compact(r.DependsOn)
	return r, nil
}

// Engine returns the template as the engine takes it.
func (t *Template) Engine() *engine.Template {
	out := &engine.Template{}
	for _, r := range t.Resources {
		values := r.Properties
		if _, ok := values["ServiceToken"]; !ok && engine.IsCustomResource(r.Type) {
			values = map[string]any{"ServiceToken": Token}
			maps.Copy(values, r.Properties)
		}
		compiled := engine.Resource{LogicalID: r.LogicalID, Type: r.Type, DependsOn: r.DependsOn, DeletionPolicy: r.DeletionPolicy, UpdateReplacePolicy: r.UpdateReplacePolicy}
		compiled.Properties = func(f engine.Refs) (map[string]any, error) {
			v, err := substitute(f, values)
			m, _ := v.(map[string]any)
			return m, err
		}
		if r.Type == engine.StackType {
			compiled.Nested = nestedSource
		}
		out.Resources = append(out.Resources, compiled)
	}
	for _, o := range t.Outputs {
		out.Outputs = append(out.Outputs, engine.Output{Name: o.Name, Value: func(f engine.Refs) (any, error) { return substitute(f, o.Value) }})
	}
	return out
}

// nestedSource is the source of a nested stack: a template of the scenario, and its parameters.
func nestedSource(p engine.Properties) (engine.Source, error) {
	values := p.Map()
	s := engine.Source{Parameters: map[string]string{}}
	s.File, _ = values["TemplateURL"].(string)
	parameters, _ := values["Parameters"].(map[string]any)
	for name, value := range parameters {
		s.Parameters[name], _ = value.(string)
	}
	return s, nil
}

// substitute puts values in the place of Ref and Fn::GetAtt.
func substitute(f engine.Refs, v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if id, ok := v["Ref"].(string); ok && len(v) == 1 {
			return f.Ref(id)
		}
		if at, ok := v["Fn::GetAtt"].([]any); ok && len(v) == 1 {
			return f.GetAtt(at[0].(string), at[1].(string))
		}
		out := make(map[string]any, len(v))
		for key, value := range v {
			s, err := substitute(f, value)
			if err != nil {
				return nil, err
			}
			out[key] = s
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			s, err := substitute(f, value)
			if err != nil {
				return nil, err
			}
			out[i] = s
		}
		return out, nil
	}
	return v, nil
}

// references are the logical IDs that a value refers to.
func references(v any) []string {
	var ids recorder
	_, _ = substitute(&ids, v) // a recorder refuses nothing
	return ids
}

// A recorder notes what is referred to.
type recorder []string

func (r *recorder) Ref(logicalID string) (string, error) {
	*r = append(*r, logicalID)
	return "", nil
}

func (r *recorder) GetAtt(logicalID, _ string) (any, error) { return r.Ref(logicalID) }

// decode reads JSON, with numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
