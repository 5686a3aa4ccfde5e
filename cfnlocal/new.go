package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

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
	if c.Example == "" {
		return usage("give the example to copy: one of %s", strings.Join(examples.Names(), ", "))
	}
	// Check its name.
	module := cmp.Or(c.Module, c.Example)
	if err := checkModule(module); err != nil {
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
	// A major version is the end of a path, and no name: example.com/shop/v2 is the module shop.
	number, ok := strings.CutPrefix(last, "v")
	isVersion := ok && number != "" && strings.Trim(number, "0123456789") == ""
	if isVersion && strings.Contains(module, "/") {
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

const (
	sdkModule       = "github.com/cfnresource/sdk-go"
	cfnlocalPackage = sdkModule + "/cfnlocal" // a module of its own
)

// A project is a project that cfnlocal new writes.
type project struct {
	example string
	files   []examples.File
	module  string
	dir     string
	version string // of the SDK, or "" if sdk is set
	sdk     string // the checkout to use, or ""

	formerType, typeName string // the example's type and its own, or ""
}

// write writes the project to a temporary directory, and renames that when it is complete.
func (p *project) write(ctx context.Context) (err error) {
	if err := p.vacant(); err != nil {
		return &failure{err, "choose another name, or go to another directory", exitRefused}
	}
	scratch, err := os.MkdirTemp(".", ".cfnlocal-new-")
	if err != nil {
		return &failure{err, "go to a directory that you may write to", exitRefused}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	dir := filepath.Join(scratch, p.dir)
	for _, f := range p.files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil { //nolint:gosec // the project is the user's, by the umask
			return err
		}
		if err := os.WriteFile(name, []byte(p.rewrite(f)), 0o666); err != nil { //nolint:gosec // as above
			return err
		}
	}
	if err := p.tidy(ctx, dir); err != nil {
		return err
	}
	if err := os.Remove(p.dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is empty
		return &failure{err, "choose another name, or go to another directory", exitRefused}
	}
	return os.Rename(dir, p.dir)
}

// vacant returns an error if the project's directory exists and is not empty, or is a file or link.
func (p *project) vacant() error {
	info, err := os.Lstat(p.dir) // a symbolic link is not overwritten either
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return fmt.Errorf("the file or link %s exists already, and is not overwritten", p.dir)
	}
	entries, err := os.ReadDir(p.dir)
	if len(entries) > 0 {
		return fmt.Errorf("the directory %s is not empty, and is not overwritten", p.dir)
	}
	return err
}

// tidy runs go mod tidy, which completes go.mod and go.sum and checks the project's imports.
func (p *project) tidy(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.WaitDelay = 5 * time.Second
	output, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return &failure{context.Cause(ctx), "cfnlocal new again: nothing was written", exitRefused}
	case errors.Is(err, exec.ErrNotFound):
		return &failure{errors.New("there is no go command in PATH"), "install Go from https://go.dev/dl", exitRefused}
	case err != nil:
		return &failure{
			fmt.Errorf("the go command cannot complete the project's go.mod: %w\n%s", err, bytes.TrimSpace(output)),
			"correct what it reports; nothing was written", exitRefused,
		}
	}
	return nil
}

func (p *project) workspace(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "go", "env", "GOWORK")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if found := strings.TrimSpace(string(out)); err == nil && found != "off" {
		return found
	}
	return ""
}

// types returns the types of custom resources in the example's template, sorted.
func (p *project) types() []string {
	i := slices.IndexFunc(p.files, func(f examples.File) bool { return f.Name == "template.yaml" })
	all := customType.FindAllString(p.files[i].Text, -1) // an example is what has a template
	slices.Sort(all)
	return slices.Compact(all)
}

var customType = regexp.MustCompile(`\bCustom::[\w@-]+`)

func (p *project) rewrite(f examples.File) string {
	text := f.Text
	if p.typeName != "" {
		text = customType.ReplaceAllStringFunc(text, func(name string) string {
			if name == p.formerType {
				return p.typeName
			}
			return name
		})
	}
	switch {
	case f.Name == "go.mod":
		return p.goMod(text)
	case f.Name == "README.md":
		return p.readme(text)
	case f.Name == "template.yaml":
		return strings.Replace(text, `Description: "`+p.example+": ", `Description: "`+p.dir+": ", 1)
	case strings.HasSuffix(f.Name, ".go"):
		text = strings.ReplaceAll(text, `"`+sdkModule+"/examples/"+p.example+"/", `"`+p.module+"/")
		if sorted, err := format.Source([]byte(text)); err == nil { // another module path changes the order of the imports
			return string(sorted)
		}
	}
	return text
}

var (
	// sdkVersions matches the requirements of the SDK and its other modules, which have
	// its version.
	sdkVersions = regexp.MustCompile(`(?m)^(\t` + regexp.QuoteMeta(sdkModule) + `(?:/\S+)?) v0\.0\.0$`)
	// sdkReplacements matches where an example finds them: in the checkout above it.
	sdkReplacements = regexp.MustCompile(`(?m)^\n(replace ` + regexp.QuoteMeta(sdkModule) + `(/\S+)? => ).*\n`)
)

func (p *project) goMod(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	sdk := "\t" + sdkModule + " v0.0.0\n"
	text = strings.Replace(text, sdk, sdk+"\t"+cfnlocalPackage+" v0.0.0\n", 1) + "\nreplace " + cfnlocalPackage + " => ../../cfnlocal\n"
	var replacements strings.Builder
	if p.sdk != "" {
		for _, found := range sdkReplacements.FindAllStringSubmatch(text, -1) {
			fmt.Fprintf(&replacements, "\n%s%q\n", found[1], filepath.Join(p.sdk, filepath.FromSlash(found[2])))
		}
	}
	text = sdkReplacements.ReplaceAllString(text, "")
	text = sdkVersions.ReplaceAllString(text, "${1} "+cmp.Or(p.version, "v0.0.0"))
	return "module " + p.module + "\n" + text + "\ntool " + cfnlocalPackage + "\n" + replacements.String()
}

var copySection = regexp.MustCompile(`(?s)\n## Copy it\n.*?(\n## |$)`)

func (p *project) readme(text string) string {
	text = copySection.ReplaceAllString(text, "$1")
	text = strings.Replace(text, "# "+p.example+"\n", "# "+p.dir+"\n", 1)
	text = strings.ReplaceAll(text, "go run "+cfnlocalPackage, "go tool cfnlocal")
	stack := regexp.MustCompile(`(--stack-name|--stack|cfnlocal [a-z-]+) ` + p.example + `\b`)
	return stack.ReplaceAllString(text, "${1} "+stackNameOf(filepath.Join(p.dir, "template.yaml")))
}

var deployCommand = regexp.MustCompile(`(?m)^go tool cfnlocal deploy (?:.*\\\n)*.*$`)

// deployment returns the README's first cfnlocal deploy command.
func (p *project) deployment() string {
	for _, f := range p.files {
		if f.Name != "README.md" {
			continue
		}
		if found := deployCommand.FindString(p.rewrite(f)); found != "" {
			return regexp.MustCompile(`\\\n\s*`).ReplaceAllString(found, "")
		}
	}
	return `go tool cfnlocal deploy template.yaml    # with what README.md says in "Run it locally"`
}

// releaseOf returns the release in a program's build information. In a checkout the go command
// records no version, or an unpublished one with version control settings.
func releaseOf(info *debug.BuildInfo) string {
	if info.Main.Path != cfnlocalPackage || info.Main.Replace != nil || info.Main.Version == "(devel)" {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs" {
			return ""
		}
	}
	return info.Main.Version
}
