package skeleton

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// A model is a resource type as Go has it.
type model struct {
	Type        string // Custom::Monitor
	Handler     string // Monitor
	Description string
	Found       bool // its things are found by a mark, not named

	Props, Data structType
	Structs     []structType
	Enums       []enumType
	Checks      []string // conditions of Validate, with what is wrong

	Properties, InPlace, Replacing string // of the contract: composite literals, or ""
	Template                       []string

	schema *schema.Schema
	names  map[string]bool   // of Go types
	of     map[string]string // Go types by definition
	open   map[string]bool   // structs that are being filled
	fields int               // of all structs
	left   int               // values that may still be made up
	notes  []string
}

// A structType is a Go struct.
type structType struct {
	Name, Doc string
	Fields    []field
}

// A field is one of a struct.
type field struct{ Name, Type, Tag string }

// An enumType is a string that has few values.
type enumType struct {
	Name   string
	Values []string // quoted
}

func newModel(s *schema.Schema) (*model, error) {
	name := s.TypeName[strings.LastIndex(s.TypeName, ":")+1:]
	if !resourcetype.IsCustom("Custom::" + name) {
		return nil, errors.New("typeName does not end in a name of letters, digits and the characters _ @ -, such as Custom::Name")
	}
	m := &model{
		Type: "Custom::" + name, Handler: goName(name), Description: oneLine(s.Description),
		schema: s, names: map[string]bool{}, of: map[string]string{}, open: map[string]bool{},
	}
	if m.Description == "" {
		m.Description = "The custom resource " + m.Type + "."
	}
	for _, known := range reserved {
		m.names[known] = true
	}
	m.Handler = unique(m.Handler, m.names)
	m.Props = structType{Name: "Props", Doc: m.Description}
	m.Data = structType{Name: "Data"}
	readOnly := top(s.ReadOnly)
	fields, attributes := map[string]bool{}, map[string]bool{}
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[property]
		switch {
		case ofCloudFormation[property]:
		case slices.Contains(readOnly, property):
			m.Data.Fields = append(m.Data.Fields, m.field(property, p, "", attributes))
		default:
			m.Props.Fields = append(m.Props.Fields, m.field(property, p, m.tag(property, p), fields))
			m.check(m.Props.Fields[len(m.Props.Fields)-1], property, s.Resolve(p))
		}
	}
	if m.fields > mostFields {
		return nil, fmt.Errorf("the schema has more than %d properties", mostFields)
	}
	m.contract()
	return m, nil
}

// ofCloudFormation are the properties that every custom resource has.
var ofCloudFormation = map[string]bool{"ServiceToken": true, "ServiceTimeout": true, "PhysicalResourceId": true}

// top returns the properties that pointers begin with.
func top(pointers []string) (names []string) {
	for _, p := range pointers {
		name, _, _ := strings.Cut(strings.TrimPrefix(p, "/properties/"), "/")
		names = append(names, name)
	}
	return names
}

// Lower is the handler's name as that of a variable or a file.
func (m *model) Lower() string { return strings.ToLower(m.Handler) }

// Imports are those of the file with the types.
func (m *model) Imports() (lines []string) {
	for _, i := range []struct {
		needed bool
		path   string
	}{
		{len(m.Checks) > 0, `"errors"`},
		{slices.ContainsFunc(m.Checks, func(c string) bool { return strings.Contains(c, "slices.") }), `"slices"`},
		{m.HasTime(), `"time"`},
		{len(m.Enums) > 0, "\n\t\"github.com/cfnresource/sdk-go/cfnresource/schema\""},
	} {
		if i.needed {
			lines = append(lines, i.path)
		}
	}
	return lines
}

// HasTime reports whether some field has a type of package time.
func (m *model) HasTime() bool {
	return slices.ContainsFunc(append([]structType{m.Props, m.Data}, m.Structs...), func(t structType) bool {
		return slices.ContainsFunc(t.Fields, func(f field) bool { return strings.Contains(f.Type, "time.") })
	})
}

// SampleHasTime reports whether the contract's properties have a value of package time.
func (m *model) SampleHasTime() bool {
	return strings.Contains(m.Properties+m.InPlace+m.Replacing, "time.")
}
