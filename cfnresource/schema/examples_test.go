package schema_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	all "github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// examples are, for each example, the properties of its resource types, and for
// which of them the schema and the Go type differ: a composite literal of
// roundtrip.Type.
var examples = map[string]map[string]struct{ properties, exceptions string }{
	"bucketcontents": {"Custom::BucketContents": {properties: "Props"}},
	"certificate": {
		"Custom::CertificateIssued":  {properties: "IssuedProps"},
		"Custom::CertificateRequest": {properties: "RequestProps"},
	},
	"database":   {"Custom::Database": {properties: "Props"}},
	"lookup":     {"Custom::OidcLookup": {properties: "Props"}},
	"monitor":    {"Custom::Monitor": {properties: "Props"}},
	"registered": {"Custom::Monitor": {properties: "Props"}},
	"several": {
		"Custom::Queue":       {"QueueProps", `Looser: map[string]string{"Type": "Validate refuses it, since it is a string to Go"}`},
		"Custom::VirtualHost": {properties: "HostProps"},
	},
	"subscription": {"Custom::Subscription": {properties: "Props"}},
	"webhook":      {"Custom::Webhook": {properties: "Props"}},
}

// packages are where the properties are, if that is not the program.
var packages = map[string]string{"registered": "monitors"}

// TestExamplesRoundTrip is TestWhatTypesRefuse for the properties of each example. They
// are in main packages, so the test is laid over each by the go command.
func TestExamplesRoundTrip(t *testing.T) {
	root, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range testrun.Examples(all.Names()) {
		dir := filepath.Join(root, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types := examples[name]
			if diff := gocmp.Diff(typesIn(t, filepath.Join(dir, "template.yaml")), slices.Sorted(maps.Keys(types))); diff != "" {
				t.Fatalf("examples does not have the types of the template (-template +examples):\n%s", diff)
			}
			var calls strings.Builder
			for name, of := range types {
				fmt.Fprintf(&calls, "\tt.Run(%q, func(t *testing.T) { roundtrip.Test[%s](t, roundtrip.Type{%s}) })\n", name, of.properties, of.exceptions)
			}
			if out, err := runIn(t, dir, packages[name], calls.String()); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

var customType = regexp.MustCompile(`(?m)^    Type: (Custom::\w+)$`)

// typesIn returns the types of custom resources in a template, sorted.
func typesIn(t *testing.T, template string) (names []string) {
	t.Helper()
	raw, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range customType.FindAllSubmatch(raw, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runIn runs a test with the given body in the package in dir, or in one below it,
// in place of its own.
func runIn(t *testing.T, dir, below, body string) ([]byte, error) {
	t.Helper()
	dir = filepath.Join(dir, below)
	tmp := t.TempDir()
	test := "package " + cmp.Or(below, "main") + "\n\nimport (\n\t\"testing\"\n\n\t\"github.com/cfnresource/sdk-go/internal/roundtrip\"\n)\n\n" +
		"func TestRoundTrip(t *testing.T) {\n" + body + "}\n"
	replace := map[string]string{filepath.Join(dir, "roundtrip_test.go"): filepath.Join(tmp, "roundtrip.go")}
	others, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range others {
		replace[other] = "" // as if it were not there
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"roundtrip.go": []byte(test), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(tmp, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-overlay", filepath.Join(tmp, "overlay.json"), "-run", "^TestRoundTrip$", "-v", ".")
	cmd.Dir = dir
	return cmd.CombinedOutput()
}
