package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
	cfnschema "github.com/cfnresource/sdk-go/internal/cfn/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// stricter are the properties whose types refuse more than a schema can say,
// with the reason. An instance has these values of them.
var stricter = map[string]struct{ reason, value string }{
	"Addr":     {"its UnmarshalText reads addresses alone", "10.0.0.1"},
	"Big":      {"its UnmarshalJSON reads numbers alone", "7"},
	"Port":     {"its UnmarshalJSON reads numbers alone", "80"},
	"Raw":      {"", "anything"},
	"Any":      {"a number in it may not fit float64", "anything"},
	"Time":     {"JSON Schema's date-time is a hint", "2026-01-02T15:04:05Z"},
	"Duration": {"a duration may not fit int64", "90s"},
	"Int":      {"the range of 64 bits is not told", "-14"},
	"Int64":    {"the range of 64 bits is not told", "14"},
	"Uint":     {"the range of 64 bits is not told", "14"},
	"Uint64":   {"the range of 64 bits is not told", "14"},
	"Float32":  {"the range of float32 is not told", "1.5"},
	"Float64":  {"the range of float64 is not told", "-1.5"},
	"Number":   {"JSON writes no 010", "1.50"},
	"Tree":     {"a list of itself is told as a list of anything", "[]"},
	"Dict":     {"so is a map", "{}"},
	"Pointer":  {"the range of 64 bits is not told", "7"},
}

// TestInstancesDecode: what a schema allows is read without a complaint, from
// random instances of it.
func TestInstancesDecode(t *testing.T) {
	g := newGenerator(t)
	for range 1000 {
		instance := g.instance()
		if errs := g.decode(t, instance); len(errs) > 0 {
			t.Fatalf("%v refuses %s", errs, instance)
		}
		if errs := g.check(t, instance); len(errs) > 0 {
			t.Fatalf("the schema refuses its own instance: %v\n%s", errs, instance)
		}
	}
}

// TestWhatTypesRefuse: what the types refuse the schema refuses, from random
// mistakes in instances, except where stricter says why not.
func TestWhatTypesRefuse(t *testing.T) {
	g := newGenerator(t)
	refused := 0
	for range 8000 {
		instance, name := g.mistake()
		errs := g.decode(t, instance)
		if len(errs) == 0 || stricter[name].reason != "" {
			continue
		}
		refused++
		if len(g.check(t, instance)) == 0 {
			t.Fatalf("%v, but the schema allows %s", errs, instance)
		}
	}
	if refused < 2000 {
		t.Errorf("%d mistakes were refused, and 2000 are wanted", refused)
	}
}

// A generator makes instances of a schema.
type generator struct {
	*rand.Rand
	schema *cfnschema.Schema
	types  *properties.Schema
}

func newGenerator(t *testing.T) *generator {
	t.Helper()
	raw, err := schema.Of[every, struct{}]("Custom::Every")
	if err != nil {
		t.Fatal(err)
	}
	s, err := cfnschema.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	types, err := properties.SchemaOf(reflect.TypeFor[every]())
	if err != nil {
		t.Fatal(err)
	}
	return &generator{rand.New(rand.NewPCG(1, 2)), s, types}
}

// decode returns what the types complain of, of an instance as CloudFormation
// sends it.
func (g *generator) decode(t *testing.T, instance object) []*properties.Error {
	t.Helper()
	raw, err := json.Marshal(properties.Stringify(map[string]any(instance)))
	if err != nil {
		t.Fatal(err)
	}
	r := g.types.Decode(raw, new(every))
	return slices.Concat(r.Bad, r.Required, r.Unknown)
}

// check returns what the schema complains of.
func (g *generator) check(t *testing.T, instance object) template.Errors {
	t.Helper()
	custom := &template.Custom{Type: g.schema.TypeName, Properties: value(map[string]any(instance))}
	return (&cfnschema.ResourceType{Schema: g.schema}).Check(custom)
}

// value is JSON as a template has it.
func value(v any) template.Value {
	switch v := v.(type) {
	case map[string]any:
		out := template.Value{Form: template.Object}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out.Members = append(out.Members, template.Member{Name: name, Value: value(v[name])})
		}
		return out
	case []any:
		out := template.Value{Form: template.List}
		for _, item := range v {
			out.Items = append(out.Items, value(item))
		}
		return out
	}
	return template.Value{Form: template.Scalar, Text: fmt.Sprint(v)}
}

type object map[string]any

func (o object) String() string {
	raw, err := json.Marshal(map[string]any(o))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// instance returns properties that the schema allows.
func (g *generator) instance() object {
	o := object{}
	for name, p := range g.schema.Properties {
		if slices.Contains(g.schema.ReadOnly, "/properties/"+name) || name == "ServiceTimeout" {
			continue
		}
		if known := stricter[name]; known.value != "" && g.IntN(3) > 0 {
			o[name] = known.value
			switch known.value {
			case "[]":
				o[name] = []any{}
			case "{}":
				o[name] = map[string]any{}
			}
		} else if known.value == "" && (slices.Contains(g.schema.Required, name) || g.IntN(3) > 0) {
			o[name] = g.value(p, 0)
		}
	}
	return o
}

// value returns what a property allows.
func (g *generator) value(p *cfnschema.Property, depth int) any {
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
		list := []any{}
		most := 3
		if p.MaxItems != nil {
			most = *p.MaxItems
		}
		for range g.IntN(most + 1) {
			list = append(list, g.value(p.Items, depth+1))
		}
		return list
	case "object":
		o := map[string]any{}
		for name, member := range p.Properties {
			if slices.Contains(p.Required, name) || depth < 3 && g.IntN(2) == 0 {
				o[name] = g.value(member, depth+1)
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
	if strings.Contains(p.Pattern, "A-Za-z0-9+/") {
		return []string{"", "aGk=", "aGkh", "aA=="}[g.IntN(4)]
	}
	return []string{"", "a", "true", "14", "ein Wort", "{}"}[g.IntN(6)]
}

func limits(p *cfnschema.Property) (least, most int64) {
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
func (g *generator) mistake() (object, string) {
	o := g.instance()
	names := slices.Sorted(maps.Keys(g.schema.Properties))
	name := names[g.IntN(len(names))]
	switch g.IntN(8) {
	case 0:
		delete(o, name)
	case 1:
		o[name+"s"] = "x"
	case 2:
		if members, ok := o[name].(map[string]any); ok {
			members["Nmae"] = g.junk(name)
			break
		}
		fallthrough
	default:
		o[name] = g.junk(name)
	}
	delete(o, "PhysicalResourceId")
	return o, name
}

// wide hold integers of 64 bits.
var wide = []string{"List", "Map", "Nested"}

func (g *generator) junk(name string) any {
	all := []any{
		"", "x", "true", "True", "no", "14", "-1", "1.5", "300", "-129", "70000", "1e3", "1e", "010", "+7", "0x10", "1_000",
		"90s", "1h30m", "1h30", "aGk", "?", "fast", "slow", true, 14, 1.5,
		[]any{}, []any{"1"}, []any{"x"}, []any{"1", "2", "3"}, []any{map[string]any{}}, []any{[]any{"a"}},
		map[string]any{}, map[string]any{"a": "1"}, map[string]any{"1": "x"}, map[string]any{"-1": "x"}, map[string]any{"A": "x"},
		map[string]any{"Port": "80"}, map[string]any{"Port": "http"}, map[string]any{"Name": []any{}}, map[string]any{"Next": map[string]any{"Nmae": "x"}},
	}
	if !slices.Contains(wide, name) {
		all = append(all, "99999999999999999999", "1e300")
	}
	return all[g.IntN(len(all))]
}
