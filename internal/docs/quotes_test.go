package docs

import (
	"regexp"
	"strings"
	"testing"
)

var quotation = regexp.MustCompile("(?s)<!-- quoted: (\\S+) -->\n```\\w*\n(.*?)```")

// What a document quotes of a file stands there, line by line, though perhaps
// further to the right, and with comments in Go between the lines.
func TestQuotationsAreWhatIsThere(t *testing.T) {
	quotations := 0
	for _, d := range documents(t) {
		for _, m := range quotation.FindAllStringSubmatch(d.text, -1) {
			if quotations++; !strings.Contains(flush(read(t, m[1])), flush(m[2])) {
				t.Errorf("%s quotes %s, where this does not stand:\n%s", d.path, m[1], m[2])
			}
		}
	}
	if quotations == 0 {
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
