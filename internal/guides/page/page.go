// Package page holds what the guides in docs/ quote to what it is quoted from.
//
// A quotation is a fence under a comment that says what it quotes:
//
//	<!-- KIND: ARGUMENT … -->
//	```text
package page

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// A Source returns what a quotation with these arguments should say, in whole
// lines.
type Source func(args []string) (string, error)

// Hold fails the test if a quotation in a document does not say what the source
// of its kind does, or, with update, makes it do so. Kinds that have no source
// here are somebody else's.
func Hold(t testing.TB, document string, sources map[string]Source, update bool) {
	t.Helper()
	text, quoted := Read(t, document), 0
	want := quotation.ReplaceAllStringFunc(text, func(found string) string {
		m := quotation.FindStringSubmatch(found)
		source := sources[m[2]]
		if source == nil {
			return found
		}
		quoted++
		said, err := source(strings.Fields(m[3]))
		if err != nil {
			t.Errorf("%s: %s %s: %v", document, m[2], m[3], err)
			return found
		}
		return m[1] + said + m[5]
	})
	meant := 0
	for kind := range sources {
		meant += strings.Count(text, "<!-- "+kind+":")
	}
	if quoted == 0 || quoted != meant {
		t.Errorf("%s: of %d quotations, %d have a fence right under their comment", document, meant, quoted)
	}
	switch {
	case want == text:
	case update:
		if err := os.WriteFile(file(t, document), []byte(want), 0o644); err != nil { //nolint:gosec // a document is for everybody to read
			t.Fatal(err)
		}
	default:
		t.Errorf("%s quotes what has changed: run go test ./internal/guides/... -update\n%s", document, diff.Diff("is", []byte(text), "should be", []byte(want)))
	}
}

var quotation = regexp.MustCompile("(?s)(<!-- ([a-z]+): ([^>]*?) -->\n```[a-z]+\n)(.*?)(```\n)")

// Read returns the text of a file of the repository.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(file(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files is the source of quotations of whole files: their argument is a path.
func Files(t testing.TB) Source {
	return func(args []string) (string, error) {
		if len(args) != 1 {
			return "", fmt.Errorf("%d files", len(args))
		}
		return Read(t, args[0]), nil
	}
}

// Changes is the source of quotations of what changes from one file to another.
// That their packages have different names is left out.
func Changes(t testing.TB) Source {
	return func(args []string) (string, error) {
		if len(args) != 2 {
			return "", fmt.Errorf("%d files", len(args))
		}
		var b strings.Builder
		changes := string(diff.Diff("before", []byte(Read(t, args[0])), "after", []byte(Read(t, args[1]))))
		if changes == "" {
			return "", fmt.Errorf("%s and %s are the same", args[0], args[1])
		}
		for line := range strings.Lines(changes) {
			switch {
			case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			case strings.HasPrefix(line, "@@"):
				b.WriteString("@@\n") // line numbers say nothing in a guide
			default:
				b.WriteString(line)
			}
		}
		return b.String(), nil
	}
}

// file returns the name of a file of the repository, which a test runs
// somewhere in.
func file(t testing.TB, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.Contains(string(text), "module github.com/cfnresource/sdk-go\n") {
			return filepath.Join(dir, filepath.FromSlash(path))
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("this runs outside of the repository")
		}
		dir = filepath.Dir(dir)
	}
}

// Root returns the directory of the repository.
func Root(t testing.TB) string { return file(t, ".") }
