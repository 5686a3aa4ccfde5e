package roundtrip

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
	cfnschema "github.com/cfnresource/sdk-go/internal/cfn/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
	"github.com/cfnresource/sdk-go/internal/cfn/template/known"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// A Type names the properties for which a Go type and its schema differ, each
// with the reason.
type Type struct {
	// Stricter are those of which the Go type refuses more than the schema.
	Stricter map[string]string
	// Looser are those of which the schema refuses more than the Go type.
	Looser map[string]string
	// Values are what instances have of properties of which a schema allows
	// what the Go type does not read.
	Values map[string]any
}

const (
	instances = 500
	mistakes  = 3000
)

// Test tests P and the schema that is made from it.
func Test[P any](t *testing.T, exceptions Type) {
	g := newGenerator[P](t, exceptions)
	t.Run("instances", g.instances)
	t.Run("mistakes", g.mistakes)
}

func newGenerator[P any](t *testing.T, exceptions Type) *generator {
	t.Helper()
	raw, err := schema.Of[P, struct{}]("Custom::Example")
	if err != nil {
		t.Fatal(err)
	}
	s, err := cfnschema.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	p := reflect.TypeFor[P]()
	types, err := properties.SchemaOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return &generator{Rand: rand.New(rand.NewPCG(1, 2)), schema: s, types: types, p: p, exceptions: exceptions}
}

// instances decodes what the schema allows.
func (g *generator) instances(t *testing.T) {
	for range instances {
		instance := g.instance()
		if errs := g.decode(t, instance); len(errs) > 0 {
			t.Fatalf("%v is refused, and the schema allows it: %s", errs, text(instance))
		}
		if errs := g.check(instance); len(errs) > 0 {
			t.Fatalf("the schema refuses its own instance: %v\n%s", errs, text(instance))
		}
	}
}

// mistakes compares what the type and the schema refuse.
func (g *generator) mistakes(t *testing.T) {
	refused := 0
	stricter, looser := map[string]string{}, map[string]string{} // an instance by property
	for range mistakes {
		instance, name := g.mistake()
		byType, bySchema := g.decode(t, instance), g.check(instance)
		switch {
		case len(byType) > 0 && len(bySchema) > 0:
			refused++
		case len(byType) > 0:
			stricter[name] = fmt.Sprintf("%v is refused, and the schema allows it: %s", byType, text(instance))
		case len(bySchema) > 0:
			looser[name] = fmt.Sprintf("the schema refuses what the type reads: %v: %s", bySchema, text(instance))
		}
	}
	compare(t, stricter, g.exceptions.Stricter)
	compare(t, looser, g.exceptions.Looser)
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

// decode returns what the type complains of, of an instance as CloudFormation
// sends it.
func (g *generator) decode(t *testing.T, instance map[string]any) []*properties.Error {
	t.Helper()
	raw, err := json.Marshal(properties.Stringify(instance))
	if err != nil {
		t.Fatal(err)
	}
	r := g.types.Decode(raw, reflect.New(g.p).Interface())
	return slices.Concat(r.Bad, r.Required, r.Unknown)
}

// check returns what the schema complains of, of an instance in a template.
func (g *generator) check(instance map[string]any) template.Errors {
	custom := &template.Custom{Type: g.schema.TypeName, Properties: value(instance)}
	return (&cfnschema.ResourceType{Schema: g.schema}).Check(custom)
}

// value is JSON as a template has it.
func value(v any) known.Value {
	switch v := v.(type) {
	case map[string]any:
		out := known.Value{Form: known.Object}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out.Members = append(out.Members, known.Member{Name: name, Value: value(v[name])})
		}
		return out
	case []any:
		out := known.Value{Form: known.List}
		for _, item := range v {
			out.Items = append(out.Items, value(item))
		}
		return out
	}
	return known.Value{Form: known.Scalar, Text: fmt.Sprint(v)}
}

func text(instance map[string]any) string {
	raw, err := json.Marshal(instance)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
