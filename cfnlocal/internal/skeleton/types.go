package skeleton

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

// goType returns the Go type of a property; within names it if it needs a name.
func (m *model) goType(p *schema.Property, within string) string {
	if name, ok := strings.CutPrefix(p.Ref, "#/definitions/"); ok && m.schema.Definitions[name] != nil {
		return m.definition(name)
	}
	if len(p.Type) != 1 {
		return "any"
	}

	// Each JSON type has its Go type; a string's depends on its format.
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
		m.of[name] = "any" // of one that leads to itself
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
		if m.open[f.Type] { // it would hold itself
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
