package record

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// CodeOf is the directory of a function's code, absolute, or "".
func (d *Deployment) CodeOf(f *template.Function) string {
	if f.CodeURI == "" || filepath.IsAbs(f.CodeURI) {
		return f.CodeURI
	}
	return filepath.Join(filepath.Dir(d.File), f.CodeURI)
}

// runs is [template.Stack]'s: a command or a Go program.
func (d *Deployment) runs(f *template.Function, arn string) bool {
	if f == nil {
		return d.CommandOf(arn) != ""
	}
	dir, _ := d.SourceOfFunction(f)
	return d.Commands[f.LogicalID] != "" || dir != ""
}

// CommandOf is the command that runs a function, by its logical ID or its ARN, also for
// a version or an alias of it; or "".
func (d *Deployment) CommandOf(function string) string {
	if command := d.Commands[function]; command != "" {
		return command
	}
	parts := strings.Split(function, ":")
	if len(parts) != 8 {
		return ""
	}
	return d.Commands[strings.Join(parts[:7], ":")]
}

// SourceOfFunction is the directory of the Go program that a function is built from,
// without symbolic links, and whether that is outside of the template's directory. It is
// "" if a command runs the function, or there is no program.
func (d *Deployment) SourceOfFunction(f *template.Function) (dir string, outside bool) {
	dir = d.CodeOf(f)
	if dir == "" || d.Commands[f.LogicalID] != "" {
		return "", false
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
		if _, err := os.Stat(dir); err == nil {
			return "", false
		}
	}
	dir = resolveLinks(dir)
	return dir, d.isOutside(dir)
}

// AssetOf is the directory of a function's code, or "" if a command runs the function or
// the directory is not within the template's.
func (d *Deployment) AssetOf(f *template.Function) string {
	dir := resolveLinks(d.CodeOf(f))
	if dir == "" || d.Commands[f.LogicalID] != "" || d.isOutside(dir) {
		return ""
	}
	return dir
}

// isOutside reports whether a directory is not within the template's.
func (d *Deployment) isOutside(dir string) bool {
	relative, err := filepath.Rel(resolveLinks(filepath.Dir(d.File)), dir)
	return err != nil || !filepath.IsLocal(relative)
}

// resolveLinks is a path without symbolic links, or as it is if there is none.
func resolveLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// SourceOf is the directory of a type's Go program, or "" if a command runs it.
func (d *Deployment) SourceOf(name string) string {
	dir := d.Types[name].Command
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(d.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
