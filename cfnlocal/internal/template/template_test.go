package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v4"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files with what comes out")

// archive is a txtar file: a comment, then named files that begin with lines of the form "-- name
// --".
type archive struct {
	*txtar.Archive
	files map[string]string
}

func readArchive(t testing.TB, file string) archive {
	t.Helper()
	parsed, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := archive{parsed, map[string]string{}}
	for _, f := range parsed.Files {
		a.files[f.Name] = string(f.Data)
	}
	return a
}

// rewrite writes another body for one of an archive's files. A new one is empty at first.
func (a archive) rewrite(t testing.TB, file, name, body string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(body)
		}
	}
	if err := os.WriteFile(file, txtar.Format(a.Archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

func archives(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}

// settings reads lines of the form name=value.
func settings(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			out[name] = value
		}
	}
	return out
}

// fakeRefs answers every reference from the names alone, so that tests see where a value came from.
// It does not know which attributes a type has, and nothing about it changes over time.
type fakeRefs struct{}

var errNoAttribute = errors.New("the fake has no such attribute")

func (fakeRefs) Ref(id string) (string, error) { return "id-of-" + id, nil }

func (fakeRefs) GetAtt(id, attribute string) (any, error) {
	switch attribute {
	case "Arn":
		return "arn:aws:fake:eu-west-1:123456789012:" + id, nil
	case "List":
		return []any{"one", "two"}, nil
	case "Number":
		return 1.5, nil
	case "Flag":
		return true, nil
	case "Object":
		return map[string]any{"key": "value"}, nil
	case "Long":
		return strings.Repeat("x", 4000), nil
	case "Missing":
		return nil, errNoAttribute
	}
	return id + "." + attribute, nil
}

// shown is a plan with everything in it evaluated.
type shown struct {
	Parameters []ParameterValue `json:",omitempty"`
	Conditions map[string]bool  `json:",omitempty"`
	Resources  []shownResource
	Outputs    []shownOutput   `json:",omitempty"`
	Functions  []shownFunction `json:",omitempty"`
	Topics     []string        `json:",omitempty"`
	Imports    []string        `json:",omitempty"`
	Warnings   []string        `json:",omitempty"`
}

type shownResource struct {
	LogicalID, Type                     string
	DependsOn                           []string `json:",omitempty"`
	DeletionPolicy, UpdateReplacePolicy string   `json:",omitempty"`
	Properties                          any
}

type shownOutput struct {
	Name, Description, ExportName string `json:",omitempty"`
	Value                         any
}

type shownFunction struct {
	LogicalID, CodeURI, Handler, Timeout string
	Known                                map[string]string
	Failures                             bool // have a destination
}

func show(plan *Plan) shown {
	s := shown{Parameters: plan.Parameters, Conditions: plan.conditions, Imports: plan.Imports}
	for _, r := range plan.Resources {
		out := shownResource{LogicalID: r.LogicalID, Type: r.Type, DependsOn: r.DependsOn, DeletionPolicy: r.DeletionPolicy, UpdateReplacePolicy: r.UpdateReplacePolicy}
		properties, err := r.Properties(fakeRefs{})
		out.Properties = properties
		if err != nil {
			out.Properties = "error: " + err.Error()
		}
		s.Resources = append(s.Resources, out)
	}
	for _, o := range plan.Outputs {
		out := shownOutput{Name: o.Name, Description: o.Description, ExportName: o.ExportName}
		value, err := o.Value(fakeRefs{})
		out.Value = value
		if err != nil {
			out.Value = "error: " + err.Error()
		}
		s.Outputs = append(s.Outputs, out)
	}
	for _, f := range plan.Functions {
		s.Functions = append(s.Functions, showFunction(f))
	}
	for _, sub := range plan.Subscriptions {
		s.Topics = append(s.Topics, sub.Position.String()+": "+sub.TopicID+" -> "+sub.FunctionID)
	}
	for _, w := range plan.Warnings {
		s.Warnings = append(s.Warnings, w.String())
	}
	return s
}

func showFunction(f Function) shownFunction {
	return shownFunction{LogicalID: f.LogicalID, CodeURI: f.CodeURI, Handler: f.Handler, Timeout: f.timeout.String(), Known: f.Known, Failures: f.onFailure != nil}
}

// TestGoodTemplates holds what templates come to: resources with their properties, outputs,
// functions and warnings.
func TestGoodTemplates(t *testing.T) {
	for _, file := range archives(t, "testdata/good/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := readArchive(t, file)
			name := a.Files[0].Name
			parsed, err := Parse(name, []byte(a.files[name]))
			if err != nil {
				t.Fatal(err)
			}
			stack := testStack
			stack.Parameters, stack.Store = settings(a.files["parameters"]), settings(a.files["store"])
			stack.Exports = settings(a.files["exports"])
			stack.Nested, stack.Attributes = settings(a.files["nested"]), settings(a.files["attributes"])
			plan, err := parsed.Resolve(stack)
			if err != nil {
				t.Fatal(err)
			}
			got := encodeYAML(t, show(plan))
			if *update {
				a.rewrite(t, file, "want.yaml", got)
				return
			}
			if diff := cmp.Diff(a.files["want.yaml"], got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// encodeYAML is what encode writes as YAML, whose short lists and objects take a line each.
func encodeYAML(t *testing.T, v any) string {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(encode(t, v)), &n); err != nil {
		t.Fatal(err)
	}
	const most = 90
	var size func(n *yaml.Node) int
	size = func(n *yaml.Node) int {
		sum := len(n.Value)
		for _, part := range n.Content {
			sum += 2 + size(part)
		}
		n.Style = 0
		if n.Kind != yaml.ScalarNode && sum <= most {
			n.Style = yaml.FlowStyle
		}
		return sum
	}
	size(&n)
	text, err := yaml.Dump(&n, yaml.WithLineWidth(-1))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mustPlan(t *testing.T, body string) *Plan {
	t.Helper()
	parsed, err := Parse("template", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Resolve(testStack)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestReferenceFails: the engine's own error, such as a missing attribute of a custom resource,
// must still be found behind the place that is added to it, since CloudFormation's text for it goes
// into the stack's events.
func TestReferenceFails(t *testing.T) {
	plan := mustPlan(t, "Resources:\n  Queue: {Type: Test::Any::Queue}\n  Topic:\n    Type: Test::Any::Thing\n    Properties:\n      Name: !Sub 'x${Queue.Missing}'\n")
	_, err := plan.Resources[1].Properties(fakeRefs{})
	if !errors.Is(err, errNoAttribute) {
		t.Errorf("error %v is not the engine's", err)
	}
	if want := "template:6:13: /Resources/Topic/Properties/Name/Fn::Sub: the fake has no such attribute"; fmt.Sprint(err) != want {
		t.Errorf("error is\n%v, want\n%s", err, want)
	}
}

// TestPlanIsFresh: the engine may change what it is given; the next evaluation must not see that.
func TestPlanIsFresh(t *testing.T) {
	plan := mustPlan(t, "Mappings: {M: {a: {list: [1, 2]}}}\nParameters: {P: {Type: CommaDelimitedList, Default: 'a,b'}}\nResources:\n  Topic:\n    Type: Test::Any::Thing\n    Properties:\n      A: !FindInMap [M, a, list]\n      B: !Ref P\n      C: [x]\n      D: {e: f}\n")
	first, err := plan.Resources[0].Properties(fakeRefs{})
	if err != nil {
		t.Fatal(err)
	}
	before := encode(t, first)
	for _, name := range []string{"A", "B", "C"} {
		first[name].([]any)[0] = "changed"
	}
	first["D"].(map[string]any)["e"] = "changed"
	second, err := plan.Resources[0].Properties(fakeRefs{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, encode(t, second)); diff != "" {
		t.Errorf("second evaluation (-want +got):\n%s", diff)
	}
}

var _ engine.Refs = fakeRefs{}

var testStack = Stack{
	AccountID: "123456789012", Region: "eu-west-1", StackName: "test",
	StackID: "arn:aws:cloudformation:eu-west-1:123456789012:stack/test/6a5e2f70-0000-11f0-8de9-0242ac120002",
}

// TestBadTemplates holds the messages for templates that cannot be deployed: each must say where,
// what is wrong and what to write, since the message is all that its reader has.
func TestBadTemplates(t *testing.T) {
	cases := 0
	for _, file := range archives(t, "testdata/bad/*.txtar") {
		a := readArchive(t, file)
		for _, f := range a.Files {
			name := f.Name
			base, ext, _ := strings.Cut(name, ".")
			if ext != "yaml" && ext != "json" {
				continue
			}
			cases++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+base, func(t *testing.T) {
				body := a.files[name]
				if base == "not-utf8" {
					body += "\xff\xfe"
				}
				got := badness(t, name, body, settings(a.files[base+".parameters"]), settings(a.files[base+".attributes"]))
				if *update {
					a.rewrite(t, file, base+".want", got)
					return
				}
				if diff := cmp.Diff(a.files[base+".want"], got); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
			})
		}
	}
	if cases < 45 {
		t.Errorf("%d cases, want 45 or more", cases)
	}
}

var positioned = regexp.MustCompile(`^[a-z0-9-]+\.(yaml|json)(:\d+:\d+)?: .`)

// badness is the message for a bad template, which must come from Parse or Resolve as Errors with
// positions.
func badness(t *testing.T, name, body string, parameters, attributes map[string]string) string {
	t.Helper()
	parsed, err := Parse(name, []byte(body))
	if err == nil {
		stack := testStack
		stack.Parameters, stack.Attributes = parameters, attributes
		_, err = parsed.Resolve(stack)
	}
	if _, ok := errors.AsType[Errors](err); !ok {
		t.Fatalf("error is %v (%T), want Errors", err, err)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !positioned.MatchString(line) {
			t.Errorf("no position in %q", line)
		}
	}
	return err.Error() + "\n"
}

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

// TestRefusedByAWS: what AWS refuses is refused here, at the place of its mistake and for no other one. A reader who
// cannot deploy a template should learn it from the first command.
func TestRefusedByAWS(t *testing.T) {
	a := readArchive(t, "testdata/refused.txtar")
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			lines := strings.SplitN(a.files[f.Name], "\n", 3)
			source, place := strings.TrimPrefix(lines[0], "# "), strings.TrimSpace(strings.TrimPrefix(lines[1], "#"))
			if !strings.HasPrefix(source, "https://") {
				t.Errorf("the source %q is no address", source)
			}
			parsed, err := Parse(f.Name, []byte(a.files[f.Name]))
			if err == nil {
				stack := testStack
				stack.Exports = map[string]string{"name": "value", "network.Name": "name"}
				_, err = parsed.Resolve(stack)
			}
			all, _ := errors.AsType[Errors](err)
			switch {
			case strings.HasPrefix(f.Name, "gap-"):
				if err != nil {
					t.Errorf("it is refused now, and is no gap: %v", err)
				}
			case len(all) != 1 || all[0].Path != place:
				t.Errorf("errors are %v, want one at %s", err, place)
			}
		})
	}
}
