package skeleton

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

// contract makes up the properties of the contract test and of the template: valid ones, others for an
// update in place, and others for a replacement.
func (m *model) contract() {
	// with returns Props with a sample for each field, and another value for the one that changes.
	with := func(change string) string {
		m.left = mostValues
		var b strings.Builder
		b.WriteString("Props{")
		for _, f := range m.Props.Fields {
			property := propertyOf(f)
			value, other := m.sample(m.schema.Properties[property], f.Type, 0)
			if f.Name == change {
				value = other
			}
			if value != "" {
				fmt.Fprintf(&b, "%s: %s, ", f.Name, value)
			}
		}
		return strings.TrimSuffix(b.String(), ", ") + "}"
	}
	// The property sets of the Contract, and the template's properties.
	m.Properties = with("")
	m.left = mostValues
	for _, f := range m.Props.Fields {
		property := propertyOf(f)
		p := m.schema.Properties[property]
		if value := m.yaml(p, 0); value != "" {
			m.Template = append(m.Template, key(property)+": "+value)
		}
		m.left = mostValues
		value, other := m.sample(p, f.Type, 0)
		switch createOnly := m.has(m.schema.CreateOnly, property); {
		case value == other:
		case createOnly && m.Replacing == "":
			m.Replacing = with(f.Name)
		case !createOnly && m.InPlace == "":
			m.InPlace = with(f.Name)
		}
	}
}

// Answer returns Data, in Go's syntax, as the fake answers about the thing whose ID the named variable holds.
func (m *model) Answer(id string) string {
	var members []string
	for _, f := range m.Data.Fields {
		m.left = mostValues
		value, _ := m.sample(m.schema.Properties[propertyOf(f)], f.Type, 0)
		if f.Type == "string" {
			value = strconv.Quote(f.Name+" of ") + " + " + id
		}
		if value != "" && !strings.Contains(value, "time.") { // which the file does not import
			members = append(members, f.Name+": "+value)
		}
	}
	return "Data{" + strings.Join(members, ", ") + "}"
}

// mostValues is how many values are made up for one literal, since objects in objects may need many.
const mostValues = 200

func propertyOf(f field) string {
	_, rest, ok := strings.Cut(f.Tag, `json:"`)
	if !ok {
		return f.Name
	}
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// sample returns two values of a type in Go's syntax. Both are "" if none can be made up.
func (m *model) sample(p *schema.Property, goType string, depth int) (one, other string) {
	const deepest = 4
	p = m.schema.Resolve(p)
	m.left--
	// Scalars.
	switch {
	case depth > deepest || m.left < 0 || strings.HasPrefix(goType, "*"):
		return "", ""
	case goType == "bool":
		return "true", "false"
	case goType == "string":
		return texts(p)
	case goType == "int", goType == "float64":
		return numbers(p)
	case goType == "time.Duration":
		return "time.Minute", "time.Hour"
	case goType == "time.Time":
		return "time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)", "time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)"
	}
	// Enums, lists, maps and structs.
	for _, e := range m.Enums {
		if e.Name == goType {
			return e.Values[0], e.Values[len(e.Values)-1]
		}
	}
	if elem, ok := strings.CutPrefix(goType, "[]"); ok {
		one, other = m.sample(p.Items, elem, depth+1)
		return literal(goType+"{", one), literal(goType+"{", other)
	}
	if elem, ok := strings.CutPrefix(goType, "map[string]"); ok {
		for _, pattern := range slices.Sorted(maps.Keys(p.PatternProperties)) {
			one, other = m.sample(p.PatternProperties[pattern], elem, depth+1)
			return literal(goType+`{"a": `, one), literal(goType+`{"a": `, other)
		}
		return "", ""
	}
	return m.structSample(p, goType, depth)
}

func (m *model) structSample(p *schema.Property, goType string, depth int) (one, other string) {
	i := slices.IndexFunc(m.Structs, func(t structType) bool { return t.Name == goType })
	if i < 0 {
		return "", ""
	}
	first, second := goType+"{", goType+"{"
	for _, f := range m.Structs[i].Fields {
		a, b := m.sample(p.Properties[propertyOf(f)], f.Type, depth+1)
		if a != "" {
			first += f.Name + ": " + a + ", "
			second += f.Name + ": " + b + ", "
		}
	}
	return strings.TrimSuffix(first, ", ") + "}", strings.TrimSuffix(second, ", ") + "}"
}

// literal returns a composite literal with a value, or "" without one.
func literal(before, value string) string {
	if value == "" {
		return ""
	}
	return before + value + "}"
}

// texts returns two strings of a length that a property allows.
func texts(p *schema.Property) (one, other string) {
	if len(p.Examples) > 0 {
		if text, ok := p.Examples[0].(string); ok {
			return strconv.Quote(text), strconv.Quote(text)
		}
	}
	const most = 100
	length := 1
	if p.MinLength != nil {
		length = min(max(1, *p.MinLength), most)
	}
	return strconv.Quote(strings.Repeat("a", length)), strconv.Quote(strings.Repeat("b", length))
}

// numbers returns two numbers that a property allows.
func numbers(p *schema.Property) (one, other string) {
	least, most := limit(p.Minimum, 1), limit(p.Maximum, 1<<30)
	return strconv.FormatInt(min(least, most), 10), strconv.FormatInt(min(least+1, most), 10)
}

func limit(n *json.Number, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	return otherwise
}

// yaml returns a value for the template, in flow style, or "".
func (m *model) yaml(p *schema.Property, depth int) string {
	const deepest = 4
	p = m.schema.Resolve(p)
	m.left--
	// An enum has its first value. Some properties have none.
	switch {
	case len(p.Enum) > 0:
		raw, err := json.Marshal(p.Enum[0])
		if err != nil {
			return ""
		}
		return string(raw)
	case len(p.Type) != 1 || depth > deepest || m.left < 0:
		return ""
	}
	// All types but strings.
	switch p.Type[0] {
	case "boolean":
		return "true"
	case "integer", "number":
		one, _ := numbers(p)
		return one
	case "array":
		if p.Items != nil {
			if value := m.yaml(p.Items, depth+1); value != "" {
				return "[" + value + "]"
			}
		}
		return ""
	case "object":
		var members []string
		for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
			if value := m.yaml(p.Properties[name], depth+1); value != "" {
				members = append(members, key(name)+": "+value)
			}
		}
		if len(members) > 0 {
			return "{" + strings.Join(members, ", ") + "}"
		}
		return ""
	}
	// Strings.
	if p.Format == "date-time" {
		return `"2026-01-02T00:00:00Z"`
	}
	one, _ := texts(p)
	return one
}

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_@-]*$`)

// key returns a name as a key in YAML.
func key(name string) string {
	if plainKey.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
