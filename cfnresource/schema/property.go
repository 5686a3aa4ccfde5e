package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// A Property is what a schema says of a property, of an element of a list, or of a definition: JSON
// Schema, as far as the registry takes it. A member with its zero value says nothing.
type Property struct {
	Ref         string `json:"$ref,omitempty"` // #/definitions/Name
	Type        string `json:"type,omitempty"` // string, integer, number, boolean, array or object; "" is any of them
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`
	Enum        []any  `json:"enum,omitempty"`   // the values that there are, of the type
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
	InsertionOrder *bool     `json:"insertionOrder,omitempty"` // false: a set, of which another order is no drift

	Properties           map[string]*Property `json:"properties,omitempty"`
	PatternProperties    map[string]*Property `json:"patternProperties,omitempty"` // by a pattern of their names
	Required             []string             `json:"required,omitempty"`
	AdditionalProperties *bool                `json:"additionalProperties,omitempty"`
}

// A Describer is the type of a property that says more of itself than Go does: the values that it
// has, its range, a pattern. The method is called on the zero value, with what the type is read as,
// and changes that. It is for describing alone: what is to be refused in an event is refused by the
// type's UnmarshalText, or by the Validate of the properties.
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
