package schema_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

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
