package template

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files with what comes out")

// archive is a txtar file: a comment, then named files that begin with lines of the form "-- name --".
type archive struct {
	comment string
	names   []string
	files   map[string]string
}

func readArchive(t testing.TB, file string) *archive {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{files: map[string]string{}}
	name := ""
	for line := range strings.Lines(string(body)) {
		trimmed := strings.TrimSuffix(line, "\n")
		if inner, ok := strings.CutPrefix(trimmed, "-- "); ok && strings.HasSuffix(inner, " --") {
			name = strings.TrimSuffix(inner, " --")
			a.names = append(a.names, name)
			a.files[name] = ""
			continue
		}
		if name == "" {
			a.comment += line
		} else {
			a.files[name] += line
		}
	}
	return a
}

// set adds or replaces a file; a new one goes behind the file named after.
func (a *archive) set(name, after, body string) {
	if _, ok := a.files[name]; !ok {
		for i, n := range a.names {
			if n == after {
				a.names = append(a.names[:i+1], append([]string{name}, a.names[i+1:]...)...)
				break
			}
		}
	}
	a.files[name] = body
}

func (a *archive) write(t testing.TB, file string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(a.comment)
	for _, name := range a.names {
		b.WriteString("-- " + name + " --\n" + a.files[name])
		if body := a.files[name]; body != "" && !strings.HasSuffix(body, "\n") {
			b.WriteString("\n")
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
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
