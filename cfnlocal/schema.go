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
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
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
