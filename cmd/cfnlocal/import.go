package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
)

type importCmd struct {
	operationFlags
	templateFlags
	typeFlags
	runFlags
	ID map[string]string `name:"id" help:"An existing resource and its primary identifier, as RESOURCE=ID, with | between the parts of an identifier." placeholder:"RESOURCE=ID" mapsep:"none" required:""`
}

// Help is shown by cfnlocal import --help.
func (importCmd) Help() string {
	return `The template has the stack's resources, unchanged, and the resources to import, each with a DeletionPolicy. The handlers read them first. The import is refused, before anything starts, if a resource does not exist, belongs to another stack, or has a type without a read handler. CloudFormation does not compare an imported resource with the template. It calls the update handler with the template's properties. If that fails, the resource is released again.`
}

// Run imports the resources.
func (c *importCmd) Run(a *app) error {
	d, name, err := c.read()
	if err != nil {
		return err
	}
	if d.Types, err = c.registeredTypes(); err != nil {
		return err
	}
	for id, of := range c.ID {
		if of == "" {
			return &failure{errors.New("--id " + id + " has no identifier"), "write --id " + id + "=ID", exitUsage}
		}
	}
	d.Ready = c.Ready
	if c.Service != nil {
		d.Service = *c.Service
	}
	override := record.Override{Service: c.Service, Ready: c.Ready} // for resuming an interrupted operation
	return a.runOperation(name, c.operationFlags, override, func(ctx context.Context, h *local.Home, s local.Settings) (*engine.Stack, error) {
		return h.Import(ctx, name, d, c.ID, local.Change{Inherit: true, InheritService: c.Service == nil, Planned: a.warnOfPlan(d, c.templateFlags, c.typeFlags, false)}, s)
	})
}
