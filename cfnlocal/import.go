package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

type importCmd struct {
	deploymentFlags
	ID map[string]string `name:"id" help:"An existing resource and its primary identifier, as RESOURCE=ID, with | between the parts of an identifier." placeholder:"RESOURCE=ID" mapsep:"none" required:""`
}

// Help is shown by cfnlocal import --help.
func (importCmd) Help() string {
	return `The template has the stack's resources, unchanged, and the resources to import, each with a DeletionPolicy. The handlers read them first. The import is refused, before anything starts, if a resource does not exist, belongs to another stack, or has a type without a read handler. CloudFormation does not compare an imported resource with the template. It calls the update handler with the template's properties. If that fails, the resource is released again.`
}

// Run imports the resources.
func (c *importCmd) Run(a *app) error {
	for id, of := range c.ID {
		if of == "" {
			return &failure{errors.New("--id " + id + " has no identifier"), "write --id " + id + "=ID", exitUsage}
		}
	}
	return c.run(a, false, local.Change{}, func(h *local.Home, ctx context.Context, name string, d *record.Deployment, change local.Change, s local.Settings) (*engine.Stack, error) {
		return h.Import(ctx, name, d, c.ID, change, s)
	})
}
