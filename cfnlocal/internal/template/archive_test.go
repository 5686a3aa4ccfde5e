package template

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files with what comes out")

// archive is a txtar file: a comment, then named files that begin with lines of the form "-- name
// --".
type archive struct {
	*txtar.Archive
	files map[string]string
}

func readArchive(t testing.TB, file string) archive {
	t.Helper()
	parsed, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := archive{parsed, map[string]string{}}
	for _, f := range parsed.Files {
		a.files[f.Name] = string(f.Data)
	}
	return a
}

// rewrite writes another body for one of an archive's files. A new one is empty at first.
func (a archive) rewrite(t testing.TB, file, name, body string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(body)
		}
	}
	if err := os.WriteFile(file, txtar.Format(a.Archive), 0o600); err != nil {
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
