package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/typepackage"
)

type packageCmd struct {
	Program    string `arg:"" placeholder:"DIRECTORY" help:"The directory of the type's Go program."`
	Out        string `help:"The file to write." placeholder:"FILE.zip" required:""`
	TypeSchema string `help:"A file with the type's schema. By default the program is asked for it, which works if registry.Options has a Schema." placeholder:"FILE"`
}

// Help is shown by cfnlocal package --help.
func (packageCmd) Help() string {
	return `Builds the program for Linux on x86_64, and packs it with its schema for RegisterType and AWS::CloudFormation::ResourceVersion. The package includes inputs/*.json and overrides.json, which the registry's contract tests read. The same sources, modules and version of Go give the same bytes. Nothing is sent. Put the file into a bucket, and register it with

  aws cloudformation register-type --type RESOURCE --type-name TYPE --schema-handler-package s3://BUCKET/FILE.zip --execution-role-arn ROLE`
}

// Run writes the package.
func (c *packageCmd) Run(a *app) error {
	a.announce([]record.Run{{What: "the type's program", Source: c.Program}})
	p, err := typepackage.New(a.ctx, c.Program, c.TypeSchema)
	switch {
	case errors.As(err, new(*host.BuildError)):
		return &failure{err, "correct the program", exitRefused}
	case err != nil:
		return &failure{err, "correct the type's schema", exitRefused}
	case len(p.Refused) > 0:
		for _, refusal := range p.Refused {
			a.warning("the registry would refuse the schema of " + p.TypeName + ": " + refusal)
		}
		return &failure{errors.New("there is no package of what the registry would refuse"), "correct the type's schema", exitRefused}
	}
	if err := os.WriteFile(c.Out, p.Zip, 0o666); err != nil { //nolint:gosec // by the umask: there is no secret in it
		return &failure{err, "choose another file", exitRefused}
	}
	a.tell(fmt.Sprintf("%s: %s, %d bytes", c.Out, p.TypeName, len(p.Zip)), map[string]any{"Type": p.TypeName, "File": c.Out, "Bytes": len(p.Zip)})
	return nil
}
