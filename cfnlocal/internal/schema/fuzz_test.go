package schema_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

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
