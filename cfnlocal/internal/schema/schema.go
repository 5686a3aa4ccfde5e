// Package schema reads the schemas of resource types, in the form of
// CloudFormation's registry, and checks templates against them. It does not trust
// the functions and files that it reads from, and limits how much it reads.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Schema describes a resource type.
type Schema struct {
	TypeName             string               `json:"typeName"`
	Description          string               `json:"description"`
	Properties           map[string]*Property `json:"properties"`
	Definitions          map[string]*Property `json:"definitions"`
	Required             []string             `json:"required"`
	CreateOnly           []string             `json:"createOnlyProperties"` // as JSON pointers: /properties/Name
	ReadOnly             []string             `json:"readOnlyProperties"`
	WriteOnly            []string             `json:"writeOnlyProperties"`
	PrimaryIdentifier    []string             `json:"primaryIdentifier"`
	Handlers             map[string]Handler   `json:"handlers"`
	AdditionalProperties bool                 `json:"additionalProperties"`
}

// A Handler describes a handler of a registered type.
type Handler struct {
	Permissions []string `json:"permissions"`
	Timeout     int      `json:"timeoutInMinutes"` // 0 if the schema has none
}

// A Property describes a property, an element of a list, or a definition.
type Property struct {
	Ref         string          `json:"$ref"`
	Type        Types           `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []any           `json:"enum"`
	Const       any             `json:"const"`
	Format      string          `json:"format"`
	Examples    []any           `json:"examples"`

	Minimum   *json.Number `json:"minimum"`
	Maximum   *json.Number `json:"maximum"`
	MinLength *int         `json:"minLength"`
	MaxLength *int         `json:"maxLength"`
	Pattern   string       `json:"pattern"`

	Items          *Property `json:"items"`
	MinItems       *int      `json:"minItems"`
	MaxItems       *int      `json:"maxItems"`
	InsertionOrder *bool     `json:"insertionOrder"`

	Properties        map[string]*Property `json:"properties"`
	PatternProperties map[string]*Property `json:"patternProperties"`
	Required          []string             `json:"required"`
	// AdditionalProperties is false, or a schema, which is ignored.
	AdditionalProperties json.RawMessage `json:"additionalProperties"`
}

// Types are the JSON types that a value may have. None means any.
type Types []string

// UnmarshalJSON reads a string, or a list of strings.
func (t *Types) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = Types{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// maxSize is how long a schema may be, in bytes. The registry's limit is lower.
const maxSize = 1 << 20

// Read reads a schema.
func Read(raw []byte) (*Schema, error) {
	s := new(Schema)
	if err := decode(raw, s); err != nil {
		return nil, err
	}
	if s.TypeName == "" || len(s.Properties) == 0 {
		return nil, errors.New("it is not the schema of a resource type: it has no typeName, or no properties")
	}
	fill(s.Properties)
	fill(s.Definitions)
	return s, nil
}

// fill replaces properties that are null with empty ones, which allow anything.
func fill(all map[string]*Property) {
	for name, p := range all {
		if p == nil {
			all[name] = new(Property)
		}
		for ; p != nil; p = p.Items {
			fill(p.Properties)
			fill(p.PatternProperties)
		}
	}
}

// matches reports whether a text matches a pattern. Any text matches a pattern that Go cannot compile.
// Patterns are compiled when they are used, since a schema can hold more of them than fit in memory.
func matches(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

func decode(raw []byte, into any) error {
	if len(raw) > maxSize {
		return fmt.Errorf("it has %d bytes, and cfnlocal reads at most %d", len(raw), maxSize)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is not the schema of a resource type: %w", err)
	}
	return nil
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Resolve follows references to definitions. For a reference that leads nowhere it returns an empty
// property, which allows anything.
func (s *Schema) Resolve(p *Property) *Property {
	for range 8 { // a reference may lead to itself
		if p == nil {
			break
		}
		name, isRef := strings.CutPrefix(p.Ref, "#/definitions/")
		if !isRef {
			if p.Ref != "" {
				break
			}
			return p
		}
		p = s.Definitions[name]
	}
	return new(Property)
}

// Question is the payload that asks a function to describe itself.
const Question = `{"cfnresource":"describe"}`

// A Provider is a function's description of itself.
type Provider struct {
	Types []ResourceType
}

// A ResourceType is a schema with the attributes that Fn::GetAtt can read.
type ResourceType struct {
	Schema     *Schema
	Attributes []string // a * at the end stands for any text
	raw        json.RawMessage
}

// every is the type name of a handler of all custom resources.
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
		return nil, fmt.Errorf("it describes no resource type")
	}
	return p, nil
}

// Type returns the description of a resource type, or nil. The handler of all custom resources describes
// each type, under the type's name.
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

// JSON returns the schema as the function wrote it, under the type's own name. It is indented, and the
// members of objects are sorted.
func (t *ResourceType) JSON() ([]byte, error) {
	var all map[string]any
	if err := decode(t.raw, &all); err != nil {
		return nil, err
	}
	all["typeName"], all["description"] = t.Schema.TypeName, t.Schema.Description
	return encode(all, "  ")
}

// Has reports whether Fn::GetAtt can read an attribute.
func (t *ResourceType) Has(attribute string) bool {
	return slices.ContainsFunc(t.Attributes, func(known string) bool {
		prefix, open := strings.CutSuffix(known, "*")
		return known == attribute || open && strings.HasPrefix(attribute, prefix)
	})
}
