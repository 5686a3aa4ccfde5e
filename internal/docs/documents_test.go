// Package docs holds the documents to what they speak of: links and their
// anchors, the names of tests and files, pictures, quotations, and the programs
// in the packages' documentation.
package docs

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.." // the module's directory, from this one

var update = flag.Bool("update", false, "draw the pictures in the documents anew")

// A document is a Markdown file. Its path is relative to the module's root.
type document struct{ path, text string }

// documents returns those of the project.
func documents(t *testing.T) (docs []document) {
	t.Helper()
	for path, text := range files(t, ".md") {
		docs = append(docs, document{path, text})
	}
	if len(docs) < 10 {
		t.Fatalf("only %d documents were found", len(docs))
	}
	return docs
}

// files returns the texts of all files with an extension, by their path.
func files(t *testing.T, ext string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ext:
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

// fenced is a block of code, with its language and its text.
var fenced = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")

// withoutCode returns a document's text without its blocks of code.
func withoutCode(text string) string { return fenced.ReplaceAllString(text, "") }
