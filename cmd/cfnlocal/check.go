package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cfnresource/sdk-go/internal/cfn/describe"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
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
		return err
	}
	for _, w := range checked.Replaced {
		a.warning(w.String())
	}
	if a.json {
		a.print(map[string]any{"Checked": checked.Resources, "Unchecked": checked.Unchecked})
		return nil
	}
	switch n := checked.Resources; {
	case n == 0:
		fmt.Fprintln(a.out, "Nothing was checked: no function behind a custom resource describes itself.")
	case checked.Unchecked > 0:
		fmt.Fprintf(a.out, "%s are as their functions take them; %d are not checked.\n", customResources(n), checked.Unchecked)
	default:
		fmt.Fprintf(a.out, "%s: as the functions take them.\n", customResources(n))
	}
	return nil
}

func customResources(n int) string {
	if n == 1 {
		return "1 custom resource"
	}
	return fmt.Sprintf("%d custom resources", n)
}

// check checks the template. Its errors say what to do next.
func (s *templateFlags) check(a *app) (*local.Checked, error) {
	checked, err := s.runCheck(a)
	if err != nil {
		return nil, a.explainCheck(err)
	}
	return checked, nil
}

// runCheck checks the template, and prints a note for each function that does not
// describe itself. The result is valid even if the error is a *local.CheckError.
func (s *templateFlags) runCheck(a *app) (*local.Checked, error) {
	d, name, err := s.read()
	if err != nil {
		return nil, err
	}
	var h *local.Home
	if _, err := os.Stat(a.dir); err == nil { // a check does not create the directory
		if h, err = a.home(); err != nil {
			return nil, err
		}
		defer func() { _ = h.Close() }()
	}
	checked, err := h.Check(a.ctx, name, d, engine.Options{Seed: 1})
	if checked != nil {
		for _, text := range checked.Silent {
			a.note(text)
		}
	}
	return checked, err
}

// note prints a note to stderr, or to stdout as JSON.
func (a *app) note(text string) {
	if a.json {
		a.print(map[string]any{"Note": text})
		return
	}
	a.printError("note: " + text)
}

// explainCheck adds to an error of a check what to do next.
func (a *app) explainCheck(err error) error {
	var build *local.BuildError
	var unbuilt *host.BuildError
	mistakes := template.Errors(nil)
	if found := (*local.CheckError)(nil); errors.As(err, &found) {
		mistakes = found.Errors
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &failure{errors.New("interrupted"), "the same command again", exitInterrupted}
	case errors.As(err, &unbuilt) && unbuilt.Offline:
		return &failure{err, offline, exitRefused}
	case errors.As(err, &build):
		return &failure{err, "correct the program; nothing else was looked at", exitRefused}
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
	return err
}
