// Package quote holds what the documents quote to what it is quoted from.
//
// A quotation is a fence under a comment that says what it quotes:
//
//	<!-- KIND: ARGUMENT … -->
//	```text
package quote

import (
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

var quotation = regexp.MustCompile("(?s)(<!-- ([a-z]+): ([^>]*?) -->\n```[a-z]+\n)(.*?)(```\n)")

// Hold fails the test if a quotation in a document does not say what the source
// of its kind does, or, with update, makes it do so. Document is a path in the
// repository. Kinds that have no source here are somebody else's. Hold returns how
// many quotations it has held.
func Hold(t testing.TB, document string, sources map[string]Source, update bool) (held int) {
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
		held++
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
	if held != meant {
		t.Errorf("%s: of %d quotations, %d have a fence right under their comment", document, meant, held)
	}
	switch {
	case want == text:
	case update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil { //nolint:gosec // a document is for everybody to read
			t.Fatal(err)
		}
	default:
		t.Errorf("%s quotes what has changed: run this test with -update\n%s", document, diff.Diff("is", raw, "should be", []byte(want)))
	}
	return held
}

// root returns the directory of the repository, which a test runs somewhere in.
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
