package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

type driftCmd struct {
	stackArg
	serviceFlags
	Logs bool `help:"Print what handlers write."`
}

// Help is shown by cfnlocal drift --help.
func (driftCmd) Help() string {
	return `Sends READ to the handler of each resource whose type a --type of cfnlocal deploy named, and compares the answer with the template's properties, except writeOnly ones. IN_SYNC matches the template, MODIFIED does not, DELETED does not exist, and NOT_CHECKED could not be read. Secrets are hidden. The exit code is 1 if something is MODIFIED or DELETED. The stack does not change. An update with an unchanged template sends nothing, and so repairs nothing.`
}

// Run compares a stack's resources with the template.
func (c *driftCmd) Run(a *app) error {
	h, name, err := c.find(a)
	if err != nil {
		return err
	}
	all, err := h.Drift(a.ctx, name, local.Settings{Watcher: newPrinter(a, c.Logs), Override: c.values(), Runs: a.announce})
	if errors.Is(err, local.ErrMoving) {
		return &failure{err, "cfnlocal resume " + name, exitRefused}
	}
	if err != nil {
		return a.explain(name, nil, err)
	}
	drifted := false
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for i := range all {
		d := &all[i]
		drifted = drifted || d.Drifted()
		if a.json {
			a.print(map[string]any{"Drift": d})
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", d.LogicalResourceId, d.ResourceType, d.StackResourceDriftStatus, printable.Line(d.PhysicalResourceId), printable.Line(d.Reason))
		for _, p := range d.PropertyDifferences {
			fmt.Fprintf(w, "  %s %s: expected %s, is %s\n", printable.Line(p.PropertyPath), p.DifferenceType, orNothing(p.ExpectedValue), orNothing(p.ActualValue))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if drifted {
		return &failure{errReported, "", exitFailed}
	}
	return nil
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return printable.Line(value)
}
