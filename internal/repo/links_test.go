package repo

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	anchored = regexp.MustCompile(`\]\(([^)#:\s]*)#([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	linked   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// Each link to a file of the repository leads to an existing file.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, d := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(d.text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(root, path.Dir(d.path), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", d.path, m[1])
			}
		}
	}
	if links == 0 {
		t.Error("no links were found: is the pattern right?")
	}
}

// Each link to a heading leads to an existing heading.
func TestAnchorsLeadToHeadings(t *testing.T) {
	anchors := make(map[string]map[string]bool)
	for _, d := range documents(t) {
		anchors[d.path] = anchorsOf(d.text)
	}
	links := 0
	for _, d := range documents(t) {
		for _, m := range anchored.FindAllStringSubmatch(withoutCode(d.text), -1) {
			target := d.path
			if m[1] != "" {
				target = path.Join(path.Dir(d.path), m[1])
			}
			if links++; path.Ext(target) == ".md" && !anchors[target][m[2]] {
				t.Errorf("%s: %s has no heading #%s", d.path, target, m[2])
			}
		}
	}
	if links == 0 {
		t.Error("no links were found: is the pattern right?")
	}
}

// anchorsOf returns the anchors that GitHub makes of a document's headings.
func anchorsOf(text string) map[string]bool {
	anchors := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(withoutCode(text), -1) {
		name := anchor(linked.ReplaceAllString(m[1], "$1"))
		for n := 1; anchors[name]; n++ {
			name = fmt.Sprintf("%s-%d", anchor(m[1]), n)
		}
		anchors[name] = true
	}
	return anchors
}

func anchor(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, text)
}
