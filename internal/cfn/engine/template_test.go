package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const testToken = "arn:aws:lambda:us-east-1:123456789012:function:f"

// parseTemplate reads the small language of the tests' templates, a resource a
// line:
//
//	R Custom::Thing {"Name": "a", "From": {"Ref": "S"}} DependsOn=S,T DeletionPolicy=Retain
//	output Key {"Fn::GetAtt": ["R", "Key"]}
//
// Ref and Fn::GetAtt are all it knows. A custom resource without a ServiceToken
// gets testToken.
func parseTemplate(text string) (*Template, error) {
	t := &Template{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "output" {
			name, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
			v, err := decode([]byte(value))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			t.Outputs = append(t.Outputs, Output{Name: name, Value: func(f Refs) (any, error) { return substitute(f, v) }})
			continue
		}
		typ, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
		r, err := parseResource(name, typ, strings.TrimSpace(rest))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		t.Resources = append(t.Resources, r)
	}
	return t, nil
}

func parseResource(name, typ, rest string) (r Resource, err error) {
	r = Resource{LogicalID: name, Type: typ}
	values := map[string]any{}
	if strings.HasPrefix(rest, "{") {
		d := json.NewDecoder(strings.NewReader(rest))
		d.UseNumber()
		if err := d.Decode(&values); err != nil {
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
	if _, ok := values["ServiceToken"]; !ok && IsCustomResource(typ) {
		values["ServiceToken"] = testToken
	}
	if typ == StackType {
		r.Nested = testSource
	}
	r.DependsOn = append(r.DependsOn, references(values)...)
	slices.Sort(r.DependsOn)
	r.DependsOn = slices.Compact(r.DependsOn)
	r.Properties = func(f Refs) (map[string]any, error) {
		v, err := substitute(f, values)
		m, _ := v.(map[string]any)
		return m, err
	}
	return r, nil
}

// testSource is the source of a nested stack: a template of the scenario, and
// its parameters.
func testSource(p Properties) (Source, error) {
	values := p.Map()
	s := Source{Parameters: map[string]string{}}
	s.File, _ = values["TemplateURL"].(string)
	parameters, _ := values["Parameters"].(map[string]any)
	for name, value := range parameters {
		s.Parameters[name], _ = value.(string)
	}
	return s, nil
}

// substitute puts values in the place of Ref and Fn::GetAtt.
func substitute(f Refs, v any) (any, error) {
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

func references(v any) (ids []string) {
	switch v := v.(type) {
	case map[string]any:
		if id, ok := v["Ref"].(string); ok && len(v) == 1 {
			return []string{id}
		}
		if at, ok := v["Fn::GetAtt"].([]any); ok && len(v) == 1 {
			return []string{at[0].(string)}
		}
		for _, value := range v {
			ids = append(ids, references(value)...)
		}
	case []any:
		for _, value := range v {
			ids = append(ids, references(value)...)
		}
	}
	return ids
}

func mustTemplate(t testing.TB, text string) *Template {
	t.Helper()
	template, err := parseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// withoutToken leaves the ServiceToken out of properties if it is testToken, to
// make expectations readable.
func withoutToken(p Properties) string {
	quoted := `"ServiceToken":"` + testToken + `"`
	b := []byte(p)
	for _, form := range []string{quoted + ",", "," + quoted, quoted} {
		if i := bytes.Index(b, []byte(form)); i >= 0 {
			return string(b[:i]) + string(b[i+len(form):])
		}
	}
	return string(b)
}
