package skeleton

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// A model is a resource type as Go declares it.
type model struct {
	Type        string // Custom::Monitor
	Handler     string // Monitor
	Description string
	Found       bool // the service chooses the IDs, and Find finds things by a mark

	Props, Data structType
	Structs     []structType
	Enums       []enumType
	Checks      []string // cases of Validate

	Properties, InPlace, Replacing string // of the contract: composite literals, or ""
	Template                       []string

	schema *schema.Schema
	names  map[string]bool   // of Go types
	of     map[string]string // Go types by definition
	open   map[string]bool   // structs that are being filled
	fields int               // of all structs
	left   int               // how many values may still be made up
	notes  []string
}

// A structType is a Go struct.
type structType struct {
	Name, Doc string
	Fields    []field
}

// A field is a field of a struct.
type field struct{ Name, Type, Tag string }

// An enumType is a string type with few values.
type enumType struct {
	Name   string
	Values []string // quoted
}

func newModel(s *schema.Schema) (*model, error) {
	name := s.TypeName[strings.LastIndex(s.TypeName, ":")+1:]
	if !resourcetype.IsCustom("Custom::" + name) {
		return nil, errors.New("typeName does not end in a name of letters, digits and the characters _ @ -, such as Custom::Name")
	}
	// Names: those of the project are taken.
	m := &model{
		Type: "Custom::" + name, Handler: goName(name), Description: cmp.Or(oneLine(s.Description), "The custom resource Custom::"+name+"."),
		schema: s, names: map[string]bool{}, of: map[string]string{}, open: map[string]bool{},
	}
	for _, known := range reserved {
		m.names[known] = true
	}
	m.Handler = unique(m.Handler, m.names)
	m.Props = structType{Name: "Props", Doc: m.Description}
	m.Data = structType{Name: "Data"}
	// Each property is a field: of Data if it is read-only, else of Props.
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

// top returns the top-level properties in pointers.
func top(pointers []string) (names []string) {
	for _, p := range pointers {
		name, _, _ := strings.Cut(strings.TrimPrefix(p, "/properties/"), "/")
		names = append(names, name)
	}
	return names
}

// Lower returns the handler's name for a variable or a file.
func (m *model) Lower() string { return strings.ToLower(m.Handler) }

// Imports returns the imports of the file with the types.
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

// HasTime reports whether any field has a type of package time.
func (m *model) HasTime() bool {
	return slices.ContainsFunc(append([]structType{m.Props, m.Data}, m.Structs...), func(t structType) bool {
		return slices.ContainsFunc(t.Fields, func(f field) bool { return strings.Contains(f.Type, "time.") })
	})
}

// SampleHasTime reports whether the contract's properties have a value of package time.
func (m *model) SampleHasTime() bool {
	return strings.Contains(m.Properties+m.InPlace+m.Replacing, "time.")
}

// reserved are names in the project: of types, of files, and of packages without their s.
var reserved = []string{"Props", "Data", "Service", "ErrExists", "ErrNotFound", "Main", "Properties", "Error", "Slice"}

// unique returns a name that is not used, and reserves it.
func unique(name string, used map[string]bool) string {
	try := name
	for n := 2; used[try]; n++ {
		try = name + strconv.Itoa(n)
	}
	used[try] = true
	return try
}

// goName returns a name as an exported one of Go, of ASCII letters and digits.
func goName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name)
	if name == "" || !unicode.IsLetter(rune(name[0])) {
		name = "X" + name
	}
	const most = 60
	return strings.ToUpper(name[:1]) + name[1:min(len(name), most)]
}

// lower returns a name as an unexported one.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// oneLine returns text that fits into a tag, a comment or a template.
func oneLine(text string) string {
	const most = 1000 // a template's Description has at most 1024 bytes
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " ")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// mostFields is how many properties a schema may have, with those of all objects in it.
const mostFields = 1000

func (m *model) has(list []string, property string) bool {
	return slices.Contains(list, "/properties/"+property)
}

func (m *model) tag(property string, p *schema.Property) string {
	var words []string
	createOnly := m.has(m.schema.CreateOnly, property)
	if createOnly {
		words = append(words, "createOnly")
	}
	required := slices.Contains(m.schema.Required, property)
	if required {
		words = append(words, "required")
	}
	switch secret := m.has(m.schema.WriteOnly, property); {
	case secret && createOnly:
		m.notes = append(m.notes, property+" is both createOnly and writeOnly: it is not tagged secret, since an ID would give it away")
	case secret:
		words = append(words, "secret")
	}
	if !required && len(p.Default) > 0 {
		text := string(p.Default)
		_ = json.Unmarshal(p.Default, &text) // a string is written without quotes
		words = append(words, "default="+text)
	}
	return strings.Join(words, ",")
}

// field returns a field for a property, with a name that is not in used.
func (m *model) field(property string, p *schema.Property, cfn string, used map[string]bool) field {
	if m.fields++; m.fields > mostFields {
		return field{Name: "X", Type: "any"} // newModel fails
	}
	name := unique(goName(property), used)
	var tags []string
	if name != property {
		tags = append(tags, "json:"+strconv.Quote(property))
	}
	if cfn != "" {
		tags = append(tags, "cfn:"+strconv.Quote(cfn))
	}
	if text := oneLine(p.Description); text != "" {
		tags = append(tags, "doc:"+strconv.Quote(text))
	}
	f := field{Name: name, Type: m.goType(p, name)}
	if len(tags) > 0 {
		f.Tag = strings.Join(tags, " ")
		if strings.Contains(f.Tag, "`") {
			f.Tag = strconv.Quote(f.Tag)
		} else {
			f.Tag = "`" + f.Tag + "`"
		}
	}
	return f
}

// check adds the cases of Validate for a property.
func (m *model) check(f field, property string, p *schema.Property) {
	on := "p." + f.Name
	absent := ""
	if !slices.Contains(m.schema.Required, property) {
		absent = on + " != 0 && "
	}
	if f.Type == "int" || f.Type == "float64" {
		for _, limit := range []struct {
			at       *json.Number
			op, word string
		}{{p.Minimum, "<", "less"}, {p.Maximum, ">", "more"}} {
			if limit.at != nil {
				m.Checks = append(m.Checks, fmt.Sprintf("case %s%s %s %s:\n\t\treturn errors.New(%q)", absent, on, limit.op, *limit.at, property+" is "+limit.word+" than "+limit.at.String()))
			}
		}
	}
	for _, e := range m.Enums {
		if e.Name == f.Type {
			none := ""
			if absent != "" {
				none = on + ` != "" && `
			}
			m.Checks = append(m.Checks, fmt.Sprintf("case %s!slices.Contains(%ss, %s):\n\t\treturn errors.New(%q)", none, lower(e.Name), on, property+" is none of "+strings.Join(e.Values, ", ")))
		}
	}
}

// goType returns the Go type of a property. A type that needs a name gets within.
func (m *model) goType(p *schema.Property, within string) string {
	if name, ok := strings.CutPrefix(p.Ref, "#/definitions/"); ok && m.schema.Definitions[name] != nil {
		return m.definition(name)
	}
	if len(p.Type) != 1 {
		return "any"
	}

	// Each JSON type has a Go type. A string's depends on its format, too.
	switch p.Type[0] {
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "number":
		return "float64"
	case "array":
		if p.Items == nil {
			return "[]any"
		}
		return "[]" + m.goType(p.Items, within)
	case "object":
		if len(p.Properties) > 0 {
			name := unique(within, m.names)
			m.fill(name, p)
			return name
		}
		for _, pattern := range slices.Sorted(maps.Keys(p.PatternProperties)) {
			return "map[string]" + m.goType(p.PatternProperties[pattern], within)
		}
		return "map[string]any"
	case "string":
		switch {
		case p.Format == "date-time":
			return "time.Time"
		case strings.HasSuffix(p.Pattern, "(ns|us|ms|s|m|h))+$"): // as package cfnresource/schema writes it
			return "time.Duration"
		case len(p.Enum) > 0:
			return m.enum(within, p)
		}
		return "string"
	}
	return "any"
}

func (m *model) definition(name string) string {
	if known := m.of[name]; known != "" {
		return known
	}
	p := m.schema.Definitions[name]
	if len(p.Properties) == 0 {
		m.of[name] = "any" // for a definition that leads to itself
		m.of[name] = m.goType(p, goName(name))
		return m.of[name]
	}
	m.of[name] = unique(goName(name), m.names)
	m.fill(m.of[name], p)
	return m.of[name]
}

func (m *model) fill(name string, p *schema.Property) {
	m.open[name] = true
	i := len(m.Structs)
	m.Structs = append(m.Structs, structType{Name: name})
	t := structType{Name: name, Doc: oneLine(p.Description)}
	used := map[string]bool{}
	for _, member := range slices.Sorted(maps.Keys(p.Properties)) {
		cfn := ""
		if slices.Contains(p.Required, member) {
			cfn = "required"
		}
		f := m.field(member, p.Properties[member], cfn, used)
		if m.open[f.Type] { // a struct cannot hold itself
			f.Type = "*" + f.Type
		}
		t.Fields = append(t.Fields, f)
	}
	m.Structs[i] = t
	delete(m.open, name)
}

func (m *model) enum(within string, p *schema.Property) string {
	var values []string
	for _, v := range p.Enum {
		text, ok := v.(string)
		if !ok {
			return "string"
		}
		values = append(values, strconv.Quote(text))
	}
	name := unique(within, m.names)
	m.Enums = append(m.Enums, enumType{name, values})
	return name
}
