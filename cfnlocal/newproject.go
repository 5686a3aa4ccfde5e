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
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/examples"
)

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
