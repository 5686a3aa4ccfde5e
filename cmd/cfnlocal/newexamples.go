package main

import (
	"embed"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/rogpeppe/go-internal/txtar" //nolint:depguard // cfnlocal is not linked into functions
)

// projects has an archive of each example, and a go.sum for all of them. go:embed
// cannot embed the examples, which are modules of their own. A test writes and
// compares the archives.
//
//go:embed projects
var projects embed.FS

// A file is a file of an example or a project.
type file struct {
	name string // slash-separated
	text string
}

// filesOf returns the files of an example, with a go.mod and a go.sum.
func exampleFiles(name string) ([]file, error) {
	raw, err := projects.ReadFile("projects/" + name + ".txtar")
	if err != nil {
		return nil, err
	}
	sums, err := projects.ReadFile("projects/go.sum")
	if err != nil {
		return nil, err
	}
	files := []file{{"go.sum", string(sums)}}
	for _, f := range txtar.Parse(raw).Files {
		files = append(files, file{f.Name, string(f.Data)})
	}
	return files, nil
}

func exampleNames() (names []string) {
	entries, err := projects.ReadDir("projects")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".txtar"); ok {
			names = append(names, name)
		}
	}
	return names
}

// exampleDescription returns the description in an example's template.
func exampleDescription(name string) string {
	files, err := exampleFiles(name)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if f.name == "template.yaml" {
			_, rest, _ := strings.Cut(f.text, `Description: "`+name+": ")
			text, _, _ := strings.Cut(rest, "\"\n")
			return text
		}
	}
	return ""
}

func listExamples(a *app) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, name := range exampleNames() {
		if a.json {
			a.print(map[string]any{"Example": name, "Description": exampleDescription(name)})
		} else {
			fmt.Fprintf(table, "%s\t%s\n", name, exampleDescription(name))
		}
	}
	return table.Flush()
}
