package schema_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// TestReadProvider: what is no answer to the question is an error, so that the
// function is left alone.
func TestReadProvider(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"nothing", ``, "not the schema"},
		{"null, as a function answers that does not look at its event", `null`, "no resource type"},
		{"text", `"OK"`, "not the schema"},
		{"another object", `{"statusCode":200}`, "no resource type"},
		{"a type without properties", `{"resourceTypes":[{"schema":{"typeName":"Custom::A"}}]}`, "no properties"},
		{"a type that is no schema", `{"resourceTypes":[{"schema":[]}]}`, "not the schema"},
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
	if text := one.Markdown(); len(text) > 1<<20 || !strings.Contains(text, "too many properties to show") {
		t.Errorf("the tables have %d bytes, and end %s", len(text), text[len(text)-100:])
	}
	plan := &template.Plan{Customs: []template.Custom{{LogicalID: "X", Type: "Custom::A", Function: "Fn", Properties: template.Value{Form: template.Object}}}}
	_, warnings := schema.Check(plan, map[string]*schema.Provider{"Fn": {Types: []schema.ResourceType{*one}}}, map[string]map[string]any{"X": {"P": map[string]any{"X": map[string]any{"X": "other"}}}})
	if len(warnings) > 0 {
		t.Errorf("what is not compared to its end is told to be another: %v", warnings)
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

var update = flag.Bool("update", false, "write what was found into testdata")

// TestCheck: each archive holds a template, what its function says of itself,
// and what is wrong, with its place.
func TestCheck(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			got := check(t, parts["template.yaml"], parts["provider.json"], parts["before.json"])
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "want" {
						archive.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(parts["want"], got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// check returns what is found, a line each.
func check(t *testing.T, text, answer, before string) string {
	t.Helper()
	provider, err := schema.ReadProvider([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := template.Parse("template.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Resolve(template.Stack{AccountID: "123456789012", Region: "us-east-1", StackID: "arn:aws:cloudformation:us-east-1:123456789012:stack/shop/1", StackName: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	errs, warnings := schema.Check(plan, map[string]*schema.Provider{"Fn": provider}, properties(t, before))
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(e.Error() + "\n")
	}
	for _, w := range warnings {
		b.WriteString("warning: " + w.String() + "\n")
	}
	return b.String()
}

// properties are what custom resources were last sent.
func properties(t *testing.T, text string) (last map[string]map[string]any) {
	t.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &last); err != nil {
		t.Fatal(err)
	}
	return last
}

// TestMarkdown: objects in lists and maps are followed by what is in them, and
// no text leaves its cell.
func TestMarkdown(t *testing.T) {
	p, err := schema.ReadProvider([]byte(`{"resourceTypes":[{"attributes":["Arn","Endpoint.Host","Mode","Tags.*"],"schema":{
		"typeName":"Custom::Monitor","description":"Looks | at\na <script>.","properties":{
			"ServiceToken":{"type":"string"},
			"Url":{"type":"string","description":"a|b"},
			"Mode":{"type":"string","enum":["fast","thorough"],"default":"fast"},
			"Count":{"type":"integer","default":3},
			"Rules":{"type":"array","items":{"$ref":"#/definitions/Rule"}},
			"By":{"type":"object","patternProperties":{"^.*$":{"$ref":"#/definitions/Rule"}}},
			"Any":{},
			"Arn":{"type":"string","description":"Its ARN."},
			"Endpoint":{"$ref":"#/definitions/Endpoint"},
			"Tags":{"type":"object"}},
		"definitions":{"Rule":{"type":"object","properties":{"Port":{"type":"integer"},"Next":{"$ref":"#/definitions/Rule"}},"required":["Port"]},
			"Endpoint":{"type":"object","properties":{"Host":{"type":"string","description":"Where."}}}},
		"required":["Url"],"createOnlyProperties":["/properties/Url","/properties/By"],
		"readOnlyProperties":["/properties/Arn","/properties/Endpoint/Host","/properties/Tags"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "### Custom::Monitor\n\nLooks \\| at a &lt;script>.\n\n" +
		"| Property | Type | On update | |\n|---|---|---|---|\n" +
		"| `Url` | string, required | replacement | a\\|b |\n" +
		"| `Any` | any | in place |  |\n" +
		"| `By` | object | replacement |  |\n" +
		"| `By.*.Port` | integer, required | replacement |  |\n" +
		"| `By.*.Next` | object | replacement |  |\n" +
		"| `Count` | integer, default `3` | in place |  |\n" +
		"| `Mode` | `fast` or `thorough`, default `fast` | in place |  |\n" +
		"| `Rules` | list of object | in place |  |\n" +
		"| `Rules[].Port` | integer, required | in place |  |\n" +
		"| `Rules[].Next` | object | in place |  |\n" +
		"\n| Attribute | Type | |\n|---|---|---|\n" +
		"| `Arn` | string | Its ARN. |\n" +
		"| `Endpoint.Host` | string | Where. |\n" +
		"| `Mode` | any |  |\n" +
		"| `Tags.*` | object |  |\n"
	if diff := cmp.Diff(want, p.Type("Custom::Monitor").Markdown()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const fine = `{"typeName":"Example::Web::Monitor","description":"","additionalProperties":false,
	"properties":{"Id":{"type":"string"},"Url":{"type":"string","enum":["a"]},"Rules":{"type":"array","items":{"$ref":"#/definitions/Rule"}}},
	"definitions":{"Rule":{"type":"object","properties":{"Port":{"type":"integer"}},"additionalProperties":false}},
	"required":["Url"],"createOnlyProperties":["/properties/Url"],"readOnlyProperties":["/properties/Id"],"primaryIdentifier":["/properties/Id"]}`

// TestRefusals: each rule of the registry's meta-schema that matters here
// refuses what breaks it, and what breaks none is not refused.
func TestRefusals(t *testing.T) {
	for _, name := range []string{"Example::Web::Monitor", "Custom::Monitor"} {
		if got := schema.Refusals([]byte(strings.Replace(fine, "Example::Web::Monitor", name, 1))); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"description":"",`, ``, "description is missing"},
		{`"description"`, `"nmae":1,"description"`, "nmae is no member"},
		{`Example::Web::Monitor`, `Monitor`, "typeName"},
		{`"additionalProperties":false,`, `"additionalProperties":true,`, "additionalProperties is not false"},
		{`"Url":{`, `"U-rl":{},"Url":{`, "the name U-rl"},
		{`"Rule":{`, `"A_b":{},"Rule":{`, "the name A_b"},
		{`"type":"string","enum"`, `"enum"`, "an enum needs a type"},
		{`"enum":["a"]`, `"readOnly":true`, "readOnly is no keyword"},
		{`{"type":"string","enum":["a"]}`, `{"properties":{"A":{}},"additionalProperties":false}`, "a nested object must be a definition"},
		{`"additionalProperties":false}},`, `"additionalProperties":false,"patternProperties":{}}},`, "both properties and patternProperties"},
		{`,"additionalProperties":false}},`, `}},`, "additionalProperties is missing"},
		{`#/definitions/Rule`, `#/definitions/Role`, "refers to no definition"},
		{`["/properties/Id"],"prim`, `[],"prim`, "readOnlyProperties is empty"},
		{`["/properties/Url"]`, `["/properties/Nowhere"]`, "names no property"},
		{`["/properties/Url"]`, `["Url"]`, "names no property"},
		{`["/properties/Url"]`, `["/properties/Id"]`, "both be set and only be read"},
		{`"primaryIdentifier":["/properties/Id"]`, `"primaryIdentifier":["/properties/Rules"]`, "can change"},
		{`"required":["Url"]`, `"required":["Nope"]`, "there is no property Nope"},
	} {
		text := strings.Replace(fine, tt.old, tt.new, 1)
		if text == fine {
			t.Errorf("%s is not there", tt.old)
		}
		got := schema.Refusals([]byte(text))
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
			t.Errorf("%s: %q; want %q", tt.new, got, tt.want)
		}
	}
}

// FuzzCheck: whatever a function says of itself, a check comes to an end, and
// what is not known is not complained of.
func FuzzCheck(f *testing.F) {
	f.Add(fine, "Url", "text")
	f.Add(`{"typeName":"A","properties":{"P":null,"Q":{"items":null,"patternProperties":{"[":null}}},"definitions":{"D":null},"createOnlyProperties":["/properties/P/*"]}`, "P", "1e9")
	f.Add(`{"typeName":"A","properties":{"P":{"type":["integer","object"],"minimum":1e400,"enum":[null,{}],"default":{"A":[]}}},"required":["","P"]}`, "p", "-1")
	f.Fuzz(func(t *testing.T, raw, name, text string) {
		schema.Refusals([]byte(raw))
		s, err := schema.Read([]byte(raw))
		if err != nil {
			return
		}
		p := &schema.Provider{Types: []schema.ResourceType{{Schema: s, Attributes: []string{"*"}}}}
		one := template.Value{Form: template.Scalar, Text: text}
		values := []template.Value{
			one, {Path: "/unknown"}, {Form: template.List, Items: []template.Value{one, {}}},
			{Form: template.Object, Members: []template.Member{{Name: name, Value: one}, {Name: text}}},
		}
		for _, v := range values {
			plan := &template.Plan{
				Customs:    []template.Custom{{LogicalID: "X", Type: s.TypeName, Function: "Fn", Properties: template.Value{Form: template.Object, Members: []template.Member{{Name: name, Value: v}}}}},
				Attributes: []template.Attribute{{LogicalID: "X", Name: name}},
			}
			errs, _ := schema.Check(plan, map[string]*schema.Provider{"Fn": p}, map[string]map[string]any{"X": {name: text}})
			for _, e := range errs {
				if e.Path == "/unknown" {
					t.Errorf("what is not known is refused: %v", e)
				}
			}
		}
		_ = p.Type(s.TypeName).Markdown()
	})
}
