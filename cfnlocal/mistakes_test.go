package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// However many and long the mistakes of a template are, a program is told the first, cut to a
// line's length, and how many more there are.
func TestMistakesAreBounded(t *testing.T) {
	var all template.Errors
	for range maxMistakes + 300 {
		all = append(all, &template.Error{Path: strings.Repeat("p", 100_000), Text: strings.Repeat("é", 100_000)})
	}
	var out bytes.Buffer
	a := &app{streams: streams{out: &out}, json: true}
	if code := a.report(a.explainCheck(all)); code != exitRefused {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != maxMistakes+1 || lines[maxMistakes] != `{"More":300}` || out.Len() > maxMistakes*10_000 {
		t.Errorf("%d lines of %d bytes in all, the last %.100s", len(lines), out.Len(), lines[len(lines)-1])
	}
}
