package repo

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocFileNamesEachFile checks that the reading order in cfnresource/doc.go names
// each file of the package, and no others.
func TestDocFileNamesEachFile(t *testing.T) {
	const docFile = "doc.go"
	var want []string
	for _, name := range coreFiles(t) {
		if base := filepath.Base(name); base != docFile {
			want = append(want, base)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "cfnresource", docFile), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	order := file.Comments[len(file.Comments)-1]
	got := regexp.MustCompile(`\b[a-z0-9_]+\.go\b`).FindAllString(order.Text(), -1)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files that cfnresource/%s names, each once, are not those there are (-want +got):\n%s", docFile, diff)
	}
}

// coreFiles returns the names of cfnresource's Go files other than tests.
func coreFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "cfnresource", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("cfnresource has no Go files")
	}
	return slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}
