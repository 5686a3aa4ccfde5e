package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// CustomResource is the type name of a handler that takes every custom resource,
// whatever its type: what cfnresource.New makes.
const CustomResource = "AWS::CloudFormation::CustomResource"

const customPrefix = "Custom::"

// Of returns the schema of a resource type, in the form of CloudFormation's
// registry, as JSON: P are its properties, D its attributes. The name is that of
// a custom resource, such as Custom::Monitor, or of a type in the registry, such
// as Example::Web::Monitor. The schema of a custom resource has the property
// ServiceToken, which CloudFormation requires of each, and ServiceTimeout.
//
// The error says what is wrong with the types, as cfnresource.New would, or with the name.
func Of[P, D any](name string) ([]byte, error) {
	d, err := of(name, reflect.TypeFor[P](), reflect.TypeFor[D]())
	if err != nil {
		return nil, err
	}
	return encode(d, "  ")
}

// A document is a schema as the registry has it. Its members, and what each may
// hold, are those of the registry's meta-schema.
type document struct {
	TypeName             string               `json:"typeName"`
	Description          string               `json:"description"`
	Tagging              map[string]bool      `json:"tagging"`
	Properties           map[string]*Property `json:"properties"`
	Definitions          map[string]*Property `json:"definitions,omitempty"`
	Required             []string             `json:"required,omitempty"`
	CreateOnly           []string             `json:"createOnlyProperties,omitempty"`
	ReadOnly             []string             `json:"readOnlyProperties,omitempty"`
	WriteOnly            []string             `json:"writeOnlyProperties,omitempty"`
	PrimaryIdentifier    []string             `json:"primaryIdentifier"`
	AdditionalProperties bool                 `json:"additionalProperties"`

	attributes []string
}

// physicalID is the property that stands for what Ref reads: the registry wants
// an identifier, and a custom resource has its physical ID.
const physicalID = "PhysicalResourceId"

func of(name string, p, d reflect.Type) (*document, error) {
	if !isTypeName(name) {
		return nil, fmt.Errorf("%.100q is no name of a resource type: write Custom::Name, or Organization::Service::Resource", name)
	}
	props, err := properties.SchemaOf(p)
	data, dataErr := properties.DataSchemaOf(d)
	if err := errors.Join(err, dataErr); err != nil {
		return nil, err
	}

	// A custom resource has no Read, and properties that CloudFormation reads itself.
	custom := name == CustomResource || strings.HasPrefix(name, customPrefix)
	b := &builder{named: map[definition]string{}, read: !custom, document: &document{
		TypeName:    name,
		Description: cmp.Or(describedBy(p), "The resource type "+name+"."),
		Tagging:     map[string]bool{"taggable": false},
		Properties:  map[string]*Property{},
		Definitions: map[string]*Property{},
	}}
	if err := b.properties(props.Type()); err != nil {
		return nil, err
	}
	if err := b.data(data.Type()); err != nil {
		return nil, err
	}
	if custom {
		b.forCloudFormation()
	}
	b.identifier()
	return b.document, nil
}

const lettersAndDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// isTypeName reports whether CloudFormation takes a name, of a custom resource or
// of a type in the registry.
func isTypeName(name string) bool {
	consistsOf := func(s, letters string, least, most int) bool {
		return least <= len(s) && len(s) <= most && strings.Trim(s, letters) == ""
	}
	if custom, ok := strings.CutPrefix(name, customPrefix); ok && consistsOf(custom, lettersAndDigits+"_@-", 1, 60) {
		return true
	}
	parts := strings.Split(name, "::")
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(s string) bool { return !consistsOf(s, lettersAndDigits, 2, 64) })
}

// forCloudFormation adds the properties that CloudFormation reads itself.
func (b *builder) forCloudFormation() {
	d := b.document
	d.Properties["ServiceToken"] = &Property{Type: "string", Description: "The ARN of the function, or of the topic, that provides the resource."}
	d.Properties["ServiceTimeout"] = &Property{
		Type: "integer", Description: "How long CloudFormation waits for an answer, in seconds.",
		Minimum: "1", Maximum: "3600", Default: 3600,
	}
	d.Required = append(d.Required, "ServiceToken")
}

// identifier names the property that is the resource's identifier.
func (b *builder) identifier() {
	d := b.document
	if _, taken := d.Properties[physicalID]; !taken {
		d.Properties[physicalID] = &Property{Type: "string", Description: "The physical ID, which Ref reads."}
		d.ReadOnly = append(d.ReadOnly, pointer(physicalID))
	}
	d.PrimaryIdentifier = []string{pointer(physicalID)}
}

func pointer(names ...string) string { return "/properties/" + strings.Join(names, "/") }

// encode writes JSON without escapes that nobody needs here.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// describedBy returns what a struct says of itself in the doc tag of a field named _.
func describedBy(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		for f := range t.Fields() {
			if f.Name == "_" {
				return f.Tag.Get("doc")
			}
		}
	}
	return ""
}
