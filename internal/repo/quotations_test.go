package repo

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/repo/quote"
)

// The documents' quotations match their sources: whole files, a file from a given
// line on, and diagrams of scenarios.
func TestQuotationsAreWhatIsThere(t *testing.T) {
	sources := map[string]quote.Source{
		"file": func(args []string) (string, error) {
			if len(args) != 1 {
				return "", errors.New("want one file")
			}
			return read(t, args[0]), nil
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
			return sequenceDiagram(t, read(t, scenarios+args[0]+".txtar")), nil
		},
	}
	quotations := 0
	for _, d := range documents(t) {
		quotations += quote.Check(t, d.path, sources, *update)
	}
	if quotations == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

var quotedPart = regexp.MustCompile("(?s)<!-- quoted: (\\S+) -->\n```\\w*\n(.*?)```")

// The part of a file that a document quotes is in that file, apart from indentation
// and Go comments.
func TestQuotedPartsAreThere(t *testing.T) {
	parts := 0
	for _, d := range documents(t) {
		for _, m := range quotedPart.FindAllStringSubmatch(d.text, -1) {
			if parts++; !strings.Contains(stripIndent(read(t, m[1])), stripIndent(m[2])) {
				t.Errorf("%s quotes %s, where this does not stand:\n%s", d.path, m[1], m[2])
			}
		}
	}
	if parts == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

var goBlock = regexp.MustCompile("(?m)(^<!-- (?:snippet|quoted|file|step|output)[^\n]*-->\n)?^```go$")

// Each block of Go code in a document names the file that it comes from, which
// compiles.
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

// stripIndent returns text without indentation and Go comments.
func stripIndent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, " \t"); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
