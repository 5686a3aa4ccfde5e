// Package api holds, as a test, what this module promises: api.txt lists every
// exported identifier of its public packages, and changes only on purpose.
package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	module  = "github.com/cfnresource/sdk-go"
	root    = "../.." // the module's directory, from this one
	listing = "api.txt"
)

var update = flag.Bool("update", false, "write "+listing+" anew")

func TestAPI(t *testing.T) {
	packages := load(t)
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
		if err := os.WriteFile(listing, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the exported API is not what %s lists. If the change is meant, run `make api`, "+
			"and say in CHANGELOG.md what users have to change. (-listed +is):\n%s", listing, diff)
	}
}

// TestAPINamesNoOtherModule holds that no type of a dependency is part of the
// API: then a dependency can be changed without breaking users. Package
// stackphase asks through a client that the user brings, and names its calls.
func TestAPINamesNoOtherModule(t *testing.T) {
	for _, p := range load(t) {
		if p.Path() == module+"/cfnresource/stackphase" {
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

// load returns the public packages, type-checked, in the order of their paths.
func load(t *testing.T) (packages []*types.Package) {
	t.Helper()
	touch(t)
	var public []string
	for _, p := range goList(t, "-e", "./...") {
		if isPublic(p) {
			public = append(public, p.ImportPath)
		}
	}
	if len(public) == 0 {
		t.Fatal("go list names no public packages")
	}
	exports := map[string]string{}
	for _, p := range goList(t, append([]string{"-export", "-deps"}, public...)...) {
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

type goPackage struct {
	ImportPath, Name string
	GoFiles          []string // without tests
	Export           string   // the file of what the package exports
}

func goList(t *testing.T, args ...string) (packages []goPackage) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Name,GoFiles,Export"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		packages = append(packages, p)
	}
}

func isPublic(p goPackage) bool {
	path, ok := strings.CutPrefix(p.ImportPath, module+"/")
	return ok && len(p.GoFiles) > 0 && p.Name != "main" &&
		!strings.HasPrefix(path, "examples/") && !strings.HasPrefix(path, "test/") && !strings.Contains("/"+path+"/", "/internal/")
}

// touch looks at the files that the go command will read. The go command caches
// the results of tests, and cannot see what its child reads.
func touch(t *testing.T) {
	t.Helper()
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		files, err := filepath.Glob(filepath.Join(root, depth, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if _, err := os.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
}
