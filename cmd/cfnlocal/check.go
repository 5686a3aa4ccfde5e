package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/cfnresource/sdk-go/internal/cfn/describe"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

type checkCmd struct{ templateFlags }

// Help is shown by cfnlocal check --help.
func (checkCmd) Help() string {
	return `Builds the template's functions and asks each for the schemas of its resource types. Then it reports what does not match in the template, with file, line and column: unknown and missing properties, values of the wrong type, and attributes that do not exist. It warns of each resource that an update would replace.

A function answers if it was created with schema.Describe. Other functions are skipped, as are values that are known only at deployment. Only the functions are started, and only for this question.`
}

// Run checks the template and prints how many resources were checked.
func (c *checkCmd) Run(a *app) error {
	checked, err := c.check(a)
	if err != nil {
		return a.explainCheck(err)
	}
	for _, w := range checked.Replaced {
		a.warning(w.String())
	}
	text := "Nothing was checked: no function behind a custom resource describes itself."
	switch n := checked.Resources; {
	case n > 0 && checked.Unchecked > 0:
		text = fmt.Sprintf("%s are as their functions take them; %d are not checked.", customResources(n), checked.Unchecked)
	case n > 0:
		text = customResources(n) + ": as the functions take them."
	}
	a.tell(text, map[string]any{"Checked": checked.Resources, "Unchecked": checked.Unchecked})
	return nil
}

func customResources(n int) string {
	if n == 1 {
		return "1 custom resource"
	}
	return fmt.Sprintf("%d custom resources", n)
}

// check checks the template, and prints a note for each function that does not
// describe itself. The result is valid even if the error is a *local.CheckError.
func (s *templateFlags) check(a *app) (*local.Checked, error) {
	d, name, err := s.read()
	if err != nil {
		return nil, err
	}
	var h *local.Home
	if _, err := os.Stat(a.dir); err == nil { // a check does not create the directory
		if h, err = a.home(); err != nil {
			return nil, err
		}
	}
	checked, err := h.Check(a.ctx, name, d, engine.Options{Seed: 1}, a.announce)
	if checked != nil {
		for _, text := range checked.Silent {
			a.note(text)
		}
	}
	return checked, err
}

// explainCheck adds to an error of a check what to do next.
func (a *app) explainCheck(err error) error {
	mistakes := template.Errors(nil)
	if found := (*local.CheckError)(nil); errors.As(err, &found) {
		mistakes = found.Errors
	}
	switch {
	case errors.As(err, new(*describe.ConfigurationError)):
		return &failure{err, "correct the program; nothing was started", exitRefused}
	case mistakes != nil || errors.As(err, &mistakes):
		if !a.json {
			return &failure{fmt.Errorf("the template has mistakes:\n%w", mistakes), "correct them; nothing was started", exitRefused}
		}
		for _, m := range mistakes {
			a.print(map[string]any{"Error": m.Text, "File": m.File, "Line": m.Line, "Column": m.Column, "Path": m.Path})
		}
		return &failure{errReported, "", exitRefused}
	}
	return a.explain("", nil, err)
}
