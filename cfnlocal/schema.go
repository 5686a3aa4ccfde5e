package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

type schemaCmd struct {
	templateFlags
	Out      string `help:"Write one file for each resource type to this directory. Existing files of these types are replaced." placeholder:"DIR"`
	Markdown bool   `help:"Print tables of properties and attributes, for a README, instead of schemas."`
}

// Help is shown by cfnlocal schema --help.
func (schemaCmd) Help() string {
	return `Builds the template's functions, and asks each for the schemas of the resource types that the template uses. They have the form of CloudFormation's registry, which linters and editors read. A function answers if it was created with schema.Describe.`
}

// Run writes schemas, or tables.
func (c *schemaCmd) Run(a *app) error {
	if c.Out != "" && c.Markdown {
		return &failure{errors.New("--out and --markdown cannot be combined"), "leave one of them out", exitUsage}
	}

	// Ask the functions.
	checked, err := c.check(a)
	if err != nil && !errors.As(err, new(*local.CheckError)) { // the types are known even if the template has mistakes
		return a.explainCheck(err)
	}
	if len(checked.Types) == 0 {
		return &failure{errors.New("no function behind a custom resource describes itself"), "pass schema.Describe to cfnresource.New or NewDispatcher", exitRefused}
	}

	// Print or write each type.
	written := map[string]string{} // types, by file
	for i, t := range checked.Types {
		if c.Markdown {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprint(a.out, t.Markdown())
			continue
		}

		// A schema goes to stdout, or to a file of its own.
		text, err := t.JSON()
		if err != nil {
			return err
		}
		for _, refusal := range schema.Refusals(text) {
			a.warning("the registry would refuse the schema of " + t.Schema.TypeName + ": " + refusal)
		}
		if c.Out == "" {
			_, _ = a.out.Write(printable.JSON(text))
			continue
		}
		file := filepath.Join(c.Out, schemaFileName(t.Schema.TypeName))
		if other := written[file]; other != "" {
			return &failure{fmt.Errorf("%s and %s would both be written to %s", other, t.Schema.TypeName, file), "rename one of the two", exitRefused}
		}
		written[file] = t.Schema.TypeName
		if err := writeFile(file, text); err != nil {
			return &failure{err, "choose another directory", exitRefused}
		}
		a.tell(file, map[string]any{"Type": t.Schema.TypeName, "File": file})
	}
	return nil
}

// schemaFileName names a type's file as the CloudFormation CLI does.
func schemaFileName(typeName string) string {
	return strings.ToLower(strings.ReplaceAll(typeName, "::", "-")) + ".json"
}

// writeFile writes a file, and nothing outside of its directory.
func writeFile(file string, text json.RawMessage) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // by the umask: there is no secret in it
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(root.WriteFile(filepath.Base(file), text, 0o666), root.Close())
}

type packageCmd struct {
	Program    string `arg:"" placeholder:"DIRECTORY" help:"The directory of the type's Go program."`
	Out        string `help:"The file to write." placeholder:"FILE.zip" required:""`
	TypeSchema string `help:"A file with the type's schema. By default, cfnlocal asks the program, which answers if registry.Options has a Schema." placeholder:"FILE"`
}

// Help is shown by cfnlocal package --help.
func (packageCmd) Help() string {
	return `Builds the program for Linux on x86_64, and packs it with its schema for RegisterType and AWS::CloudFormation::ResourceVersion. The package includes inputs/*.json and overrides.json, which the registry's contract tests read. The same sources, modules and version of Go give the same bytes. Nothing is sent. Put the file into a bucket, and register it with

  aws cloudformation register-type --type RESOURCE --type-name TYPE --schema-handler-package s3://BUCKET/FILE.zip --execution-role-arn ROLE`
}

// Run writes the package.
func (c *packageCmd) Run(a *app) error {
	a.announce([]record.Run{{What: "the type's program", Source: c.Program}})
	p, err := local.NewPackage(a.ctx, c.Program, c.TypeSchema)
	switch {
	case errors.As(err, new(*host.BuildError)):
		return &failure{err, "correct the program", exitRefused}
	case errors.As(err, new(*local.InputError)):
		return &failure{err, "correct the file, which the registry's contract tests read", exitRefused}
	case err != nil:
		return &failure{err, "correct the type's schema", exitRefused}
	case len(p.Refused) > 0:
		for _, refusal := range p.Refused {
			a.warning("the registry would refuse the schema of " + p.TypeName + ": " + refusal)
		}
		return &failure{errors.New("nothing was packaged: the registry would refuse the schema"), "correct the type's schema", exitRefused}
	}
	if err := os.WriteFile(c.Out, p.Zip, 0o666); err != nil { //nolint:gosec // by the umask: there is no secret in it
		return &failure{err, "choose another file", exitRefused}
	}
	a.tell(fmt.Sprintf("%s: %s, %d bytes", c.Out, p.TypeName, len(p.Zip)), map[string]any{"Type": p.TypeName, "File": c.Out, "Bytes": len(p.Zip)})
	return nil
}
