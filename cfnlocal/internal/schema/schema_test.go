package schema_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// TestReadProvider: what is no answer to the question is an error, so that the
// function is left alone.
func TestReadProvider(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"nothing", ``, "no schema"},
		{"null, as a function answers that does not look at its event", `null`, "no resource type"},
		{"text", `"OK"`, "no schema"},
		{"another object", `{"statusCode":200}`, "no resource type"},
		{"a type without properties", `{"resourceTypes":[{"schema":{"typeName":"Custom::A"}}]}`, "no properties"},
		{"a type that is no schema", `{"resourceTypes":[{"schema":[]}]}`, "no schema"},
		{"too much", `"` + strings.Repeat("x", 2<<20) + `"`, "at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if p, err := schema.ReadProvider([]byte(tt.answer)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v; want an error with %q", p, err, tt.want)
			}
		})
	}
}

// TestHostileSchema: a schema from a function cannot make a check hang, or panic.
func TestHostileSchema(t *testing.T) {
	for _, tt := range []struct{ name, property string }{
		{"a reference to itself", `{"$ref":"#/definitions/A"}`},
		{"a reference to nothing", `{"$ref":"#/definitions/Nowhere"}`},
		{"a reference elsewhere", `{"$ref":"https://example.com/schema"}`},
		{"no pattern", `{"type":"string","pattern":"["}`},
		{"a pattern that others are slow with", `{"type":"string","pattern":"^(a+)+$"}`},
		{"a limit that is no number", `{"type":"integer","minimum":1e99999}`},
		{"an unknown type", `{"type":["thing"]}`},
		{"no element", `{"type":"array","items":null}`},
		{"an enum of objects", `{"type":"string","enum":[{}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schema.Read([]byte(`{"typeName":"Custom::A","properties":{"P":` + tt.property + `},"definitions":{"A":{"$ref":"#/definitions/A"}},"createOnlyProperties":["/properties/P","","/properties/P/Q/*/R"]}`))
			if err != nil {
				t.Fatal(err)
			}
			p := &schema.Provider{Types: []schema.ResourceType{{Schema: s}}}
			for _, form := range []template.Form{template.Unknown, template.Scalar, template.List, template.Object} {
				value := template.Value{Form: form, Text: strings.Repeat("a", 40) + "!"}
				plan := &template.Plan{Customs: []template.Custom{{LogicalID: "X", Type: "Custom::A", Function: "Fn", Properties: template.Value{
					Form: template.Object, Members: []template.Member{{Name: "P", Value: value}},
				}}}}
				_, _ = schema.Check(plan, map[string]*schema.Provider{"Fn": p}, map[string]map[string]any{"X": {"P": []any{map[string]any{}}}})
			}
		})
	}
}

// TestNoAmplification: what refers to itself twice, or is short and means much, is bounded.
func TestNoAmplification(t *testing.T) {
	definitions := `"D40":{"default":{"A":1}}`
	for i := range 40 {
		definitions += fmt.Sprintf(`,"D%d":{"type":"object","default":{},"properties":{"X":{"$ref":"#/definitions/D%d"},"Y":{"$ref":"#/definitions/D%[2]d"}}}`, i, i+1)
	}
	path := "/properties/P" + strings.Repeat("/*", 40) + "/Key"
	patterns := strings.Repeat(`,"items":{"pattern":".{1000}"`, 2000) + strings.Repeat("}", 2000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := schema.Read([]byte(`{"typeName":"Custom::A","properties":{"P":{"$ref":"#/definitions/D0"},"Q":{"type":"array"` + patterns + `}},"definitions":{` + definitions + `},"createOnlyProperties":["/properties/P"],"writeOnlyProperties":["` + path + `"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%d bytes were allocated for a schema", after.TotalAlloc-before.TotalAlloc)
	}
	one := &schema.ResourceType{Schema: s}
	if text := one.Markdown(); len(text) > 1<<20 || !strings.Contains(text, "more properties than can be shown") {
		t.Errorf("the tables have %d bytes, and end %s", len(text), text[len(text)-100:])
	}
	plan := &template.Plan{Customs: []template.Custom{{LogicalID: "X", Type: "Custom::A", Function: "Fn", Properties: template.Value{Form: template.Object}}}}
	_, warnings := schema.Check(plan, map[string]*schema.Provider{"Fn": {Types: []schema.ResourceType{*one}}}, map[string]map[string]any{"X": {"P": map[string]any{"X": map[string]any{"X": "other"}}}})
	if len(warnings) > 0 {
		t.Errorf("what is not compared to its end is told to be another: %v", warnings)
	}
	var deep any = map[string]any{"Key": "hush", "Other": 1}
	for range 80 {
		deep = []any{deep}
	}
	if found := s.Differences(map[string]any{"P": deep}, map[string]any{"P": []any{}}); len(found) != 1 || strings.Contains(found[0].Expected, "hush") {
		t.Errorf("%v", found)
	}
}

// TestEveryType: a handler of every type describes the type of each resource.
func TestEveryType(t *testing.T) {
	p, err := schema.ReadProvider([]byte(`{"resourceTypes":[{"attributes":["A"],"schema":{"typeName":"AWS::CloudFormation::CustomResource","properties":{"P":{}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Custom::Any", "AWS::CloudFormation::CustomResource"} {
		if got := p.Type(name); got == nil || got.Schema.TypeName != name || !got.Has("A") || got.Has("B") {
			t.Errorf("%s is described by %+v", name, got)
		}
	}
}
