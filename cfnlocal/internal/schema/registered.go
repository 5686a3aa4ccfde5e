package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Registered returns the type as CloudFormation uses it, or an error if it cannot be registered.
func (s *Schema) Registered() (*engine.ResourceType, error) {
	if len(s.PrimaryIdentifier) == 0 {
		return nil, errors.New("the schema of " + short(s.TypeName) + " has no primaryIdentifier")
	}
	t := &engine.ResourceType{Name: s.TypeName, PrimaryIdentifier: paths(s.PrimaryIdentifier), CreateOnly: paths(s.CreateOnly), ReadOnly: paths(s.ReadOnly),
		Timeouts: map[string]time.Duration{}, Accept: s.accept}
	for request, handler := range map[string]string{"Create": "create", "Update": "update", "Delete": "delete"} {
		h, ok := s.Handlers[handler]
		if !ok && handler != "update" {
			return nil, fmt.Errorf("the schema of %s has no %s among its handlers", short(s.TypeName), handler)
		}
		if h.Timeout != 0 && (h.Timeout < 2 || h.Timeout > 2160) { // [D]
			return nil, fmt.Errorf("the schema of %s: timeoutInMinutes of %s is not from 2 to 2160", short(s.TypeName), handler)
		}
		t.Fixed = t.Fixed || !ok
		t.Timeouts[request] = time.Duration(h.Timeout) * time.Minute
	}
	return t, nil
}

// paths returns the properties that a schema's JSON pointers lead to, with slashes between the names
// of nested ones.
func paths(pointers []string) []string {
	all := make([]string, len(pointers))
	for i, p := range pointers {
		all[i] = property(p)
	}
	return all
}

func property(pointer string) string { return strings.TrimPrefix(pointer, "/properties/") }

// accept returns a template's values with the JSON types of the schema, since a parameter's value is
// always a string. The error has the form of CloudFormation's [O], and holds no value.
func (s *Schema) accept(values map[string]any) (map[string]any, error) {
	a := &acceptor{schema: s}
	for _, name := range paths(s.ReadOnly) {
		if _, set := values[name]; set {
			a.refuse("#", "extraneous key ["+name+"] is not permitted: it is an attribute, which Fn::GetAtt reads")
		}
	}
	top := &Property{Type: Types{"object"}, Properties: s.Properties, Required: s.Required}
	if s.AdditionalProperties {
		top.AdditionalProperties = json.RawMessage("true")
	}
	all, _ := a.object(values, top, "#", 0).(map[string]any)
	if len(a.found) > 0 {
		return nil, fmt.Errorf("Properties validation failed for a resource of %s with message: %s", s.TypeName, strings.Join(a.found, "; "))
	}
	return all, nil
}

// An acceptor collects the mistakes in the values of one resource.
type acceptor struct {
	schema *Schema
	found  []string
}

func (a *acceptor) refuse(at, text string) {
	if len(a.found) < mostRefused {
		a.found = append(a.found, at+": "+text)
	}
}

// mostRefused is how many reasons an event has.
const mostRefused = 10

func (a *acceptor) value(v any, p *Property, at string, depth int) any {
	p = a.schema.Resolve(p)
	if depth > deepest {
		a.refuse("#", "values are nested too deep")
		return nil
	}
	// Objects and lists are read part by part.
	text, isScalar := source.Text(v)
	switch v := v.(type) {
	case map[string]any:
		return a.object(v, p, at, depth)
	case []any:
		return a.list(v, p, at, depth)
	case nil:
		a.refuse(at, "expected a value, found: Null")
		return nil
	}
	// A single value must have the type, and be within the limits.
	switch {
	case !isScalar || len(p.Type) == 0:
		return v
	case p.takes("object") && !p.takes("string") || p.takes("array") && !p.takes("string"):
		a.refuse(at, "expected "+expected(p)+", found a single value")
		return v
	}
	if problem := scalar(text, p); problem != "" {
		a.refuse(at, problem)
		return v
	}
	// It gets the schema's type.
	switch {
	case p.takes("string"):
		return text
	case p.takes("boolean") && isA(text, "boolean"):
		return strings.EqualFold(text, "true")
	case json.Valid([]byte(text)):
		return json.Number(text)
	}
	n, ok := numberOf(text) // such as +1, or .5
	if !ok {
		return v
	}
	f, _ := n.Float64()
	return f
}

func (a *acceptor) object(v map[string]any, p *Property, at string, depth int) any {
	if len(p.Type) > 0 && !p.takes("object") {
		a.refuse(at, "expected "+expected(p)+", found an object")
		return v
	}
	all := make(map[string]any, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		known, open := exactly(p, name)
		if known == nil && !open {
			a.refuse(at, "extraneous key ["+short(name)+"] is not permitted")
			continue
		}
		all[name] = a.value(v[name], known, at+"/"+short(name), depth+1)
	}
	for _, name := range p.Required {
		if _, has := v[name]; !has {
			a.refuse(at, "required key ["+short(name)+"] not found")
		}
	}
	return all
}

// exactly returns the schema of a member, whose name must match exactly, and whether other members
// are allowed.
func exactly(p *Property, name string) (known *Property, open bool) {
	if known = p.Properties[name]; known != nil {
		return known, false
	}
	for _, pattern := range slices.Sorted(maps.Keys(p.PatternProperties)) {
		if matches(pattern, name) {
			return p.PatternProperties[pattern], false
		}
	}
	anything := len(p.Properties) == 0 && len(p.PatternProperties) == 0 && string(p.AdditionalProperties) != "false"
	return nil, anything || string(p.AdditionalProperties) == "true"
}

func (a *acceptor) list(v []any, p *Property, at string, depth int) any {
	if len(p.Type) > 0 && !p.takes("array") {
		a.refuse(at, "expected "+expected(p)+", found a list")
		return v
	}
	if n := len(v); p.MinItems != nil && n < *p.MinItems || p.MaxItems != nil && n > *p.MaxItems {
		a.refuse(at, fmt.Sprintf("%d elements are too few or too many", n))
	}
	all := make([]any, len(v))
	for i, item := range v {
		all[i] = a.value(item, p.Items, fmt.Sprintf("%s/%d", at, i), depth+1)
	}
	return all
}

func (p *Property) takes(jsonType string) bool {
	return slices.Contains(p.Type, jsonType)
}
