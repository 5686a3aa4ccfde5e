package repo

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const apiFile = "api.txt"

// TestAPI compares the exported identifiers of the public packages with api.txt, so
// that they change only on purpose.
func TestAPI(t *testing.T) {
	packages := loadPublic(t)
	var got strings.Builder
	for i, p := range packages {
		if i > 0 {
			got.WriteString("\n")
		}
		for _, line := range describe(p) {
			fmt.Fprintln(&got, line)
		}
	}
	if *update {
		if err := os.WriteFile(apiFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the exported API is not what %s lists. If the change is meant, run `make api`, "+
			"and say in CHANGELOG.md what users have to change. (-listed +is):\n%s", apiFile, diff)
	}
}

// TestAPINamesNoOtherModule checks that no type of a dependency is part of the API,
// so that a dependency can be replaced without breaking users. The exceptions are
// packages stackphase and selfinvoke, which take a client of the AWS SDK.
func TestAPINamesNoOtherModule(t *testing.T) {
	for _, p := range loadPublic(t) {
		if p.Path() == module+"/cfnresource/stackphase" || p.Path() == module+"/cfnresource/selfinvoke" {
			continue
		}
		for _, line := range describe(p) {
			for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" *[](),", r) }) {
				if strings.Contains(word, "/") && strings.Contains(strings.Split(word, "/")[0], ".") && !strings.HasPrefix(word, module) {
					t.Errorf("%s: %s is of another module", line, word)
				}
			}
		}
	}
}

// loadPublic returns the public packages, type-checked, in the order of their paths.
func loadPublic(t *testing.T) (public []*types.Package) {
	t.Helper()
	from := got(t, exports)
	for _, p := range got(t, packages) {
		if isPublic(p) {
			public = append(public, got(t, func() (*types.Package, error) { return from.Import(p.ImportPath) }))
		}
	}
	if len(public) == 0 {
		t.Fatal("go list names no public packages")
	}
	slices.SortFunc(public, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	return public
}

// exports imports the public packages, what they link, and what else the programs in their
// documentation need.
var exports = sync.OnceValues(func() (types.Importer, error) {
	listed, err := packages()
	args := []string{"-export", "-deps", "testing", "github.com/aws/aws-lambda-go/lambda"}
	for _, p := range listed {
		if isPublic(p) {
			args = append(args, p.ImportPath)
		}
	}
	if err != nil {
		return nil, err
	}
	return importerOf(root, args...)
})

// importerOf returns an importer of what go list lists in a directory.
func importerOf(dir string, args ...string) (types.Importer, error) {
	listed, err := goList(dir, "ImportPath,Export", args...)
	files := make(map[string]string)
	for _, p := range listed {
		files[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), err
}

func isPublic(p goPackage) bool {
	path, ok := strings.CutPrefix(p.ImportPath, module+"/")
	return ok && len(p.GoFiles) > 0 && p.Name != "main" &&
		!strings.HasPrefix(path+"/", "examples/") && !strings.HasPrefix(path, "test/") && !strings.Contains("/"+path+"/", "/internal/")
}
