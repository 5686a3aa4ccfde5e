package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Question is the payload that a function describes itself on.
const Question = `{"cfnresource":"describe"}`

// A Provider is what a function says of itself.
type Provider struct {
	Types []ResourceType
}

// A ResourceType is a schema, and the attributes that Fn::GetAtt may ask for.
type ResourceType struct {
	Schema     *Schema
	Attributes []string // with a * at the end where any may follow
	raw        json.RawMessage
}

// every is the type name of a handler that takes every custom resource.
const every = "AWS::CloudFormation::CustomResource"

// ReadProvider reads a function's answer to the Question.
func ReadProvider(answer []byte) (*Provider, error) {
	var read struct {
		ResourceTypes []struct {
			Schema     json.RawMessage `json:"schema"`
			Attributes []string        `json:"attributes"`
		} `json:"resourceTypes"`
	}
	if err := decode(answer, &read); err != nil {
		return nil, err
	}
	p := &Provider{}
	for _, t := range read.ResourceTypes {
		s, err := Read(t.Schema)
		if err != nil {
			return nil, err
		}
		p.Types = append(p.Types, ResourceType{s, t.Attributes, t.Schema})
	}
	if len(p.Types) == 0 {
		return nil, fmt.Errorf("it names no resource type")
	}
	return p, nil
}

// Type returns what is said of a resource type, under its own name also where
// the function's handler takes every type, or nil.
func (p *Provider) Type(name string) *ResourceType {
	for _, wanted := range []string{name, every} {
		for _, t := range p.Types {
			if t.Schema.TypeName == wanted {
				s := *t.Schema
				s.Description = strings.ReplaceAll(s.Description, wanted, name)
				s.TypeName = name
				return &ResourceType{&s, t.Attributes, t.raw}
			}
		}
	}
	return nil
}

// JSON returns the schema as the function wrote it, under the type's own name,
// indented and with the members of objects in the order of their names.
func (t *ResourceType) JSON() ([]byte, error) {
	var all map[string]any
	if err := decode(t.raw, &all); err != nil {
		return nil, err
	}
	all["typeName"], all["description"] = t.Schema.TypeName, t.Schema.Description
	return encode(all, "  ")
}

// Has reports whether Fn::GetAtt may ask for an attribute.
func (t *ResourceType) Has(attribute string) bool {
	return slices.ContainsFunc(t.Attributes, func(known string) bool {
		prefix, open := strings.CutSuffix(known, "*")
		return known == attribute || open && strings.HasPrefix(attribute, prefix)
	})
}
