package template

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files with what comes out")

// archive is a txtar file: a comment, then named files that begin with lines of the form "-- name
// --".
type archive struct {
	comment string
	names   []string
	files   map[string]string
}

func readArchive(t testing.TB, file string) *archive {
	t.Helper()
	parsed, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{comment: string(parsed.Comment), files: map[string]string{}}
	for _, f := range parsed.Files {
		a.names = append(a.names, f.Name)
		a.files[f.Name] = string(f.Data)
	}
	return a
}

// set adds or replaces a file; a new one goes behind the file named after.
func (a *archive) set(name, after, body string) {
	if _, ok := a.files[name]; !ok {
		for i, n := range a.names {
			if n == after {
				a.names = slices.Insert(a.names, i+1, name)
				break
			}
		}
	}
	a.files[name] = body
}

func (a *archive) write(t testing.TB, file string) {
	t.Helper()
	out := &txtar.Archive{Comment: []byte(a.comment)}
	for _, name := range a.names {
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(a.files[name])})
	}
	if err := os.WriteFile(file, txtar.Format(out), 0o600); err != nil {
		t.Fatal(err)
	}
}

func archives(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}

// settings reads lines of the form name=value.
func settings(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			out[name] = value
		}
	}
	return out
}
