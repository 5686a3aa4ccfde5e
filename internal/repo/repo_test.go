// Package repo holds what is true of the whole repository: which packages import
// which, what the public ones export, and that the documents speak of what is
// there. Its folders programs and guides are the programs that documents quote.
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

// A goPackage is what the go command says of a package. Tests and their imports
// are in none of these fields.
type goPackage struct {
	ImportPath string
	Name       string
	GoFiles    []string
	Imports    []string // its own
	Deps       []string // those of what it imports too
	Export     string   // the file of what the package exports
}

// goList returns what go list says in a directory. The fields that it computes
// are those that are named in the first argument.
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

// files returns the texts of all files with a name that ends so, by their path.
// It looks at every directory. So the go command, which caches the results of
// tests and cannot see what its child reads, learns what a test is about.
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
