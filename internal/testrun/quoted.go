package testrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A Source returns the expected text of a quotation with these arguments, in whole lines.
type Source func(args []string) (string, error)

// A quotation is a fenced block under a comment that names its source:
//
//	<!-- KIND: ARGUMENT … -->
//	```text
var quotation = regexp.MustCompile("(?s)(<!-- ([a-z]+): ([^>]*?) -->\n```[a-z]+\n)(.*?)(```\n)")

// Quoted fails the test if a quotation in a document differs from its source. With update it
// rewrites the quotation instead. document is a path in the repository. Quoted ignores quotations
// whose kind is not in sources, and returns the number of those that it has checked.
func Quoted(t testing.TB, document string, sources map[string]Source, update bool) (checked int) {
	t.Helper()
	file := filepath.Join(root(t), filepath.FromSlash(document))
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	want := quotation.ReplaceAllStringFunc(text, func(found string) string {
		m := quotation.FindStringSubmatch(found)
		source := sources[m[2]]
		if source == nil {
			return found
		}
		checked++
		expected, err := source(strings.Fields(m[3]))
		if err != nil {
			t.Errorf("%s: %s %s: %v", document, m[2], m[3], err)
			return found
		}
		return m[1] + expected + m[5]
	})
	total := 0
	for kind := range sources {
		total += strings.Count(text, "<!-- "+kind+":")
	}
	if checked != total {
		t.Errorf("%s: of %d quotations, %d have a fence right under their comment", document, total, checked)
	}
	switch {
	case want == text:
	case update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil { //nolint:gosec // a document is for everybody to read
			t.Fatal(err)
		}
	default:
		t.Errorf("%s quotes what has changed: run this test with -update (-want +got)\n%s", document, cmp.Diff(strings.Split(want, "\n"), strings.Split(text, "\n")))
	}
	return checked
}

// root returns the root directory of the repository, above the working directory.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module github.com/cfnresource/sdk-go\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("this runs outside of the repository")
		}
		dir = filepath.Dir(dir)
	}
}
