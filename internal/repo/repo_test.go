// Package repo tests the whole repository: the imports between packages, the exported
// API, and that the documents match the code. The directories programs and guides have
// the programs that the documents quote.
package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// goList runs go list in a directory. fields are the fields of a goPackage to compute.
func goList(t *testing.T, dir string, fields string, args ...string) (packages []goPackage) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=" + fields}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s in %s: %v", cmd, dir, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("%s in %s: %v", cmd, dir, err)
		}
		packages = append(packages, p)
	}
}

// files returns the texts of all files whose names have a suffix, by path. It walks
// the whole tree, so that the go command does not reuse a cached result after a file
// has changed: it does not see the files that its child processes read.
func files(t *testing.T, end string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(d.Name(), end):
			return nil
		}
		text, err := fs.ReadFile(dir, path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
