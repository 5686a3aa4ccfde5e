package record

import (
	"os"
	"path/filepath"

	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// CodeOf is the directory of a function's code, absolute, or "".
func (d *Deployment) CodeOf(f *template.Function) string {
	if f.CodeURI == "" || filepath.IsAbs(f.CodeURI) {
		return f.CodeURI
	}
	return filepath.Join(filepath.Dir(d.File), f.CodeURI)
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
	relative, err := filepath.Rel(resolveLinks(filepath.Dir(d.File)), dir)
	return dir, err != nil || !filepath.IsLocal(relative)
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
