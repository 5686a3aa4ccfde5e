package template

import (
	"os"
	"testing"
)

// TestExamples: the examples' templates are read as they are, DependsOn of what SAM adds included,
// and nothing in them is worth a warning.
func TestExamples(t *testing.T) {
	for _, file := range archives(t, "../../../examples/*/template.yaml") {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := Parse(file, body)
		if err != nil {
			t.Error(err)
			continue
		}
		stack := testStack
		stack.Parameters = map[string]string{}
		for _, p := range parsed.Parameters() {
			if p.Default == nil {
				stack.Parameters[p.Name] = "a value of some length"
			}
		}
		plan, err := parsed.Resolve(stack)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range plan.Warnings {
			t.Error(w)
		}
		for _, r := range plan.Resources {
			if _, err := r.Properties(fakeRefs{}); err != nil {
				t.Error(err)
			}
		}
	}
}

// The template of docs/operating.md parses.
func TestAlarmsAreATemplate(t *testing.T) {
	const file = "../../../docs/alarms.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(file, text); err != nil {
		t.Error(err)
	}
}
