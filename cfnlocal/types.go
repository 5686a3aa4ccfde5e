package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// typeFlags are the flags about registered types.
type typeFlags struct {
	Type       map[string]string `help:"The program that runs a registered type's handlers, as TYPE=COMMAND, or TYPE=DIRECTORY of a Go program. Without it, resources of the type are stand-ins. An update keeps it." placeholder:"TYPE=COMMAND" mapsep:"none"`
	TypeSchema []string          `help:"A file with a type's schema. By default the function is asked for it, which works if registry.Options has a Schema." placeholder:"FILE" sep:"none"`
}

func (f *typeFlags) registeredTypes() (map[string]record.Type, error) {
	all := map[string]record.Type{}
	for _, name := range slices.Sorted(maps.Keys(f.Type)) {
		if !resourcetype.IsName(name) || strings.HasPrefix(name, "AWS::") {
			return nil, &failure{fmt.Errorf("--type: %.100q is no type that can be registered", name), "write --type Organization::Service::Resource=COMMAND", exitUsage}
		}
		all[name] = record.Type{Command: f.Type[name]}
	}
	for _, file := range f.TypeSchema {
		raw, err := record.ReadFile(file)
		if err != nil {
			return nil, &failure{err, "give the file of a type's schema", exitRefused}
		}
		s, err := schema.Read(raw)
		if err != nil {
			return nil, &failure{fmt.Errorf("%s: %w", file, err), "give the file of a type's schema", exitRefused}
		}
		t, ok := all[s.TypeName]
		if !ok {
			return nil, &failure{errors.New(file + " is the schema of " + s.TypeName + ", which no --type names"), "add --type " + s.TypeName + "=COMMAND", exitUsage}
		}
		if t.File, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		all[s.TypeName] = t
	}
	return all, nil
}

// warnOfUnusedTypes warns of a --type that no resource of the template has.
// Otherwise the resources of a misspelt type would silently be stand-ins.
func (a *app) warnOfUnusedTypes(plan *template.Plan, types map[string]string) {
	for _, r := range plan.Resources {
		if r.Nested != nil {
			return // the resources of a nested stack are not known yet
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !slices.ContainsFunc(plan.Resources, func(r engine.Resource) bool { return r.Type == name }) {
			a.warning("--type " + name + " has no effect: no resource of the template is of that type")
		}
	}
}
