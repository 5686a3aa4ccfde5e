package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
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
		return &failure{errors.New("--out and --markdown are two answers"), "leave one of them out", exitUsage}
	}
	checked, err := c.check(a)
	if err != nil && !errors.As(err, new(*local.CheckError)) { // the types are known even if the template has mistakes
		return a.explainCheck(err)
	}
	if len(checked.Types) == 0 {
		return &failure{errors.New("no function behind a custom resource describes itself"), "pass schema.Describe to cfnresource.New or NewDispatcher", exitRefused}
	}

	// Each type by itself, in its order.
	written := map[string]string{} // types, by file
	for i, t := range checked.Types {
		if c.Markdown {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprint(a.out, t.Markdown())
			continue
		}

		// One schema, to stdout or to a file of its own.
		text, err := t.JSON()
		if err != nil {
			return err
		}
		for _, refusal := range schema.Refusals(text) {
			a.warning("the registry would refuse the schema of " + t.Schema.TypeName + ": " + refusal)
		}
		if c.Out == "" {
			if _, err := a.out.Write(printable.JSON(text)); err != nil {
				return err
			}
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
