// Package repo tests the whole repository: the imports between packages, the exported
// API, and that the documents match the code. The directories programs and guides have
// the programs that the documents quote.
package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/cfnresource/sdk-go"
	root   = "../.." // the module's directory, from this one
)

var update = flag.Bool("update", false, "write the listing of the API, and what documents quote, anew")

// A goPackage is a package in the output of go list. Its fields do not include tests
// and their imports.
type goPackage struct {
	ImportPath string
	Name       string
	GoFiles    []string
	Imports    []string // direct imports
	Deps       []string // direct and indirect imports
	Export     string   // the file with the export data
}

// packages are those of this module, without their export data.
var packages = sync.OnceValues(func() ([]goPackage, error) { return packagesIn(root) })

func packagesIn(module string) ([]goPackage, error) {
	return goList(module, "ImportPath,Name,GoFiles,Imports,Deps", "./...")
}

// goList runs go list in a directory. fields are the fields of a goPackage to compute.
func goList(dir string, fields string, args ...string) (packages []goPackage, err error) {
	cmd := exec.Command("go", append([]string{"list", "-json=" + fields}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", cmd, dir, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", cmd, dir, err)
		}
		packages = append(packages, p)
	}
}

// tree has the texts of all Go files and documents, by path. It walks the whole tree, so
// that the go command does not reuse a cached result after a file has changed: it does not
// see the files that its child processes read.
var tree = sync.OnceValues(func() (map[string]string, error) {
	texts := make(map[string]string)
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".mod"}, filepath.Ext(path)):
			return nil
		}
		text, err := fs.ReadFile(dir, path)
		texts[path] = string(text)
		return err
	})
	return texts, err
})

// files returns those of the tree whose names have a suffix.
func files(t *testing.T, end string) map[string]string {
	t.Helper()
	texts := maps.Clone(got(t, tree))
	maps.DeleteFunc(texts, func(path, _ string) bool { return !strings.HasSuffix(path, end) })
	return texts
}

// code returns the Go files that are no tests.
func code(t *testing.T) map[string]string {
	t.Helper()
	all := files(t, ".go")
	maps.DeleteFunc(all, func(name, _ string) bool { return isTest(name) })
	return all
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// got returns what a function returns without an error.
func got[T any](t *testing.T, get func() (T, error)) T {
	t.Helper()
	value, err := get()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
