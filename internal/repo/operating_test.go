package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// The template of docs/operating.md is one.
func TestAlarmsAreATemplate(t *testing.T) {
	const file = "../../docs/alarms.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Parse(file, text); err != nil {
		t.Error(err)
	}
}

var record = regexp.MustCompile("(?m)^\\| (?:INFO|WARN|ERROR) \\| `([^`]+)` \\|")

// The log records that the page lists are in the code, and none of the
// dispatcher's warnings and errors is left out.
func TestLogRecordsAreThoseOfTheCode(t *testing.T) {
	var code strings.Builder
	for path, text := range files(t, ".go") {
		if filepath.Dir(path) == "cfnresource" && !isTest(path) {
			code.WriteString(text)
		}
	}
	page := read(t, "docs/operating.md")
	listed := record.FindAllStringSubmatch(page, -1)
	if len(listed) == 0 {
		t.Fatal("no records were found: is the pattern right?")
	}
	for _, m := range listed {
		message := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(m[1], "…"), "Create"), "Update")
		if !strings.Contains(code.String(), message) {
			t.Errorf("docs/operating.md lists %q, which the code does not log", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\.log\([^"\n]*slog\.Level(?:Warn|Error), "([^":]+)`).FindAllStringSubmatch(code.String(), -1) {
		if !strings.Contains(page, strings.TrimSpace(m[1])) {
			t.Errorf("docs/operating.md does not list %q", m[1])
		}
	}
}
