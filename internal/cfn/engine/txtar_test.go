package engine

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// An archive is a file in the txtar format: a comment, then files, each after a
// line "-- name --".
type archive struct {
	comment string
	files   []archived
}

type archived struct{ name, data string }

func readArchive(file string) (*archive, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseArchive(string(text)), nil
}

func parseArchive(text string) *archive {
	a := &archive{}
	into := &a.comment
	for line := range strings.Lines(text) {
		if name, ok := marker(line); ok {
			a.files = append(a.files, archived{name: name})
			into = &a.files[len(a.files)-1].data
			continue
		}
		*into += line
	}
	return a
}

func marker(line string) (name string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	if name, ok = strings.CutPrefix(line, "-- "); !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok && name != ""
}

func (a *archive) format() []byte {
	var b bytes.Buffer
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.data)
		if f.data != "" && !strings.HasSuffix(f.data, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	const text = "Title: t\n\n-- a --\none\n-- not a marker\n-- b --\n-- c --\ntwo\n"
	a := parseArchive(text)
	if got := string(a.format()); got != text {
		t.Errorf("written back as %q", got)
	}
	if len(a.files) != 3 || a.files[0].data != "one\n-- not a marker\n" || a.comment != "Title: t\n\n" {
		t.Errorf("read as %+v", a)
	}
}
