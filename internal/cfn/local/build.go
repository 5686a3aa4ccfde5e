package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// A BuildError is a function whose program could not be built.
type BuildError struct {
	Function string // its logical ID
	Err      error  // *host.BuildError
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the function %s: %v", e.Function, e.Err)
}

// Unwrap is what the build came to.
func (e *BuildError) Unwrap() error { return e.Err }

// build builds the Go programs of functions that have no command into a
// directory, each source once, and returns the programs by logical ID. What is no Go
// program is left out: it is an error when it is called.
func build(ctx context.Context, out string, d *Deployment, functions []template.Function) (map[string]string, error) {
	programs := map[string]string{}
	built := map[string]string{} // by directory
	for _, f := range functions {
		dir := d.codeOf(&f)
		if dir == "" || d.Commands[f.LogicalID] != "" {
			continue
		}
		_, err := os.Stat(dir)
		if sources, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(sources) == 0 && err == nil {
			continue
		}
		if built[dir] == "" {
			sum := sha256.Sum256([]byte(dir))
			program := filepath.Join(out, hex.EncodeToString(sum[:4]))
			if err := buildOnce(ctx, dir, program); err != nil {
				return nil, &BuildError{f.LogicalID, err}
			}
			built[dir] = program
		}
		programs[f.LogicalID] = built[dir]
	}
	return programs, nil
}

// programs is where the programs of a stack's revision are.
func (h *Home) programs(stack string, revision int) string {
	return h.path(filepath.Join("build", stack, strconv.Itoa(revision)))
}

// buildLate builds the programs of a provider's functions that are not built yet.
func (r *run) buildLate(p *provider) {
	r.building.Lock()
	defer r.building.Unlock()
	for _, u := range p.unbuilt {
		f := &p.functions[u.at]
		name := p.names[nameOf(f.ARN)]
		programs, err := build(r.ctx, r.home.programs(r.record.Stack.Name, u.deployment.Revision), u.deployment, []template.Function{u.function})
		switch program := programs[u.function.LogicalID]; {
		case err != nil:
			p.reason = "The program of the function " + name + " cannot be built: " + lastLine([]byte(err.Error()))
			return
		case program == "":
			p.reason = noProgram(name)
			return
		default:
			f.Command = []string{program}
		}
	}
}

// codeOf is the directory of a function's code, absolute, or "".
func (d *Deployment) codeOf(f *template.Function) string {
	if f.CodeURI == "" || filepath.IsAbs(f.CodeURI) {
		return f.CodeURI
	}
	return filepath.Join(filepath.Dir(d.File), f.CodeURI)
}

// Outside returns where a function's program is built from, and whether that is
// outside of the template's directory.
func (d *Deployment) Outside(f template.Function) (dir string, outside bool) {
	dir = d.codeOf(&f)
	if dir == "" || d.Commands[f.LogicalID] != "" {
		return "", false
	}
	dir = resolved(dir)
	relative, err := filepath.Rel(resolved(filepath.Dir(d.File)), dir)
	return dir, err != nil || !filepath.IsLocal(relative)
}

// resolved is a path without symbolic links, or as it is if there is none.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// buildOnce builds a program unless it is there: what a revision's program is
// does not change.
func buildOnce(ctx context.Context, dir, program string) error {
	if _, err := os.Stat(program); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		return err
	}
	unfinished := program + ".new"
	if err := host.Build(ctx, dir, unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, program)
}

// forgetBuilds removes the programs of all revisions but those that are kept.
func (h *Home) forgetBuilds(stack string, keep map[int]*Deployment) {
	dir := h.path(filepath.Join("build", stack))
	entries, _ := os.ReadDir(dir) // no directory, no programs
	for _, e := range entries {
		if revision, err := strconv.Atoi(e.Name()); err == nil && keep[revision] == nil {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // they only take room
		}
	}
}
