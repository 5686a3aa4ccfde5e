package main

import (
	"fmt"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/skeleton"
	"github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// serviceIDs is the value of --id where the service chooses the IDs.
const serviceIDs = "service"

func (c *newCmd) skeleton(p *project) error {
	if c.Type != "" && !resourcetype.IsCustom(c.Type) {
		return &failure{fmt.Errorf("%q is no type of a custom resource", c.Type), "cfnlocal new orders --type Custom::Order", exitUsage}
	}
	s := skeleton.Empty(c.Type)
	p.origin = "the type " + c.Type
	if c.Schema != "" {
		raw, err := record.ReadFile(c.Schema)
		if err != nil {
			return &failure{fmt.Errorf("the schema cannot be read: %w", err), "give a file as cfnlocal schema writes it", exitRefused}
		}
		if s, err = schema.Read(raw); err != nil {
			return &failure{fmt.Errorf("%s: %w", c.Schema, err), "give a file as cfnlocal schema writes it", exitRefused}
		}
		p.origin = "the schema " + c.Schema
		if c.Type != "" {
			s.TypeName = c.Type
		}
	}
	generated, err := skeleton.New(s, skeleton.Options{ServiceIDs: c.ID == serviceIDs})
	if err != nil {
		return &failure{fmt.Errorf("no project can be made of it: %w", err), "correct the schema", exitRefused}
	}
	if p.files, err = examples.Base(); err != nil {
		return err
	}
	p.notes = generated.Notes
	for _, f := range generated.Files {
		p.files = append(p.files, examples.File{Name: f.Name, Text: f.Text})
	}
	return nil
}
