package construct

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// A synthesized is a template whose parts can be changed.
type synthesized map[string]any

// change changes each resource whose logical ID begins with a name.
func (s synthesized) change(t *testing.T, name string, change func(resource, properties map[string]any)) {
	t.Helper()
	found := false
	for id, r := range s["Resources"].(map[string]any) {
		if strings.HasPrefix(id, name) {
			found = true
			resource := r.(map[string]any)
			change(resource, resource["Properties"].(map[string]any))
		}
	}
	if !found {
		t.Fatalf("there is no resource %s", name)
	}
}

// without returns a change that leaves properties out.
func without(names ...string) func(_, properties map[string]any) {
	return func(_, properties map[string]any) {
		for _, name := range names {
			delete(properties, name)
		}
	}
}

func with(name string, value any) func(_, properties map[string]any) {
	return func(_, properties map[string]any) { properties[name] = value }
}

// withoutDependsOn returns a template whose resources depend on what they refer to alone.
func withoutDependsOn(body string) string {
	var s synthesized
	if json.Unmarshal([]byte(body), &s) != nil {
		return body
	}
	for _, r := range s["Resources"].(map[string]any) {
		delete(r.(map[string]any), "DependsOn")
	}
	changed, _ := json.Marshal(s) // it was JSON
	return string(changed)
}

// settings are the rows of the table in docs/operating.md, by the first words in each, with what takes
// the setting away.
var settings = map[string]struct {
	resource string
	change   func(resource, properties map[string]any)
}{
	"`Timeout`":                      {"ProviderFunction", without("Timeout")},
	"`ServiceTimeout`":               {"Note", with("ServiceTimeout", 20)},
	"`OnFailure`":                    {"ProviderEventInvokeConfig", without("DestinationConfig")},
	"`lambda:InvokeFunction`":        {"ProviderRole", without("Policies")},
	"`MaximumEventAgeInSeconds`":     {"ProviderEventInvokeConfig", without("MaximumEventAgeInSeconds", "MaximumRetryAttempts")},
	"`RetentionInDays`":              {"ProviderLogGroup", without("RetentionInDays")},
	"`DependsOn`":                    {"Note", func(resource, _ map[string]any) { delete(resource, "DependsOn") }},
	"`ReservedConcurrentExecutions`": {"ProviderFunction", with("ReservedConcurrentExecutions", 0)},
	"`ServiceTimeout` of a chain":    {"ProviderFunction", with("Timeout", 60)},
	"Permissions of a chain": {"ProviderInvokesItself", func(_, properties map[string]any) {
		properties["PolicyDocument"] = map[string]any{"Statement": []any{}}
	}},
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+?) \|.*\| (yes|no)[^|]* \|$`)

// The table in docs/operating.md lists the settings that a template needs: the construct has each, and
// `cfnlocal check` warns of each that is missing where the table says so.
func TestTheListOfSettings(t *testing.T) {
	_, section, _ := strings.Cut(string(read(t, filepath.Join(repository, "docs/operating.md"))), "\n## What a template needs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	warns := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		warns[m[1]] = m[2] == "yes"
	}
	var rows []string
	for name := range settings {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(warns)), func(row string) bool { return row == name }) {
			t.Errorf("the table has no row %s", name)
		}
		rows = append(rows, name)
	}
	slices.Sort(rows)
	if diff := gocmp.Diff(rows, slices.Sorted(maps.Keys(warns))); diff != "" {
		t.Errorf("rows (-tested +table):\n%s", diff)
	}

	dir := synthesise(t, func(stack awscdk.Stack) {
		props := code(t)
		props.Continues = jsii.Bool(true)
		newNotes(stack, props)
	})
	body := read(t, filepath.Join(dir, "Notes.template.json"))
	if of := warnings(t, body); len(of) > 0 {
		t.Errorf("the construct's template has warnings: %q", of)
	}
	for name, setting := range settings {
		var s synthesized
		if err := json.Unmarshal(body, &s); err != nil {
			t.Fatal(err)
		}
		s.change(t, setting.resource, setting.change)
		changed, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if of := warnings(t, changed); len(of) > 0 != warns[name] {
			t.Errorf("without %s, cfnlocal check warns %q; the table says %t", name, of, warns[name])
		}
	}
}

// warnings are those of a template.
func warnings(t *testing.T, body []byte) []string {
	t.Helper()
	return warningsOf(planned(t, "Notes.template.json", body))
}

// warningsOf are those about a template, but for the CDK's own parts and for code that is not here.
func warningsOf(plan *template.Plan) (all []string) {
	for _, w := range plan.Warnings {
		text := w.String()
		if w.NoCode == "" && !strings.Contains(text, "BootstrapVersion") && !strings.Contains(text, "/Rules") {
			all = append(all, text)
		}
	}
	return all
}
