package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// Handlers tell the registry about each handler of a type.
type Handlers struct {
	Create, Read, Update, Delete, List Handler
	ListBy                             []string // the properties that a LIST must have: its handlerSchema
}

// A Handler is what one handler of a type needs.
type Handler struct {
	// Permissions are the IAM actions that the execution role needs for the handler, such as
	// s3:CreateBucket. A handler that does not call AWS has none. List needs those of Read, too,
	// because callers read what it returns.
	Permissions []string
	// Timeout is how long CloudFormation keeps calling, in whole minutes from 2
	// to 2160. Zero is the registry's default, 120.
	Timeout time.Duration
}

const (
	leastTimeout = 2 * time.Minute
	mostTimeout  = 2160 * time.Minute
)

// Schema returns the schema of a resource type for RegisterType, as JSON: that of schema.Of
// for its properties P and its attributes D, with its handlers, and its configuration C,
// struct{} if there is none. The primaryIdentifier is [Identifier].
func Schema[P, D, C any](typeName string, h Handlers) ([]byte, error) {
	if !typeNames.MatchString(typeName) {
		return nil, errTypeName(typeName)
	}
	d, err := readDocument(schema.Of[P, D](typeName))
	if err != nil {
		return nil, err
	}
	for _, name := range h.ListBy {
		if d.Properties[name] == nil {
			return nil, fmt.Errorf("ListBy: there is no property %s", name)
		}
	}
	if d.Handlers, err = h.definitions(); err != nil {
		return nil, err
	}

	// The configuration is a part of the type's schema, though the account sets it.
	c, err := readDocument(schema.Of[C, struct{}](typeName))
	if err == nil {
		err = d.configure(c)
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(d)
	return bytes.TrimSpace(text.Bytes()), err
}

// definitions are the handlers as a schema has them.
func (h Handlers) definitions() (map[string]any, error) {
	all := map[string]any{}
	for _, handler := range []struct {
		name string
		Handler
	}{{"create", h.Create}, {"read", h.Read}, {"update", h.Update}, {"delete", h.Delete}, {"list", h.List}} {
		t := handler.Timeout
		isAccepted := t >= leastTimeout && t <= mostTimeout && t%time.Minute == 0
		if t != 0 && !isAccepted {
			return nil, fmt.Errorf("the timeout of %s is %s: make it 0, or whole minutes from 2 to 2160", handler.name, t)
		}
		definition := map[string]any{"permissions": append([]string{}, handler.Permissions...)} // never null
		if handler.Timeout != 0 {
			definition["timeoutInMinutes"] = int(handler.Timeout / time.Minute)
		}
		if handler.name == "list" && len(h.ListBy) > 0 {
			properties := map[string]any{}
			for _, name := range h.ListBy {
				properties[name] = map[string]string{"$ref": "resource-schema.json#/properties/" + name} // as AWS's own types have it
			}
			definition["handlerSchema"] = map[string]any{"properties": properties, "required": h.ListBy}
		}
		all[handler.name] = definition
	}
	return all, nil
}

// A document is a schema, with its members in the order in which they are read.
type document struct {
	TypeName             string          `json:"typeName,omitempty"`
	Description          string          `json:"description"`
	Tagging              json.RawMessage `json:"tagging,omitempty"`
	Properties           members         `json:"properties"`
	Definitions          members         `json:"definitions,omitempty"`
	Required             []string        `json:"required,omitempty"`
	CreateOnly           []string        `json:"createOnlyProperties,omitempty"`
	ReadOnly             []string        `json:"readOnlyProperties,omitempty"`
	WriteOnly            []string        `json:"writeOnlyProperties,omitempty"`
	PrimaryIdentifier    []string        `json:"primaryIdentifier,omitempty"`
	AdditionalProperties bool            `json:"additionalProperties"`
	Handlers             map[string]any  `json:"handlers,omitempty"`
	Configuration        *document       `json:"typeConfiguration,omitempty"`
}

func readDocument(raw []byte, err error) (*document, error) {
	d := &document{Definitions: members{}}
	if err == nil {
		err = json.Unmarshal(raw, d)
	}
	return d, err
}

// configure adds the typeConfiguration: c, which is written as if it was that of a
// resource. Its definitions are the schema's.
func (d *document) configure(c *document) error {
	delete(c.Properties, Identifier) // which each resource has
	if len(c.Properties) == 0 {
		return nil
	}
	for name := range c.Properties {
		if strings.HasPrefix(name, "CloudFormation") {
			return fmt.Errorf("%s: such names are CloudFormation's: rename it", name)
		}
	}
	for name, definition := range c.Definitions {
		if other, taken := d.Definitions[name]; taken && string(other) != string(definition) {
			return fmt.Errorf("the type %s is another one than in the properties: rename one", name)
		}
		d.Definitions[name] = definition
	}
	if c.Description == "The resource type "+c.TypeName+"." { // which it is not
		c.Description = "The configuration of " + c.TypeName + "."
	}
	d.Configuration = &document{Description: c.Description, Properties: c.Properties, Required: c.Required}
	return nil
}

func errTypeName(name string) error {
	return fmt.Errorf("%.100q is no name of a resource type: write Organization::Service::Resource", name)
}
