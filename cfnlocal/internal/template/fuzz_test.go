package template

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// FuzzParse: whatever the bytes, reading ends with a plan or with Errors that name the file,
// evaluation ends with a value or an error, and nothing panics or grows without bound.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.txtar", "testdata/bad/*.txtar"} {
		for _, file := range archives(f, pattern) {
			for _, one := range readArchive(f, file).Files {
				if !strings.HasPrefix(one.Name, "want") && (strings.HasSuffix(one.Name, ".yaml") || bytes.HasPrefix(one.Data, []byte("{"))) {
					f.Add(one.Data, "Stage=prod\nSecret=hunter2")
				}
			}
		}
	}
	f.Add([]byte("Conditions: {Wanted: !Equals [a, a]}\nResources:\n  Hook: {Type: 'Custom::Hook', Condition: Wanted}\n"), "") // a mistake that is one only if the condition holds
	f.Fuzz(func(t *testing.T, body []byte, parameters string) {
		if len(body) > 64<<10 {
			t.Skip("long inputs say nothing that short ones do not")
		}
		parsed, err := Parse("t.yaml", body)
		if err != nil {
			checkErrors(t, err)
			return
		}
		for _, n := range parsed.Nested() {
			if n.LogicalID == "" || n.File == "" || n.Position.File != "t.yaml" {
				t.Errorf("a nested stack without ID, file or place: %#v", n)
			}
		}
		_ = parsed.Code()
		stack := testStack
		stack.Parameters = settings(parameters)
		stack.Open = func(path string) (engine.Source, bool) { return engine.Source{File: path}, len(path)%2 == 0 }
		stack.HasProgram = func(f *Function, arn string) bool { return f != nil && f.CodeURI != "" || len(arn)%2 == 0 }
		plan, err := parsed.Resolve(stack)
		if err != nil {
			checkErrors(t, err)
			return
		}
		if len(plan.Resources) > maxResources {
			t.Errorf("%d resources", len(plan.Resources))
		}
		for _, r := range plan.Resources {
			if !slices.IsSorted(r.DependsOn) {
				t.Errorf("%s: DependsOn %v is not sorted", r.LogicalID, r.DependsOn)
			}
			for _, id := range r.DependsOn {
				if !slices.ContainsFunc(shownIDs(plan), func(known string) bool { return known == id }) {
					t.Errorf("%s depends on %s, which is not there", r.LogicalID, id)
				}
			}
			if _, err := r.Properties(fakeRefs{}); err != nil {
				checkError(t, err)
			}
			if r.Nested == nil {
				continue
			}
			for _, given := range []engine.Properties{"", `{"Parameters": []}`, `{"Parameters": {"A": ["b", 1]}}`, `{"Parameters": {"A": ["b"]}}`} {
				if _, err := r.Nested(given); err != nil {
					checkError(t, err)
				}
			}
		}
		for _, o := range plan.Outputs {
			if _, err := o.Value(fakeRefs{}); err != nil {
				checkError(t, err)
			}
		}
	})
}

func shownIDs(plan *Plan) []string {
	var ids []string
	for _, r := range plan.Resources {
		ids = append(ids, r.LogicalID)
	}
	return ids
}

func checkErrors(t *testing.T, err error) {
	t.Helper()
	var all Errors
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("error %v (%T) is not Errors", err, err)
	}
	for _, one := range all {
		checkError(t, one)
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var one *Error
	if !errors.As(err, &one) {
		t.Fatalf("error %v (%T) is not an *Error", err, err)
	}
	if one.File != "t.yaml" || one.Text == "" {
		t.Errorf("error without file or text: %#v", one)
	}
}
