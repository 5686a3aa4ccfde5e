package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/cfnresource/schema/testdata/every"
)

// read returns the schema of two types, as JSON is read.
func read[P, D any](t *testing.T, name string) map[string]any {
	t.Helper()
	raw, err := schema.Of[P, D](name)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProperties: what a field becomes.
func TestProperties(t *testing.T) {
	s := read[every.Properties, every.Attributes](t, "Custom::Every")
	got, ok := s["properties"].(map[string]any)
	if !ok {
		t.Fatalf("%v", s)
	}
	for name, want := range map[string]string{
		"Bool":     `{"type":"boolean","default":true}`,
		"Int":      `{"type":"integer","default":14}`,
		"Int8":     `{"type":"integer","minimum":-128,"maximum":127,"description":"A small one."}`,
		"Int64":    `{"type":"integer"}`,
		"Uint":     `{"type":"integer","minimum":0}`,
		"Uint32":   `{"type":"integer","minimum":0,"maximum":4294967295}`,
		"Float32":  `{"type":"number","default":1.5}`,
		"Text":     `{"type":"string"}`,
		"Secret":   `{"type":"string"}`,
		"Duration": `{"type":"string","pattern":"^[-+]?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|ms|s|m|h))+$","examples":["1h30m"],"default":"90s"}`,
		"Time":     `{"type":"string","format":"date-time"}`,
		"Addr":     `{"type":"string"}`,
		"Big":      `{}`,
		"Port":     `{}`,
		"Mode":     `{"type":"string","enum":["fast","thorough"],"default":"fast"}`,
		"Speed":    `{"type":"string","enum":["slow","quick"]}`,
		"Any":      `{}`,
		"Raw":      `{}`,
		"Number":   `{"type":"number"}`,
		"Pointer":  `{"type":"integer"}`,
		"List":     `{"type":"array","items":{"type":"integer"},"default":[1,2]}`,
		"Lists":    `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`,
		"Array":    `{"type":"array","items":{"type":"boolean"},"maxItems":2}`,
		"Map":      `{"type":"object","patternProperties":{"^.*$":{"type":"integer"}},"additionalProperties":false,"default":{"a":1}}`,
		"ByInt":    `{"type":"object","patternProperties":{"^-?[0-9]+$":{"type":"string"}},"additionalProperties":false}`,
		"ByUint":   `{"type":"object","patternProperties":{"^[0-9]+$":{"type":"string"}},"additionalProperties":false}`,
		"Nested":   `{"$ref":"#/definitions/Nested","default":{"A":1}}`,
		"Rules":    `{"type":"array","items":{"$ref":"#/definitions/rule"}}`,
		"Rule":     `{"$ref":"#/definitions/rule"}`,
		"Chain":    `{"$ref":"#/definitions/chain"}`,
		"Tree":     `{"type":"array","items":{}}`,
		"Dict":     `{"type":"object","patternProperties":{"^.*$":{"type":"object","patternProperties":{"^.*$":{}},"additionalProperties":false}},"additionalProperties":false}`,
		"Promoted": `{"type":"string"}`,
		"Endpoint": `{"$ref":"#/definitions/Endpoint"}`,
		"Tags":     `{"type":"object","patternProperties":{"^.*$":{"type":"string"}},"additionalProperties":false}`,
		"When":     `{"type":"string","format":"date-time"}`,
		"Wait":     `{"type":"integer"}`,
		"Addr2":    `{"type":"string"}`,
	} {
		var property any
		if err := json.Unmarshal([]byte(want), &property); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(property, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	delete(s, "properties")
	definitions := s["definitions"]
	delete(s, "definitions")
	want := map[string]any{
		"typeName":             "Custom::Every",
		"description":          "All that can be read.",
		"tagging":              map[string]any{"taggable": false},
		"additionalProperties": false,
		"required":             []any{"Text", "Promoted", "ServiceToken"},
		"createOnlyProperties": []any{"/properties/Text", "/properties/Rule"},
		"writeOnlyProperties":  []any{"/properties/Secret", "/properties/Chain/Name"},
		"readOnlyProperties": []any{
			"/properties/Endpoint/Host", "/properties/Endpoint/Port", "/properties/Tags", "/properties/When", "/properties/Wait",
			"/properties/Addr2", "/properties/Any2", "/properties/Loop/Name", "/properties/Loop/Next", "/properties/PhysicalResourceId",
		},
		"primaryIdentifier": []any{"/properties/PhysicalResourceId"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantRule := `{"type":"object","description":"What is let through.","required":["Port"],"additionalProperties":false,"properties":{
		"Port":{"type":"integer","minimum":0,"maximum":65535},"Notes":{"type":"array","items":{"type":"string"}}}}`
	var rule any
	if err := json.Unmarshal([]byte(wantRule), &rule); err != nil {
		t.Fatal(err)
	}
	if all, ok := definitions.(map[string]any); !ok || !cmp.Equal(rule, all["rule"]) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(rule, all["rule"]))
	}
}

// TestNoSecretIsTold: the default of a secret is one.
func TestNoSecretIsTold(t *testing.T) {
	type inner struct {
		Key string `cfn:"secret"`
	}
	type props struct {
		Token string `cfn:"secret,default=hunter2"`
		Inner inner  `cfn:"default={\"Key\":\"hunter2\"}"`
	}
	raw, err := schema.Of[props, struct{}]("Custom::Vault")
	if err != nil || strings.Contains(string(raw), "hunter2") {
		t.Errorf("%v:\n%s", err, raw)
	}
}

// TestCustomResource: CloudFormation requires ServiceToken of a custom resource,
// and the registry knows it not.
func TestCustomResource(t *testing.T) {
	type props struct{ Name string }
	for name, custom := range map[string]bool{"Custom::Topic": true, schema.CustomResource: true, "Example::Web::Topic": false} {
		s := read[props, struct{}](t, name)
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		if got := properties["ServiceToken"] != nil && properties["ServiceTimeout"] != nil && slices.Contains(required, any("ServiceToken")); got != custom {
			t.Errorf("%s has CloudFormation's own properties: %t, want %t", name, got, custom)
		}
	}
}

// TestOfRefuses: what is wrong with the name or the types is an error.
func TestOfRefuses(t *testing.T) {
	type good struct{ Name string }
	type bad struct {
		Name chan int
	}
	for _, name := range []string{"", "Topic", "Custom::", "Custom::A b", "AWS::One", "A::B::C::D"} {
		if _, err := schema.Of[good, good](name); err == nil || !strings.Contains(err.Error(), "write Custom::Name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := schema.Of[bad, good]("Custom::A"); err == nil || !strings.Contains(err.Error(), "bad.Name") {
		t.Errorf("properties that cannot be read: %v", err)
	}
	if _, err := schema.Of[good, int]("Custom::A"); err == nil || !strings.Contains(err.Error(), "Data is a struct") {
		t.Errorf("data without names: %v", err)
	}
	if _, err := schema.Of[struct{ Name panics }, good]("Custom::A"); err == nil || !strings.Contains(err.Error(), "panics panicked: no") {
		t.Errorf("a method that panics: %v", err)
	}
}

type panics string

func (panics) DescribeProperty(*schema.Property) { panic("no") }

// TestNamesOfDefinitions: two types of one name, and a generic one, are apart.
func TestNamesOfDefinitions(t *testing.T) {
	type props struct {
		One   box[int]
		Two   box[string]
		Three struct{ box[bool] }
	}
	raw, err := schema.Of[props, struct{ Four box[int] }]("Custom::Boxes")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties  map[string]schema.Property
		Definitions map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{}
	for _, name := range []string{"One", "Two", "Three", "Four"} {
		ref := s.Properties[name].Ref
		if refs[ref] || s.Definitions[strings.TrimPrefix(ref, "#/definitions/")] == nil {
			t.Errorf("%s refers to %q", name, ref)
		}
		refs[ref] = true
	}
}

type box[T any] struct{ In T }

const question = `{"cfnresource":"describe"}`

func handler[P, D any]() cfnresource.Handler[P, D] {
	return cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[P]) (data D, err error) {
		return data, errors.New("called")
	})
}

// TestDescribe: a function answers with the schemas of all its types, as Of
// returns them, and with the attributes that can be asked for.
func TestDescribe(t *testing.T) {
	type topic struct{ Name string }
	d := cfnresource.NewDispatcher(schema.Describe)
	cfnresource.Handle(d, "Custom::Every", handler[every.Properties, every.Attributes]())
	cfnresource.Handle(d, "Custom::Topic", handler[topic, map[string]any]())
	cfnresource.Handle(d, "", cfnresource.Lazy(func(context.Context) (cfnresource.Handler[struct{}, struct{}], error) {
		t.Error("a handler was opened")
		return nil, errors.New("no")
	}))
	raw, err := d.Invoke(t.Context(), []byte(question))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ResourceTypes []struct {
			Schema     json.RawMessage
			Attributes []string
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name       string
		of         func(string) ([]byte, error)
		attributes []string
	}{
		{schema.CustomResource, schema.Of[struct{}, struct{}], []string{}},
		{"Custom::Every", schema.Of[every.Properties, every.Attributes], []string{
			"Addr2", "Any2", "Any2.*", "Endpoint.Host", "Endpoint.Port", "List", "Loop.Name", "Loop.Next.*", "Rule.Notes", "Rule.Port", "Tags.*", "Text", "Wait", "When",
		}},
		{"Custom::Topic", schema.Of[topic, map[string]any], []string{"*"}},
	}
	if len(got.ResourceTypes) != len(want) {
		t.Fatalf("%s", raw)
	}
	for i, w := range want {
		of, err := w.of(w.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, of), decoded(t, got.ResourceTypes[i].Schema)); diff != "" {
			t.Errorf("%s (-Of +described):\n%s", w.name, diff)
		}
		if diff := cmp.Diff(w.attributes, got.ResourceTypes[i].Attributes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", w.name, diff)
		}
	}
}

func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDescribeAMap: properties that have no names are told as any.
func TestDescribeAMap(t *testing.T) {
	s := read[map[string]any, struct{}](t, "Custom::Any")
	if s["additionalProperties"] != true || !slices.Contains(s["required"].([]any), any("ServiceToken")) { //nolint:forcetypeassert // a panic fails, too
		t.Errorf("%v", s)
	}
}

// TestDescribeWhatIsWrong: a function that cannot work says so.
func TestDescribeWhatIsWrong(t *testing.T) {
	d := cfnresource.New(handler[struct {
		Name string `cfn:"createonly"`
	}, struct{}](), schema.Describe)
	if raw, err := d.Invoke(t.Context(), []byte(question)); err == nil || !strings.Contains(err.Error(), "createonly") || raw != nil {
		t.Errorf("%s, %v", raw, err)
	}
}
