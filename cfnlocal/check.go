package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

type checkCmd struct {
	templateFlags
}

// Help is shown by cfnlocal check --help.
func (checkCmd) Help() string {
	return `Builds the template's functions and asks each for the schemas of its resource types. Then it reports each mismatch in the template, with file, line and column: unknown and missing properties, values of the wrong type, and attributes that do not exist. It warns of each resource that an update would replace.

A function answers if it was created with schema.Describe. Its program is the Go program in its CodeUri, the command of --function, the program that another stack in --dir has built, or the bootstrap in a CDK asset that is built for this machine. Other functions are skipped, as are values that are known only at deployment. The check starts only the functions, and only to ask for their schemas. The rest of the template is checked as deploy does, with the same warnings.`
}

// Run checks the template and prints how many resources were checked.
func (c *checkCmd) Run(a *app) error {
	checked, err := c.check(a)
	if err != nil {
		return a.explainCheck(err)
	}
	a.warnOfReplacements(checked)
	if a.json {
		a.print(map[string]any{"Checked": checked.Resources, "Unchecked": checked.Unchecked})
	}
	if !a.json {
		fmt.Fprintln(a.out, describeChecked(checked))
	}
	return nil
}

// describeChecked says what was checked, and what was not.
func describeChecked(c *local.Checked) string {
	const asCloudFormation = "The template has no mistake that CloudFormation would refuse, as far as that is known before a deployment"
	switch {
	case c.Resources == 0 && c.Unchecked == 0:
		return asCloudFormation + ". It has no custom resource."
	case c.Resources == 0:
		text := asCloudFormation + ". What its custom resources take is not checked: no function behind them describes itself."
		var flags []string
		for _, id := range c.Unbuilt {
			flags = append(flags, template.Flag("--function", id, "COMMAND"))
		}
		if len(flags) > 0 {
			text += "\nTo ask the programs that are not built here, add these lines to the command, and replace COMMAND" + lines(flags)
		}
		return text
	case c.Unchecked > 0:
		return fmt.Sprintf("%s; %d not checked.", matching(c.Resources), c.Unchecked)
	}
	return matching(c.Resources) + "."
}

func matching(n int) string {
	if n == 1 {
		return "1 custom resource matches the schema of its function"
	}
	return fmt.Sprintf("%d custom resources match the schemas of their functions", n)
}

// check checks the template, and prints a note for each function that does not
// describe itself. The result is valid even if the error is a *local.CheckError.
func (f *templateFlags) check(a *app) (*local.Checked, error) {
	d, name, err := f.read()
	if err != nil {
		return nil, err
	}
	var h *local.Home
	if _, err := os.Stat(a.dir); err == nil { // a check does not create the directory
		if h, err = a.home(); err != nil {
			return nil, err
		}
	}
	checked, err := h.Check(a.ctx, name, d, f.options(1), guard{a, h})
	if checked != nil {
		for _, text := range checked.Warnings {
			a.warning(text)
		}
		for _, text := range checked.Silent {
			a.note(text)
		}
	}
	return checked, err
}

// maxMistakes is how many mistakes are printed with --json.
const maxMistakes = 200

// explainCheck adds to an error of a check what to do next.
func (a *app) explainCheck(err error) error {
	mistakes := template.Errors(nil)
	if found := (*local.CheckError)(nil); errors.As(err, &found) {
		mistakes = found.Errors
	}
	switch {
	case errors.As(err, new(*local.ConfigurationError)):
		return &failure{err, "correct the program; nothing was started", exitRefused}
	case mistakes != nil || errors.As(err, &mistakes):
		if !a.json {
			return &failure{fmt.Errorf("the template has mistakes:\n%w", mistakes), "correct them; nothing was started", exitRefused}
		}
		first, more := mistakes.First(maxMistakes)
		for _, m := range first {
			a.print(map[string]any{"Error": m.Text, "File": m.File, "Line": m.Line, "Column": m.Column, "Path": m.Path})
		}
		if more > 0 {
			a.print(map[string]any{"More": more})
		}
		return &failure{errReported, "", exitRefused}
	}
	return a.explain("", nil, err)
}
