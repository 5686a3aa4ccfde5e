// Package copy does what users do who begin with this project: it copies each
// example, which is a project with the same parts, runs the commands of the
// READMEs and of the getting-started page, and begins a project from a release.
package copy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	sdk  = "github.com/cfnresource/sdk-go"
	root = "../../.." // the checkout, from this directory
)

// examples returns the directories of the examples.
func examples(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		template := filepath.Join(root, "examples", e.Name(), "template.yaml")
		if _, err := os.Stat(template); err == nil { // that of cdk is synthesized, and .ci/run cdk tests it
			names = append(names, e.Name())
		}
	}
	if len(names) < 3 {
		t.Fatalf("the examples are %v", names)
	}
	return names
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A document is what a Markdown file has of titles and code.
type document struct {
	title    string
	intro    string // between the title and the first section
	sections []string
	code     []code
}

// Code is a fence, or an indented block, whose language is "".
type code struct {
	section, language, text string
}

func parse(text string) document {
	var d document
	var section string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "```"):
			block := code{section: section, language: strings.TrimPrefix(line, "```")}
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				block.text += lines[i] + "\n"
			}
			d.code = append(d.code, block)
		case strings.HasPrefix(line, "    ") && i > 0 && lines[i-1] == "":
			block := code{section: section}
			for ; i < len(lines) && strings.HasPrefix(lines[i], "    "); i++ {
				block.text += strings.TrimPrefix(lines[i], "    ") + "\n"
			}
			i--
			d.code = append(d.code, block)
		case strings.HasPrefix(line, "# "):
			d.title = strings.TrimPrefix(line, "# ")
		case strings.HasPrefix(line, "## "):
			section = strings.TrimPrefix(line, "## ")
			d.sections = append(d.sections, section)
		case section == "":
			d.intro += line + "\n"
		}
	}
	return d
}

// commands returns the shell commands of the sections that are wanted, a command
// with its continuation lines each.
func (d document) commands(wanted func(section string) bool) []string {
	var commands []string
	for _, c := range d.code {
		if !wanted(c.section) || c.language != "sh" {
			continue
		}
		for command := range strings.SplitSeq(strings.ReplaceAll(c.text, "\\\n", "\\\x00"), "\n") {
			command = strings.ReplaceAll(command, "\x00", "\n")
			if trimmed := strings.TrimSpace(command); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

func TestCommandsOfADocument(t *testing.T) {
	d := parse("# title\n\nIntro.\n\n    block\n\n## One\n\n```sh\n# a comment\n\nfirst \\\n    --more\nsecond # why\n```\n\n```yaml\n## Not: a title\n```\n\n## Two\n\n```sh\nthird\n```\n")
	got := d.commands(func(section string) bool { return section == "One" })
	if want := []string{"first \\\n    --more", "second # why"}; !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
	if want := []string{"One", "Two"}; d.title != "title" || !slices.Equal(d.sections, want) || !strings.Contains(d.intro, "Intro.") {
		t.Errorf("%+v", d)
	}
	if want := (code{text: "block\n"}); d.code[0] != want {
		t.Errorf("the indented block is %+v", d.code[0])
	}
}
