package repo

import (
	"regexp"
	"testing"
)

// A document is a Markdown file. Its path is relative to the module's root.
type document struct{ path, text string }

// documents returns the project's documents.
func documents(t *testing.T) (docs []document) {
	t.Helper()
	for path, text := range files(t, ".md") {
		docs = append(docs, document{path, text})
	}
	if len(docs) == 0 {
		t.Fatal("no documents were found")
	}
	return docs
}

// codeBlock matches a fenced block of code, with its language and its text.
var codeBlock = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")

// withoutCode returns a document's text without its blocks of code.
func withoutCode(text string) string { return codeBlock.ReplaceAllString(text, "") }
