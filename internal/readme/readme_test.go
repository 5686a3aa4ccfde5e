// Package readme holds the documents to the code that they quote.
package readme

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the snippets in the documents")

// A snippet is the rest of a file from one line on, in a fence of its own.
var snippet = regexp.MustCompile("(?s)(<!-- snippet: (\\S+) from: (.*?) -->\n```go\n)(.*?)(```)")

// The code in the documents is the code that is tested.
func TestSnippetsAreTheCode(t *testing.T) {
	eachDocument(t, func(path, text string) {
		want := snippet.ReplaceAllStringFunc(text, func(found string) string {
			m := snippet.FindStringSubmatch(found)
			code, err := restOf(m[2], m[3])
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			return m[1] + code + m[5]
		})
		if want == text {
			return
		}
		if !*update {
			t.Errorf("%s quotes code that has changed: run go test ./internal/readme -update", path)
			return
		}
		if err := os.WriteFile(filepath.Join("../..", path), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	})
}

func restOf(path, line string) (string, error) {
	raw, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut("\n"+string(raw), "\n"+line+"\n")
	if !found {
		return "", fmt.Errorf("%s has no line %q", path, line)
	}
	return line + "\n" + rest, nil
}

var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// Links between the documents lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	eachDocument(t, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			links++
			target := filepath.Join("../..", filepath.Dir(path), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", path, m[1])
			}
		}
	})
	if links == 0 {
		t.Error("no links were found: is the pattern right?")
	}
}

func eachDocument(t *testing.T, fn func(path, text string)) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err == nil {
			fn(path, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
