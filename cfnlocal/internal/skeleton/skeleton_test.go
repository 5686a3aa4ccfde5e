package skeleton_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/skeleton"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// TestEmpty: the project of a type has all its files, and a template that can be read.
func TestEmpty(t *testing.T) {
	for _, o := range []skeleton.Options{{}, {ServiceIDs: true}} {
		p, err := skeleton.New(skeleton.Empty("Custom::Order"), o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range p.Files {
			names = append(names, f.Name)
		}
		want := []string{"Makefile", "README.md", "contract_test.go", "fake_test.go", "main.go", "order.go", "properties.go", "service.go", "template.yaml"}
		if slices.Sort(names); !slices.Equal(want, names) {
			t.Errorf("%+v: the files are %q, want %q", o, names, want)
		}
		readable(t, p)
	}
}

// readable fails unless the project's template is one.
func readable(t *testing.T, p *skeleton.Project) {
	t.Helper()
	for _, f := range p.Files {
		if f.Name == "template.yaml" {
			if _, err := template.Parse(f.Name, []byte(f.Text)); err != nil {
				t.Errorf("%v\n%s", err, f.Text)
			}
		}
	}
}

// TestLimitsOfDefinitions: what a definition allows holds for the properties that refer to it.
func TestLimitsOfDefinitions(t *testing.T) {
	s, err := schema.Read([]byte(`{"typeName":"A::B::Own","properties":{"Name":{"$ref":"#/definitions/N"},"Size":{"$ref":"#/definitions/S"}},
		"definitions":{"N":{"type":"string","minLength":3},"S":{"type":"integer","minimum":7}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := skeleton.New(s, skeleton.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range p.Files {
		all.WriteString(f.Text)
	}
	for _, want := range []string{`Name: "aaa", Size: 7`, "p.Size < 7"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no file holds %s", want)
		}
	}
}

// TestTheFakeAnswersWithData: an attribute that an Update forgets is then missed. One of another package is left out.
func TestTheFakeAnswersWithData(t *testing.T) {
	s, err := schema.Read([]byte(`{"typeName":"A::B::Own","properties":{"Name":{"type":"string"},"Arn":{"type":"string"},"Port":{"type":"integer"},
		"Since":{"type":"string","format":"date-time"}},"readOnlyProperties":["/properties/Arn","/properties/Port","/properties/Since"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, o := range map[string]skeleton.Options{"name": {}, "id": {ServiceIDs: true}} {
		p, err := skeleton.New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.Files, func(f skeleton.File) bool { return f.Name == "fake_test.go" })
		if want := `return Data{Arn: "Arn of " + ` + id + `, Port: 1}`; i < 0 || !strings.Contains(p.Files[i].Text, want) {
			t.Errorf("%+v: fake_test.go does not hold %s", o, want)
		}
	}
}

// TestNamesOfASchemaAreNoCode: a schema of a stranger's cannot write what is no Go, nor
// code of its own.
func TestNamesOfASchemaAreNoCode(t *testing.T) {
	const evil = "`}\\n/* */ func init() { panic(1) } //\\\" */ \\u2028 «.» {{.}}"
	for _, tt := range []struct{ name, schema string }{
		{"names", `{"typeName":"A::B::Own","properties":{"` + evil + `":{"type":"string"},"":{"type":"integer"},"ü":{"type":"boolean"},"a b: c":{"type":"string"}}}`},
		{"descriptions", `{"typeName":"A::B::Own","description":"` + evil + `","properties":{"A":{"description":"` + evil + `","type":"string"}}}`},
		{"defaults", `{"typeName":"A::B::Own","properties":{"A":{"default":"` + evil + `","type":"string"}}}`},
		{"values", `{"typeName":"A::B::Own","properties":{"A":{"enum":["` + evil + `"],"type":"string"}},"required":["A"]}`},
		{"examples", `{"typeName":"A::B::Own","properties":{"A":{"examples":["` + evil + `"],"type":"string"}}}`},
		{"definitions", `{"typeName":"A::B::Own","properties":{"A":{"$ref":"#/definitions/` + evil + `"}},"definitions":{"` + evil + `":{"type":"object","properties":{"B":{}}}}}`},
		{"limits", `{"typeName":"A::B::Own","properties":{"A":{"type":"integer","minimum":1e400},"B":{"type":"string","minLength":1000000000}}}`},
		{"a definition of itself", `{"typeName":"A::B::Own","properties":{"A":{"$ref":"#/definitions/A"}},"definitions":{"A":{"$ref":"#/definitions/A"}}}`},
		{"definitions of each other", `{"typeName":"A::B::Own","properties":{"A":{"$ref":"#/definitions/A"}},"definitions":{
			"A":{"type":"object","properties":{"B":{"$ref":"#/definitions/B"}}},"B":{"type":"object","properties":{"A":{"$ref":"#/definitions/A"}}}}}`},
		{"names that Go and the project have", `{"typeName":"A::B::Props","properties":{"type":{"type":"string","enum":["a"]},"Service":{"$ref":"#/definitions/string"}},
			"definitions":{"string":{"type":"object","properties":{"error":{}}}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schema.Read([]byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			p, err := skeleton.New(s, skeleton.Options{})
			if err != nil {
				t.Fatal(err) // what is no Go cannot be formatted
			}
			for _, f := range p.Files {
				for line := range strings.Lines(f.Text) {
					if strings.HasPrefix(strings.TrimSpace(line), "func init") {
						t.Errorf("%s holds code of the schema's:\n%s", f.Name, f.Text)
					}
				}
			}
			readable(t, p)
		})
	}
	for _, name := range []string{"Custom::", "A b", "A::B::" + evil} {
		if _, err := skeleton.New(&schema.Schema{TypeName: name}, skeleton.Options{}); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// FuzzNew: from whatever schema, either an error comes, or files of Go that can
// be formatted, and a template that can be read.
func FuzzNew(f *testing.F) {
	f.Add(`{"typeName":"Custom::A","properties":{"P":{"type":"string","enum":["a"],"default":"a"}},"required":["P"]}`)
	f.Add(`{"typeName":"Custom::A","properties":{"P":null,"1":{"type":"array","items":{"$ref":"#/definitions/D"}}},"definitions":{"D":{"type":"object","properties":{"E":{"$ref":"#/definitions/D"}}}}}`)
	f.Add(`{"typeName":"Custom::A","properties":{"A b":{"type":"object","patternProperties":{"x":{"type":"integer","minimum":-5,"maximum":-7}}}}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		s, err := schema.Read([]byte(raw))
		if err != nil {
			return
		}
		p, err := skeleton.New(s, skeleton.Options{ServiceIDs: len(raw)%2 == 1})
		switch {
		case err == nil:
			readable(t, p)
		case strings.Contains(err.Error(), ".go: "):
			t.Errorf("what was written is no Go: %v", err)
		}
	})
}
