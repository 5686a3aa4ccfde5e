package enginetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An Answer is what the handler says to a request, and how the request reaches it. The zero
// Answer is SUCCESS after a second.
type Answer struct {
	Verb       string // SUCCESS, FAILED, none, raw, refuse; or ""
	Text       string // of raw and refuse
	PhysicalID string // or "": the request's own, or a new one
	Reason     string // of FAILED
	Data       any
	NoEcho     bool

	After, Takes, Again time.Duration // of the delivery, and of the one after it, if any
	Lost                bool
}

func parseAnswer(line string) (a Answer, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return a, errors.New("a request has no answer: SUCCESS, FAILED, none, raw or refuse")
	}
	a = Answer{Verb: words[0], Takes: time.Second, Reason: "no"}
	_, a.Text, _ = strings.Cut(line, " ")
	for i, w := range words[1:] {
		key, value, assigned := strings.Cut(w, "=")
		switch {
		case a.Verb == "raw" || a.Verb == "refuse": // the text of these is none of ours
		case key == "Data":
			a.Data, err = decode([]byte(value))
		case key == "Reason":
			a.Reason = value
		case key == "after":
			a.After, err = time.ParseDuration(value)
		case key == "takes":
			a.Takes, err = time.ParseDuration(value)
		case key == "again":
			a.Again, err = time.ParseDuration(value)
		case w == "lost":
			a.Lost = true
		case w == "NoEcho":
			a.NoEcho = true
		case i == 0 && !assigned:
			a.PhysicalID = w
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// Body returns what is PUT to the request's URL, or nil. A Create that the line gives no
// physical ID has the one that is given here.
func (a Answer) Body(r *engine.Request, created string) []byte {
	switch a.Verb {
	case "none":
		return nil
	case "raw":
		return []byte(strings.NewReplacer("{StackId}", r.StackID, "{RequestId}", r.RequestID, "{LogicalResourceId}", r.LogicalID,
			"{long}", strings.Repeat("x", engine.MaxAnswer)).Replace(a.Text))
	}
	id := cmp.Or(a.PhysicalID, r.PhysicalID, created)
	answer := map[string]any{"Status": "SUCCESS", "StackId": r.StackID, "RequestId": r.RequestID, "LogicalResourceId": r.LogicalID, "PhysicalResourceId": id}
	if a.Verb == "FAILED" {
		answer["Status"], answer["Reason"] = "FAILED", a.Reason
	}
	if a.Data != nil {
		answer["Data"] = a.Data
	}
	if a.NoEcho {
		answer["NoEcho"] = true
	}
	out, _ := json.Marshal(answer) // of texts and decoded JSON
	return out
}

// Deliveries returns how the request reaches the handler.
func (a Answer) Deliveries() []Delivery {
	first := Delivery{After: a.After, Takes: a.Takes, Lost: a.Lost}
	if a.Verb == "" {
		first.Takes = time.Second
	}
	if a.Again == 0 {
		return []Delivery{first}
	}
	return []Delivery{first, {After: a.After + a.Again, Takes: a.Takes}}
}

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
