package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/cfnresource/sdk-go/examples"
)

// exampleDescription returns the description in an example's template.
func exampleDescription(name string) string {
	files, err := examples.Files(name)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if f.Name == "template.yaml" {
			_, rest, _ := strings.Cut(f.Text, `Description: "`+name+": ")
			text, _, _ := strings.Cut(rest, "\"\n")
			return text
		}
	}
	return ""
}

func listExamples(a *app) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, name := range examples.Names() {
		if a.json {
			a.print(map[string]any{"Example": name, "Description": exampleDescription(name)})
		} else {
			fmt.Fprintf(table, "%s\t%s\n", name, exampleDescription(name))
		}
	}
	return table.Flush()
}
