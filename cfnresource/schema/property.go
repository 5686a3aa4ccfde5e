package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// A Property is what a schema says of a property, of an element of a list, or of a definition: JSON
// Schema, as far as the registry takes it. A member with its zero value says nothing.
type Property struct {
	Ref         string `json:"$ref,omitempty"` // #/definitions/Name
	Type        string `json:"type,omitempty"` // string, integer, number, boolean, array or object; "" is any of them
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`
	Enum        []any  `json:"enum,omitempty"`   // the allowed values, of the type
	Format      string `json:"format,omitempty"` // of a string, such as date-time
	Examples    []any  `json:"examples,omitempty"`

	Minimum   json.Number `json:"minimum,omitempty"`
	Maximum   json.Number `json:"maximum,omitempty"`
	MinLength int         `json:"minLength,omitempty"` // in characters
	MaxLength int         `json:"maxLength,omitempty"`
	Pattern   string      `json:"pattern,omitempty"` // that a string contains: anchor it with ^ and $

	Items          *Property `json:"items,omitempty"`
	MinItems       int       `json:"minItems,omitempty"`
	MaxItems       int       `json:"maxItems,omitempty"`
	UniqueItems    bool      `json:"uniqueItems,omitempty"`
	InsertionOrder *bool     `json:"insertionOrder,omitempty"` // false: a set, where another order is no drift

	Properties           map[string]*Property `json:"properties,omitempty"`
	PatternProperties    map[string]*Property `json:"patternProperties,omitempty"` // by a pattern of their names
	Required             []string             `json:"required,omitempty"`
	AdditionalProperties *bool                `json:"additionalProperties,omitempty"`
}

// A Describer is a property's type that says more about itself than Go does: its values, its range,
// a pattern. The method is called on the zero value, with the Property of its Go type, and changes
// that. It only describes: to refuse a value in an event, use the type's UnmarshalText, or the
// properties' Validate.
type Describer interface {
	DescribeProperty(p *Property)
}

var describer = reflect.TypeFor[Describer]()

// describe lets a type say more of itself.
func describe(t reflect.Type, p *Property) (err error) {
	if !reflect.PointerTo(t).Implements(describer) {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the DescribeProperty method of %s panicked: %v", t, r)
		}
	}()
	reflect.New(t).Interface().(Describer).DescribeProperty(p)
	return nil
}

// data describes D: what a template reads with Fn::GetAtt.
func (b *builder) data(t properties.Type) error {
	b.document.attributes = []string{}
	b.attributes(t, "", nil)
	slices.Sort(b.document.attributes)
	if t.Form() != properties.Object {
		return nil // a map, whose attributes have no names that are known
	}
	for _, f := range t.Fields() {
		if _, isSet := b.document.Properties[f.Name]; isSet {
			continue // a property that a template sets is not one that it can only read
		}
		var err error
		if b.document.Properties[f.Name], err = b.field(f, true); err != nil {
			return err
		}
		b.readOnly(f.Type, []string{f.Name}, nil)
	}
	return nil
}

// readOnly collects the pointers to what a template can only read.
func (b *builder) readOnly(t properties.Type, at []string, open []reflect.Type) {
	fields := t.Form() == properties.Object && !slices.Contains(open, t.Go())
	if !fields {
		b.document.ReadOnly = append(b.document.ReadOnly, pointer(at...))
		return
	}
	open = append(slices.Clip(open), t.Go())
	for _, f := range t.Fields() {
		b.readOnly(f.Type, append(slices.Clip(at), f.Name), open)
	}
}

// attributes collects the names that Fn::GetAtt may ask for: those of nested
// objects with dots, and * where any may follow.
func (b *builder) attributes(t properties.Type, prefix string, open []reflect.Type) {
	d := b.document
	switch t.Form() {
	case properties.Object:
		if slices.Contains(open, t.Go()) {
			d.attributes = append(d.attributes, prefix+"*")
			return
		}
		open = append(slices.Clip(open), t.Go())
		for _, f := range t.Fields() {
			b.attributes(f.Type, prefix+f.Name+".", open)
		}
	case properties.Mapping:
		d.attributes = append(d.attributes, prefix+"*")
	case properties.Anything:
		if prefix != "" {
			d.attributes = append(d.attributes, strings.TrimSuffix(prefix, "."))
		}
		d.attributes = append(d.attributes, prefix+"*")
	default:
		d.attributes = append(d.attributes, strings.TrimSuffix(prefix, "."))
	}
}

// Describe makes a Dispatcher answer the payload {"cfnresource": "describe"} with
// the schemas of its resource types, as the result of the invocation:
//
//	lambda.Start(cfnresource.New(handler, schema.Describe))
//
// cfnlocal asks functions in this way, and so can anybody who may invoke one:
//
//	aws lambda invoke --function-name NAME --cli-binary-format raw-in-base64-out --payload '{"cfnresource":"describe"}' schemas.json
//
// The result is {"resourceTypes": [{"schema": ..., "attributes": [...]}]}, with a schema as [Of]
// returns it, and the names that Fn::GetAtt may read, where a * at the end stands for any. No
// handler is called or opened for it. A handler of every type has the name [CustomResource].
func Describe(o *cfnresource.Options) { o.Describe = describeTypes }

func describeTypes(types []cfnresource.ResourceType) ([]byte, error) {
	type described struct {
		Schema     *document `json:"schema"`
		Attributes []string  `json:"attributes"`
	}
	var all []described
	for _, t := range types {
		d, err := of(cmp.Or(t.Name, CustomResource), t.Properties, t.Data)
		if err != nil {
			return nil, err
		}
		all = append(all, described{d, d.attributes})
	}
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.Schema.TypeName, b.Schema.TypeName) })
	return encode(map[string]any{"resourceTypes": all}, "")
}
