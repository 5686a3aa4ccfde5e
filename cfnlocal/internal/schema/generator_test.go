package schema_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	decoded "github.com/cfnresource/sdk-go/internal/properties"
)

// A generator makes instances of a schema.
type generator struct {
	*rand.Rand
	schema *schema.Schema
	types  *decoded.Schema
}

// names are the properties that a template sets, of the type's own, sorted.
func (g *generator) names() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(g.schema.Properties)) {
		if !slices.Contains(g.schema.ReadOnly, "/properties/"+name) && name != "ServiceToken" && name != "ServiceTimeout" {
			names = append(names, name)
		}
	}
	return names
}

// instance returns properties that the schema allows.
func (g *generator) instance() map[string]any {
	o := map[string]any{"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:f"}
	for _, name := range g.names() {
		if !slices.Contains(g.schema.Required, name) && g.IntN(3) == 0 {
			continue
		}
		if v, is := instead[name]; is {
			o[name] = v
		} else {
			o[name] = g.value(g.schema.Properties[name], 0)
		}
	}
	return o
}

// value returns what a property allows.
func (g *generator) value(p *schema.Property, depth int) any {
	if name, ok := strings.CutPrefix(p.Ref, "#/definitions/"); ok {
		p = g.schema.Definitions[name]
	}
	if len(p.Enum) > 0 {
		return p.Enum[g.IntN(len(p.Enum))]
	}
	if len(p.Type) == 0 {
		return "anything"
	}
	switch p.Type[0] {
	case "boolean":
		return g.IntN(2) == 0
	case "integer":
		least, most := limits(p)
		return least + g.Int64N(most-least+1)
	case "number":
		return g.NormFloat64()
	case "array":
		most := 3
		if p.MaxItems != nil {
			most = *p.MaxItems
		}
		list := []any{}
		for range g.IntN(most + 1) {
			list = append(list, g.value(p.Items, depth+1))
		}
		return list
	case "object":
		return g.object(p, depth)
	}
	return g.string(p)
}

func (g *generator) object(p *schema.Property, depth int) map[string]any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		if slices.Contains(p.Required, name) || depth < 3 && g.IntN(2) == 0 {
			o[name] = g.value(p.Properties[name], depth+1)
		}
	}
	for pattern, member := range p.PatternProperties {
		for range g.IntN(3) {
			key := fmt.Sprint(g.IntN(256))
			if pattern == "^.*$" {
				key = "key " + key
			}
			o[key] = g.value(member, depth+1)
		}
	}
	return o
}

// string returns a string of the property's form. The two patterns are those that
// the Go types have which are read from one.
func (g *generator) string(p *schema.Property) string {
	of := []string{"", "a", "true", "14", "ein Wort", "{}"}
	switch {
	case p.Format == "date-time":
		of = []string{"2026-01-02T15:04:05Z", "1999-12-31T23:59:59.5+01:00"}
	case strings.Contains(p.Pattern, "A-Za-z0-9+/"):
		of = []string{"", "aGk=", "aGkh", "aA=="}
	case strings.Contains(p.Pattern, "ns|us|ms"):
		of = []string{"90s", "1h30m", "-1.5h", "+3ms", ".5us"}
	}
	return of[g.IntN(len(of))]
}

func limits(p *schema.Property) (least, most int64) {
	least, most = -1<<40, 1<<40
	if p.Minimum != nil {
		least, _ = p.Minimum.Int64()
	}
	if p.Maximum != nil {
		most, _ = p.Maximum.Int64()
	}
	return least, most
}

// mistake returns an instance with something that is probably wrong, and the
// name of the property where it is.
func (g *generator) mistake() (map[string]any, string) {
	o := g.instance()
	names := g.names()
	name := names[g.IntN(len(names))]
	switch g.IntN(8) {
	case 0:
		delete(o, name)
	case 1:
		o[name+"s"] = "x"
	case 2:
		if members, ok := o[name].(map[string]any); ok {
			members = maps.Clone(members)
			members["Other"] = g.junk()
			o[name] = members
			break
		}
		fallthrough
	default:
		o[name] = g.junk()
	}
	return o, name
}

func (g *generator) junk() any {
	all := []any{
		"", "x", "true", "True", "no", "14", "-1", "1.5", "300", "-129", "70000", "1e3", "1e", "010", "+7", "0x10", "1_000",
		"90s", "1h30m", "1h30", "aGk", "?", "fast", "slow", true, 14, 1.5,
		[]any{}, []any{"1"}, []any{"x"}, []any{"1", "2", "3"}, []any{map[string]any{}}, []any{[]any{"a"}},
		map[string]any{}, map[string]any{"a": "1"}, map[string]any{"1": "x"}, map[string]any{"-1": "x"}, map[string]any{"A": "x"},
		map[string]any{"Port": "80"}, map[string]any{"Port": "http"}, map[string]any{"Name": []any{}}, map[string]any{"Next": map[string]any{"Other": "x"}},
		[]any{map[string]any{"Key": "a"}}, []any{map[string]any{"Key": "a", "Body": []any{}}},
	}
	return all[g.IntN(len(all))]
}
