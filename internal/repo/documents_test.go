package repo

import (
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A document is a Markdown file. Its path is relative to the module's root.
type document struct{ path, text string }

// documents returns the project's documents.
func documents(t *testing.T) (docs []document) {
	t.Helper()
	for path, text := range files(t, ".md") {
		docs = append(docs, document{path, text})
	}
	if len(docs) == 0 {
		t.Fatal("no documents were found")
	}
	return docs
}

// codeBlock matches a fenced block of code, with its language and its text.
var codeBlock = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")

// withoutCode returns a document's text without its blocks of code.
func withoutCode(text string) string { return codeBlock.ReplaceAllString(text, "") }

var (
	link     = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	anchored = regexp.MustCompile(`\]\(([^)#:\s]*)#([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	linked   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Each link to a file of the repository leads to an existing file.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, d := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(d.text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(root, path.Dir(d.path), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", d.path, m[1])
			}
		}
	}
	if links == 0 {
		t.Error("no links were found: is the pattern right?")
	}
}

// Each link to a heading leads to an existing heading.
func TestAnchorsLeadToHeadings(t *testing.T) {
	anchors := make(map[string]map[string]bool)
	for _, d := range documents(t) {
		anchors[d.path] = anchorsOf(d.text)
	}
	links := 0
	for _, d := range documents(t) {
		for _, m := range anchored.FindAllStringSubmatch(withoutCode(d.text), -1) {
			target := d.path
			if m[1] != "" {
				target = path.Join(path.Dir(d.path), m[1])
			}
			if links++; path.Ext(target) == ".md" && !anchors[target][m[2]] {
				t.Errorf("%s: %s has no heading #%s", d.path, target, m[2])
			}
		}
	}
	if links == 0 {
		t.Error("no links were found: is the pattern right?")
	}
}

// anchorsOf returns the anchors that GitHub makes of a document's headings.
func anchorsOf(text string) map[string]bool {
	anchors := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(withoutCode(text), -1) {
		name := anchor(linked.ReplaceAllString(m[1], "$1"))
		for n := 1; anchors[name]; n++ {
			name = fmt.Sprintf("%s-%d", anchor(m[1]), n)
		}
		anchors[name] = true
	}
	return anchors
}

func anchor(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, text)
}

// A reader of the table of limits reads on under the limit's own name.
func TestLimitsHaveDetailsUnderTheirNames(t *testing.T) {
	const page = "docs/rough_edges.md"
	rows := testrun.Limits(t, filepath.Join(root, page))
	seen := make(map[string]bool)
	for _, row := range rows {
		switch {
		case seen[row.Name]:
			t.Errorf("the table has %q twice", row.Name)
		case !row.Complete:
			t.Errorf("the row of %q does not say when it happens, what is lost, and what prevents it", row.Name)
		case row.LeadsTo != "" && row.LeadsTo != anchor(row.Name):
			t.Errorf("%q leads to #%s", row.Name, row.LeadsTo)
		}
		seen[row.Name] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(read(t, page), -1) {
		isDetailed := func(row testrun.Limit) bool { return row.Name == m[1] && row.LeadsTo != "" }
		if !slices.ContainsFunc(rows, isDetailed) {
			t.Errorf("no row of the table leads to the details of %q", m[1])
		}
	}
}

var quotedIdentifier = regexp.MustCompile("`(\\w+)\\.([A-Z]\\w*)")

// The identifiers of public packages that the documents name exist, and so do the fields
// of cfnresource.Options.
func TestNamedIdentifiersExist(t *testing.T) {
	known := make(map[string]map[string]bool) // by package
	for _, p := range loadPublic(t) {
		known[p.Name()] = make(map[string]bool)
		for _, name := range p.Scope().Names() {
			known[p.Name()][name] = true
		}
		if options := p.Scope().Lookup("Options"); options != nil && p.Name() == "cfnresource" {
			known["Options"] = make(map[string]bool)
			for field := range options.Type().Underlying().(*types.Struct).Fields() {
				known["Options"][field.Name()] = true
			}
		}
	}
	names := 0
	for _, d := range documents(t) {
		for _, m := range quotedIdentifier.FindAllStringSubmatch(d.text, -1) {
			if known[m[1]] == nil {
				continue // not of a public package
			}
			if names++; !known[m[1]][m[2]] {
				t.Errorf("%s names %s.%s, which is not there", d.path, m[1], m[2])
			}
		}
	}
	if names == 0 {
		t.Error("no names were found: is the pattern right?")
	}
}

var logRecord = regexp.MustCompile("(?m)^\\| (?:INFO|WARN|ERROR) \\| `([^`]+)` \\|")

// The page lists only log records that the code writes, and all warnings and errors
// of the dispatcher.
func TestLogRecordsAreThoseOfTheCode(t *testing.T) {
	var written strings.Builder
	for name, text := range code(t) {
		if path.Dir(name) == "cfnresource" {
			written.WriteString(text)
		}
	}
	page := read(t, "docs/operating.md")
	listed := logRecord.FindAllStringSubmatch(page, -1)
	if len(listed) == 0 {
		t.Fatal("no records were found: is the pattern right?")
	}
	for _, m := range listed {
		message := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(m[1], "…"), "Create"), "Update")
		if !strings.Contains(written.String(), message) {
			t.Errorf("docs/operating.md lists %q, which the code does not log", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\.log\([^"\n]*slog\.Level(?:Warn|Error), "([^":]+)`).FindAllStringSubmatch(written.String(), -1) {
		if !strings.Contains(page, strings.TrimSpace(m[1])) {
			t.Errorf("docs/operating.md does not list %q", m[1])
		}
	}
}
