package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// mistakes has the mistakes to make in each example's template.
var mistakes = map[string]mistake{
	"bucketcontents": {"Contents", "Bucket", "Objects: text", "expected a list, found a single value", "Contents"},
	"certificate":    {"Request", "DomainName", "SubjectAlternativeNames: example.com", "expected a list, found a single value", "Issued"},
	"database":       {"Database", "Name", "ConnectionLimit: many", "the value is not a whole number", "Database"},
	"lookup":         {"OidcLookup", "Issuer", "Refresh: {a: b}", "expected a string, found an object", "OidcLookup"},
	"monitor":        {"Monitor", "Email", "Seconds: 1m", "the value is not a whole number", "Monitor"},
	"registered":     {"Monitor", "Url", "Seconds: 1m", "the value is not a whole number", "Monitor"},
	"several":        {"Orders", "VirtualHost", "Type: stream", "the value is not one of those allowed", "Orders"},
	"subscription":   {"Subscription", "Topic", "Active: sometimes", "the value is not true or false", "Subscription"},
	"webhook":        {"Webhook", "Url", "Events: created", "expected a list, found a single value", "Webhook"},
}

type mistake struct {
	id       string // the custom resource
	required string // its required property that is removed
	typed    string // a property with a value of the wrong type
	expected string // the error about that value
	read     string // the resource whose missing attribute is read
}

// TestWrongExamples: check and deploy report each kind of mistake in an example's
// template with its position, and start nothing.
func TestWrongExamples(t *testing.T) {
	t.Parallel()
	linkPrograms(t)
	for _, name := range exampleNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ok := mistakes[name]
			if !ok {
				t.Fatal("the example has no row in mistakes")
			}
			text, want := w.apply(t, name)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "t.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			commands := [][]string{{"check", "t.yaml"}, {"deploy", "t.yaml", "--stack", "shop", "--run", "touch started"}}
			for _, args := range commands {
				cmd := exec.CommandContext(t.Context(), "cfnlocal", append(args, functionFlags(t, name)...)...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitRefused {
					t.Errorf("%s: %v, want exit code %d", args[0], err, exitRefused)
				}
				var got []string
				for line := range strings.Lines(string(out)) {
					if strings.HasPrefix(line, "t.yaml:") {
						line, _, _ = strings.Cut(strings.TrimSpace(line), "; choose from")
						got = append(got, line)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", args[0], diff, out)
				}
			}
			if got, want := filesIn(t, dir), []string{".cfnlocal/.gitignore", ".cfnlocal/.mark", ".cfnlocal/shop.lock", "t.yaml"}; !slices.Equal(got, want) {
				t.Errorf("there are %q, want %q: something was started", got, want)
			}
		})
	}
}

// filesIn returns the files below a directory.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// apply makes the mistakes in an example's template, and returns the errors that are expected.
func (w mistake) apply(t *testing.T, name string) (text string, want []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../examples", name, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text = string(raw)
	property, _, _ := strings.Cut(w.typed, ":")
	var lines []string
	section := ""
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	dropped := false
	for line := range strings.Lines(text) {
		switch {
		case indent(line) == 0:
			section = ""
		case indent(line) == 2 && strings.HasPrefix(line, "  "+w.id+":"):
			section = w.id
		case indent(line) == 2 && !strings.HasPrefix(line, "  #"):
			section = ""
		}
		if section == w.id && dropped && indent(line) > 6 {
			continue // the value of the dropped property
		}
		trimmed := strings.TrimSpace(line)
		dropped = section == w.id && (strings.HasPrefix(trimmed, w.required+":") || strings.HasPrefix(trimmed, property+":")) && indent(line) == 6
		if dropped {
			continue
		}
		lines = append(lines, line)
		if section == w.id && strings.HasPrefix(trimmed, "ServiceToken:") {
			lines = append(lines, "      "+w.required+"x: 1\n", "      "+w.typed+"\n")
		}
	}
	lines = append(lines, "  Wrong:\n", "    Value: !GetAtt "+w.read+".Whatsit\n")
	at := func(start string) int {
		for i, line := range lines {
			if strings.HasPrefix(line, start) {
				return i + 1
			}
		}
		t.Fatalf("there is no line %q", start)
		return 0
	}
	typeOf := func(id string) string {
		_, name, _ := strings.Cut(lines[at("  "+id+":")], "Type: ")
		return strings.TrimSpace(name)
	}
	kind := typeOf(w.id)
	path := "/Resources/" + w.id
	want = []string{
		fmt.Sprintf("t.yaml:%d:3: %s: the property %s is missing, which %s requires", at("  "+w.id+":"), path, w.required, kind),
		fmt.Sprintf("t.yaml:%d:7: %s/Properties/%[3]sx: %[3]sx is no property of %[4]s; did you mean %[3]s?", at("      "+w.required+"x"), path, w.required, kind),
		fmt.Sprintf("t.yaml:%d:%d: %s/Properties/%s: %s", at("      "+w.typed), 7+len(property)+2, path, property, w.expected),
		fmt.Sprintf("t.yaml:%d:12: /Outputs/Wrong/Value: %s has no attribute Whatsit", len(lines), typeOf(w.read)),
	}
	return strings.Join(lines, ""), want
}

// TestExamplesDescribeThemselves: the functions of all examples return schemas that
// the registry accepts, apart from type names of two parts. With these schemas, the
// check warns of a replacement at each changed createOnly property.
func TestExamplesDescribeThemselves(t *testing.T) {
	t.Parallel()
	linkPrograms(t)
	for _, name := range exampleNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := describeExample(t, name)
			var said struct {
				ResourceTypes []struct{ Schema json.RawMessage }
			}
			if err := json.Unmarshal(answer, &said); err != nil || len(said.ResourceTypes) == 0 {
				t.Fatalf("%s, %v", answer, err)
			}
			for _, of := range said.ResourceTypes {
				for _, refusal := range schema.Refusals(of.Schema) {
					t.Error(refusal)
				}
			}
			provider, err := schema.ReadProvider(answer)
			if err != nil {
				t.Fatal(err)
			}
			checkReplacements(t, name, provider)
		})
	}
}

// checkReplacements changes each createOnly property that an example's template
// sets, and expects a warning.
func checkReplacements(t *testing.T, name string, provider *schema.Provider) {
	t.Helper()
	plan := planOf(t, name)
	changed := 0
	for _, c := range plan.Customs {
		for _, pointer := range provider.Type(c.Type).Schema.CreateOnly {
			property := strings.TrimPrefix(pointer, "/properties/")
			value, set := memberOf(&c.Properties, property)
			if !set || value.Form == template.Unknown {
				continue
			}
			changed++
			last := map[string]map[string]any{c.LogicalID: {property: "another"}}
			for _, other := range provider.Type(c.Type).Schema.CreateOnly {
				if other := strings.TrimPrefix(other, "/properties/"); other != property {
					if same, set := memberOf(&c.Properties, other); set {
						last[c.LogicalID][other] = same.Text
					}
				}
			}
			errs, warnings := schema.Check(plan, map[string]*schema.Provider{c.Function: provider}, last)
			want := fmt.Sprintf("t.yaml:%d:7: %s: another %s is another resource: this replaces %s, if its handler has Find or names it by StableID", value.Line, value.Path, property, c.LogicalID)
			if len(errs) > 0 || len(warnings) != 1 || warnings[0].String() != want {
				t.Errorf("%v, %v; want the warning %s", errs, warnings, want)
			}
		}
	}
	if none := name == "lookup" || name == "bucketcontents"; changed == 0 && !none { // the bucket is a resource of the template
		t.Error("the template sets no createOnly property")
	}
}

// planOf is the plan of an example's template.
func planOf(t *testing.T, name string) *template.Plan {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../examples", name, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := template.Parse("t.yaml", raw)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Resolve(template.Stack{AccountID: "123456789012", Region: "us-east-1", StackName: "shop", StackID: "arn:aws:cloudformation:us-east-1:123456789012:stack/shop/1"})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// functionFlags have an example's functions run by the program that was linked of it.
func functionFlags(t *testing.T, name string) (flags []string) {
	t.Helper()
	for _, f := range planOf(t, name).Functions {
		flags = append(flags, "--function", f.LogicalID+"="+name)
	}
	return flags
}

// describeExample returns the schemas that an example's function describes.
func describeExample(t *testing.T, name string) []byte {
	t.Helper()
	h := host.New(t.Context(), host.Config{})
	defer h.Close()
	const arn = "arn:aws:lambda:us-east-1:123456789012:function:f"
	if err := h.Add(host.Function{ARN: arn, Command: []string{filepath.Join(programs, name)}}); err != nil {
		t.Fatal(err)
	}
	result, err := h.Call(t.Context(), arn, []byte(schema.Question))
	if err != nil || result.Kind != host.Succeeded {
		t.Fatalf("%+v, %v", result, err)
	}
	return result.Payload
}

// memberOf is the value under a name of an object, and whether it has one.
func memberOf(v *template.Value, name string) (*template.Value, bool) {
	i := slices.IndexFunc(v.Members, func(m template.Member) bool { return m.Name == name })
	if i < 0 {
		return nil, false
	}
	return &v.Members[i].Value, true
}

// TestReadmesHoldTheTables: the README of each example has the tables of the
// properties and attributes that its function describes.
func TestReadmesHoldTheTables(t *testing.T) {
	t.Parallel()
	linkPrograms(t)
	for _, name := range exampleNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("../examples", name)
			cmd := exec.CommandContext(t.Context(), "cfnlocal", "--dir", t.TempDir(), "schema", "template.yaml", "--markdown")
			cmd.Args = append(cmd.Args, functionFlags(t, name)...)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			testrun.Written(t, filepath.Join(dir, "README.md"), "written by: cfnlocal schema template.yaml --markdown", string(want), *update, "make projects")
		})
	}
}

// However many and long the mistakes of a template are, --json has the first, cut to a line's
// length, and how many more there are.
func TestMistakesAreBounded(t *testing.T) {
	var all template.Errors
	for range maxMistakes + 300 {
		all = append(all, &template.Error{Path: strings.Repeat("p", 100_000), Text: strings.Repeat("é", 100_000)})
	}
	var out bytes.Buffer
	a := &app{streams: streams{out: &out}, json: true}
	if code := a.report(a.explainCheck(all)); code != exitRefused {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != maxMistakes+1 || lines[maxMistakes] != `{"More":300}` || out.Len() > maxMistakes*10_000 {
		t.Errorf("%d lines of %d bytes in all, the last %.100s", len(lines), out.Len(), lines[len(lines)-1])
	}
}
