package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

type newCmd struct {
	Example string `arg:"" optional:"" help:"The example to copy."`
	Module  string `help:"The project's module path, such as example.com/me/orders or orders. A directory with the name of the last element is created in the current directory. The default is the example's name." placeholder:"PATH"`
	Type    string `help:"The resource type of the project, such as Custom::Order, in place of the example's." placeholder:"TYPE"`
	SDK     string `name:"sdk" help:"Use the SDK in this checkout instead of the release of this program." placeholder:"DIR"`
	List    bool   `help:"List the examples."`
}

// Help is shown by cfnlocal new --help.
func (newCmd) Help() string {
	return `The project is an example: a working handler, its tests, a template, a Makefile, and a go.mod that requires this version of the SDK. You can test it, deploy it locally and build it for Lambda at once. In the project, run cfnlocal with go tool cfnlocal.

The go command completes go.mod and go.sum. It needs no network for modules that are in the module cache. No file is overwritten, and an error leaves no files behind.`
}

// Run writes the project.
func (c *newCmd) Run(a *app) error {
	if c.List {
		return listExamples(a)
	}
	p, err := c.project()
	if err != nil {
		return err
	}
	if err := p.write(a.ctx); err != nil {
		return err
	}
	steps := []string{"cd " + p.dir, "go test ./...", p.deployment()}
	if workspace := p.workspace(a.ctx); workspace != "" {
		steps[0] += " && go work use ."
		if !a.json {
			fmt.Fprintf(a.err, "warning: %s is within the workspace %s, which does not name it: the first step adds it, or move the project out\n", p.dir, workspace)
		}
	}
	a.tell(p.dir+" is now a project, made from the example "+p.example+". See its README.md.\nNext:\n  "+strings.Join(steps, "\n  "),
		map[string]any{"Directory": p.dir, "Module": p.module, "Next": steps})
	return nil
}

func (c *newCmd) project() (*project, error) {
	usage := func(format string, args ...any) (*project, error) {
		return nil, &failure{fmt.Errorf(format, args...), "cfnlocal new subscription --module orders, or cfnlocal new --list", exitUsage}
	}
	// Check its name.
	module := cmp.Or(c.Module, c.Example)
	if err := checkModule(module); module != "" && err != nil {
		return usage("%q cannot be the name of a project: %w", module, err)
	}
	p := &project{example: c.Example, module: module, dir: directory(module)}

	// Take its files from the example.
	var err error
	if p.files, err = examples.Files(c.Example); err != nil {
		return usage("there is no example %q: choose one of %s", c.Example, strings.Join(examples.Names(), ", "))
	}
	if c.Type != "" {
		own := p.types()
		switch {
		case !resourcetype.IsCustom(c.Type):
			return usage("%q is not a type of a custom resource, such as Custom::Order", c.Type)
		case len(own) > 1:
			return usage("--type is for an example of one type, and %s has %s", c.Example, strings.Join(own, " and "))
		}
		p.formerType, p.typeName = own[0], c.Type
	}

	// Find the SDK that it requires: a release, or a checkout.
	if c.SDK == "" {
		info, _ := debug.ReadBuildInfo() // each program that the go command builds has it
		p.version = releaseOf(info)
	} else if p.sdk, err = checkout(c.SDK); err != nil {
		return nil, &failure{err, "give --sdk the directory of the SDK's go.mod", exitUsage}
	}
	if p.sdk == "" && p.version == "" {
		return nil, &failure{
			errors.New("this cfnlocal is not a release, so the project cannot require its version of the SDK"),
			"add --sdk DIR, the checkout that cfnlocal was built from: go.mod will refer to it", exitRefused,
		}
	}
	return p, nil
}

// checkModule returns an error if a module path is not valid. The go command, which
// completes go.mod, is stricter.
func checkModule(name string) error {
	for element := range strings.SplitSeq(name, "/") {
		switch {
		case element == "":
			return errors.New("it has an empty element")
		case notInModules.MatchString(element):
			return fmt.Errorf("%q has characters besides letters, digits, '-', '_', '.' and '~'", element)
		case strings.ContainsRune(".-~", rune(element[0])), element[len(element)-1] == '.':
			return fmt.Errorf("%q begins with '.', '-' or '~', or ends with '.'", element)
		}
	}
	return nil
}

var notInModules = regexp.MustCompile(`[^A-Za-z0-9_~.-]`)

// directory returns the last element of a module path, without the major version.
func directory(module string) string {
	last := path.Base(module)
	if rest, ok := strings.CutPrefix(last, "v"); ok && rest != "" && strings.Trim(rest, "0123456789") == "" && strings.Contains(module, "/") {
		return path.Base(path.Dir(module))
	}
	return last
}

func checkout(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+sdkModule+"\n") {
		return "", fmt.Errorf("%s is not a checkout of the SDK: it has no go.mod with module %s", dir, sdkModule)
	}
	return dir, nil
}

func exampleDescription(name string) string {
	files, err := examples.Files(name)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if f.Name == "template.yaml" {
			_, rest, _ := strings.Cut(f.Text, `Description: "`+name+": ")
			text, _, _ := strings.Cut(rest, "\"\n")
			return text
		}
	}
	return ""
}

func listExamples(a *app) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, name := range examples.Names() {
		if a.json {
			a.print(map[string]any{"Example": name, "Description": exampleDescription(name)})
		} else {
			fmt.Fprintf(table, "%s\t%s\n", name, exampleDescription(name))
		}
	}
	return table.Flush()
}
