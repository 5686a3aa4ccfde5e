package main

import (
	"bytes"
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
	"strconv"
	"strings"
	"time"
)

const (
	sdkModule = "github.com/cfnresource/sdk-go"
	ownPath   = sdkModule + "/cmd/cfnlocal"
)

// A project is one to be written.
type project struct {
	origin  string // in words
	notes   []string
	example string // or ""
	files   []file
	module  string
	dir     string
	version string // of the SDK, or "" if sdk is set
	sdk     string // a checkout, or ""
}

// write writes the project beside its directory, and moves it there when it is
// complete.
func (p *project) write(ctx context.Context) (err error) {
	info, err := os.Lstat(p.dir) // a link is something, wherever it leads
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &failure{err, "choose another name, or go to another directory", exitRefused}
	} else if err == nil && !info.IsDir() {
		return &failure{fmt.Errorf("there is a file or a link %s already, and nothing is overwritten", p.dir), "choose another name, or go to another directory", exitRefused}
	}
	if entries, err := os.ReadDir(p.dir); err == nil && len(entries) > 0 {
		return &failure{fmt.Errorf("there is something in the directory %s already, and nothing is overwritten", p.dir), "choose another name, or go to another directory", exitRefused}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &failure{err, "choose another name, or go to another directory", exitRefused}
	}
	scratch, err := os.MkdirTemp(".", ".cfnlocal-new-")
	if err != nil {
		return &failure{err, "go to a directory that you may write to", exitRefused}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	dir := filepath.Join(scratch, p.dir)
	for _, f := range p.files {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
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

// tidy has the go command complete go.mod and go.sum, and checks by it that the
// project can be loaded.
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
		return &failure{errors.New("there is no go command in PATH"), "install Go, https://go.dev/dl", exitRefused}
	case err != nil:
		return &failure{
			fmt.Errorf("the go command cannot complete the project's go.mod: %w\n%s", err, bytes.TrimSpace(output)),
			"see what it says; nothing was written", exitRefused,
		}
	}
	return nil
}

// workspace returns the go.work that the project's directory is subject to, or "".
func (p *project) workspace(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "go", "env", "GOWORK")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if found := strings.TrimSpace(string(out)); err == nil && found != "off" {
		return found
	}
	return ""
}

// rewrite returns what a file of the example is in the project.
func (p *project) rewrite(f file) string {
	text := f.text
	switch {
	case f.name == "go.mod":
		return p.goMod(text)
	case p.example == "":
		return text
	case f.name == "README.md":
		return p.readme(text)
	case f.name == "template.yaml":
		return strings.Replace(text, `Description: "`+p.example+": ", `Description: "`+p.dir+": ", 1)
	case strings.HasSuffix(f.name, ".go"):
		text = strings.ReplaceAll(text, `"`+sdkModule+"/examples/"+p.example+"/", `"`+p.module+"/")
		if sorted, err := format.Source([]byte(text)); err == nil { // imports are in order, and the path is another
			return string(sorted)
		}
	}
	return text
}

// nested finds the modules of the SDK that a go.mod requires beside the SDK's own:
// they are released with it, and are directories of a checkout.
var nested = regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(sdkModule) + `/(\S+) v0\.0\.0$`)

func (p *project) goMod(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	version, replace := p.version, ""
	if p.sdk != "" {
		version = "v0.0.0"
		replace = "\nreplace " + sdkModule + " => " + modFileText(p.sdk) + "\n"
		for _, module := range nested.FindAllStringSubmatch(rest, -1) {
			replace += "\nreplace " + sdkModule + "/" + module[1] + " => " + modFileText(filepath.Join(p.sdk, filepath.FromSlash(module[1]))) + "\n"
		}
	}
	rest = nested.ReplaceAllString(rest, "\t"+sdkModule+"/$1 "+version)
	rest = strings.Replace(rest, "require (\n", "require (\n\t"+sdkModule+" "+version+"\n", 1)
	return "module " + p.module + "\n" + rest + "\ntool " + ownPath + "\n" + replace
}

// modFileText returns a path as a go.mod takes it.
func modFileText(path string) string {
	if strings.Trim(path, lettersAndDigits+"/-_~.+") != "" {
		return strconv.Quote(path)
	}
	return path
}

var copySection = regexp.MustCompile(`(?s)\n## Copy it\n.*?(\n## |$)`)

func (p *project) readme(text string) string {
	text = copySection.ReplaceAllString(text, "$1")
	text = strings.Replace(text, "# "+p.example+"\n", "# "+p.dir+"\n", 1)
	text = strings.ReplaceAll(text, "go run "+ownPath, "go tool cfnlocal")
	stack := regexp.MustCompile(`(--stack-name|--stack|cfnlocal [a-z-]+) ` + p.example + `\b`)
	return stack.ReplaceAllString(text, "${1} "+nameOf(filepath.Join(p.dir, "template.yaml")))
}

var deployCommand = regexp.MustCompile(`(?m)^go tool cfnlocal deploy (?:.*\\\n)*.*$`)

// deployment returns the README's first command that deploys on this machine.
func (p *project) deployment() string {
	for _, f := range p.files {
		if f.name != "README.md" {
			continue
		}
		if found := deployCommand.FindString(p.rewrite(f)); found != "" {
			return regexp.MustCompile(`\\\n\s*`).ReplaceAllString(found, "")
		}
	}
	return `go tool cfnlocal deploy template.yaml    # with what README.md says in "Run it locally"`
}

// sdkVersion returns the release that this program is of, or "" if it was built
// in a checkout.
func sdkVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return releaseOf(info)
}

// releaseOf tells a release from a checkout by what the go command writes into a
// program: of a checkout it knows no version, or one that nobody published, with
// the state of its version control.
func releaseOf(info *debug.BuildInfo) string {
	if info.Main.Path != sdkModule || info.Main.Replace != nil || info.Main.Version == "(devel)" {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs" {
			return ""
		}
	}
	return info.Main.Version
}
