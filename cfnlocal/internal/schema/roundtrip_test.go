package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	described "github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/cfnresource/schema/testdata/every"
	decoded "github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// The properties for which a Go type and its schema differ, each with the reason. Two
// things are left out for all: Validate, which no schema knows, and numbers and
// durations that do not fit 64 bits, or a float32.
var (
	// stricter are those of which the Go type refuses more than the schema.
	stricter = map[string]string{
		"Addr":   "its UnmarshalText reads addresses alone",
		"Big":    "its UnmarshalJSON reads numbers alone",
		"Port":   "its UnmarshalJSON reads numbers alone",
		"Number": "JSON writes no 010",
		"Time":   "JSON Schema's date-time is a hint",
		"Tree":   "a list of itself is described as a list of anything",
		"Dict":   "so is a map",
	}
	// looser are those of which the schema refuses more than the Go type.
	looser = map[string]string{
		"Bytes": "a list of numbers is read, too",
		"Speed": "its values are described, and it is a string to Go",
	}
	// instead is what instances have of properties of which a schema allows what the
	// Go type does not read.
	instead = map[string]any{
		"Addr":   "10.0.0.1",
		"Big":    "7",
		"Port":   "80",
		"Number": "1.50",
		"Tree":   []any{},
		"Dict":   map[string]any{},
	}
)

var (
	instances = testrun.Share(200, 500)
	mistakes  = testrun.Share(1000, 3000)
)

// TestWhatTypesRefuse: a schema and the type that it is made from allow and refuse the same, over
// all kinds of types, but for what stands above. Random instances of the schema are decoded into
// the type, and nothing is refused. A random mistake is refused by both.
func TestWhatTypesRefuse(t *testing.T) {
	raw, err := described.Of[every.Properties, struct{}]("Custom::Example")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	types, err := decoded.SchemaOf(reflect.TypeFor[every.Properties]())
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), schema: s, types: types}
	t.Run("instances", g.instances)
	t.Run("mistakes", g.mistakes)
}

// instances decodes what the schema allows.
func (g *generator) instances(t *testing.T) {
	for range instances {
		instance := g.instance()
		if errs := g.decode(t, instance); len(errs) > 0 {
			t.Fatalf("%v is refused, and the schema allows it: %s", errs, asJSON(instance))
		}
		if errs := g.check(instance); len(errs) > 0 {
			t.Fatalf("the schema refuses its own instance: %v\n%s", errs, asJSON(instance))
		}
	}
}

// mistakes compares what the type and the schema refuse.
func (g *generator) mistakes(t *testing.T) {
	refused := 0
	byType, bySchema := map[string]string{}, map[string]string{} // an instance that this alone refuses, by property
	for range mistakes {
		instance, name := g.mistake()
		decoded, checked := g.decode(t, instance), g.check(instance)
		switch {
		case len(decoded) > 0 && len(checked) > 0:
			refused++
		case len(decoded) > 0:
			byType[name] = fmt.Sprintf("%v is refused, and the schema allows it: %s", decoded, asJSON(instance))
		case len(checked) > 0:
			bySchema[name] = fmt.Sprintf("the schema refuses what the type reads: %v: %s", checked, asJSON(instance))
		}
	}
	compare(t, byType, stricter)
	compare(t, bySchema, looser)
	if refused < mistakes/4 {
		t.Errorf("%d mistakes were refused by both, of %d", refused, mistakes)
	}
}

// compare holds the differences that were found against those that are known.
func compare(t *testing.T, found, known map[string]string) {
	t.Helper()
	for name, how := range found {
		if known[name] == "" {
			t.Errorf("%s: %s", name, how)
		}
	}
	for name, reason := range known {
		if found[name] == "" {
			t.Errorf("%s: no mistake shows that %s", name, reason)
		}
	}
}

// decode returns what the type complains of, of an instance as CloudFormation sends it.
func (g *generator) decode(t *testing.T, instance map[string]any) []*decoded.Error {
	t.Helper()
	var written any
	if err := json.Unmarshal([]byte(asJSON(instance)), &written); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(decoded.Stringify(written))
	if err != nil {
		t.Fatal(err)
	}
	r := g.types.Decode(raw, new(every.Properties))
	return slices.Concat(r.Bad, r.Required, r.Unknown)
}

// check returns what the schema complains of, of an instance in a template.
func (g *generator) check(instance map[string]any) template.Errors {
	custom := &template.Custom{Type: g.schema.TypeName, Properties: value(instance)}
	return (&schema.ResourceType{Schema: g.schema}).Check(custom)
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

func asJSON(instance map[string]any) string {
	raw, err := json.Marshal(instance)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// TestRegistryTakesIt: a schema of all that can be read breaks no rule of the registry's
// meta-schema, and neither does that of a custom resource, but for its name of two parts.
func TestRegistryTakesIt(t *testing.T) {
	for _, name := range []string{"Example::Web::Every", "Custom::Every"} {
		raw, err := described.Of[every.Properties, every.Attributes](name)
		if err != nil {
			t.Fatal(err)
		}
		for _, refusal := range schema.Refusals(raw) {
			t.Errorf("%s: %s", name, refusal)
		}
	}
}
