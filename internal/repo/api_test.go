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
func loadPublic(t *testing.T) (packages []*types.Package) {
	t.Helper()
	files(t, ".go")
	var public []string
	for _, p := range goList(t, root, "ImportPath,Name,GoFiles", "-e", "./...") {
		if isPublic(p) {
			public = append(public, p.ImportPath)
		}
	}
	if len(public) == 0 {
		t.Fatal("go list names no public packages")
	}
	exports := map[string]string{}
	for _, p := range goList(t, root, "ImportPath,Export", append([]string{"-export", "-deps"}, public...)...) {
		exports[p.ImportPath] = p.Export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	slices.Sort(public)
	for _, path := range public {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	return packages
}

func isPublic(p goPackage) bool {
	path, ok := strings.CutPrefix(p.ImportPath, module+"/")
	return ok && len(p.GoFiles) > 0 && p.Name != "main" &&
		!strings.HasPrefix(path+"/", "examples/") && !strings.HasPrefix(path, "test/") && !strings.Contains("/"+path+"/", "/internal/")
}
