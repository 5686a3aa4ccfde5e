package repo

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cfnresource/sdk-go/internal/repo/quote"
)

// What the documents quote is what is there: whole files, what changes from one
// file to another, the rest of a file from one line on, and pictures of scenarios.
func TestQuotationsAreWhatIsThere(t *testing.T) {
	sources := map[string]quote.Source{
		"file": func(args []string) (string, error) {
			if len(args) != 1 {
				return "", errors.New("want one file")
			}
			return read(t, args[0]), nil
		},
		"diff": func(args []string) (string, error) {
			if len(args) != 2 {
				return "", errors.New("want two files")
			}
			return changes(read(t, args[0]), read(t, args[1])), nil
		},
		"snippet": func(args []string) (string, error) {
			if len(args) < 3 || args[1] != "from:" {
				return "", errors.New("want a file, the word from: and a line")
			}
			line := strings.Join(args[2:], " ")
			_, rest, found := strings.Cut("\n"+read(t, args[0]), "\n"+line+"\n")
			if !found {
				return "", fmt.Errorf("%s has no line %q", args[0], line)
			}
			return line + "\n" + rest, nil
		},
		"picture": func(args []string) (string, error) {
			return draw(t, read(t, scenarios+args[0]+".txtar")), nil
		},
	}
	quotations := 0
	for _, d := range documents(t) {
		quotations += quote.Hold(t, d.path, sources, *update)
	}
	if quotations == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

// changes returns what changes from one text to another, without line numbers.
func changes(before, after string) string {
	var b strings.Builder
	for line := range strings.Lines(string(diff.Diff("before", []byte(before), "after", []byte(after)))) {
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			b.WriteString("@@\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

var part = regexp.MustCompile("(?s)<!-- quoted: (\\S+) -->\n```\\w*\n(.*?)```")

// A part of a file that a document quotes stands there, line by line, though
// perhaps further to the right, and with comments in Go between the lines.
func TestQuotedPartsAreThere(t *testing.T) {
	parts := 0
	for _, d := range documents(t) {
		for _, m := range part.FindAllStringSubmatch(d.text, -1) {
			if parts++; !strings.Contains(flush(read(t, m[1])), flush(m[2])) {
				t.Errorf("%s quotes %s, where this does not stand:\n%s", d.path, m[1], m[2])
			}
		}
	}
	if parts == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

var goBlock = regexp.MustCompile("(?m)(^<!-- (?:snippet|quoted|file|step|output)[^\n]*-->\n)?^```go$")

// No Go code stands in a document that is not that of a file, which compiles.
func TestCodeComesFromFiles(t *testing.T) {
	blocks := 0
	for _, d := range documents(t) {
		for _, m := range goBlock.FindAllStringSubmatchIndex(d.text, -1) {
			if blocks++; m[2] < 0 {
				t.Errorf("%s:%d: say with a comment which file the code is from", d.path, strings.Count(d.text[:m[0]], "\n")+1)
			}
		}
	}
	if blocks == 0 {
		t.Error("no code was found: is the pattern right?")
	}
}

// flush returns text without what its lines are indented by, and without
// comments in Go.
func flush(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, " \t"); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
