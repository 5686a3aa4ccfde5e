package repo

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var logRecord = regexp.MustCompile("(?m)^\\| (?:INFO|WARN|ERROR) \\| `([^`]+)` \\|")

// The page lists only log records that the code writes, and all warnings and errors
// of the dispatcher.
func TestLogRecordsAreThoseOfTheCode(t *testing.T) {
	var code strings.Builder
	for path, text := range files(t, ".go") {
		if filepath.Dir(path) == "cfnresource" && !isTest(path) {
			code.WriteString(text)
		}
	}
	page := read(t, "docs/operating.md")
	listed := logRecord.FindAllStringSubmatch(page, -1)
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
