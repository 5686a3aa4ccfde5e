package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// A BuildError is a function whose program could not be built.
type BuildError struct {
	Function string // its logical ID, or the type that it runs
	Err      error  // *host.BuildError
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the function %s: %v", e.Function, e.Err)
}

// Unwrap is what the build came to.
func (e *BuildError) Unwrap() error { return e.Err }

// build builds the Go programs of functions that have no command, and of the
// deployment's types, into a directory, each source once, and returns the programs
// by logical ID, or by the type's name. What is no Go program is left out: it is an
// error when it is called.
func build(ctx context.Context, out string, d *record.Deployment, functions []template.Function) (map[string]string, error) {
	programs := map[string]string{}
	built := map[string]string{} // by directory
	sources := map[string]string{}
	for _, f := range functions {
		if dir := d.Source(&f); dir != "" {
			sources[f.LogicalID] = dir
		}
	}
	for name := range d.Types {
		if dir := d.SourceOf(name); dir != "" {
			sources[name] = dir
		}
	}
	for _, of := range slices.Sorted(maps.Keys(sources)) {
		dir := sources[of]
		if built[dir] == "" {
			sum := sha256.Sum256([]byte(dir))
			program := filepath.Join(out, hex.EncodeToString(sum[:4]))
			if err := buildOnce(ctx, dir, program); err != nil {
				return nil, &BuildError{of, err}
			}
			built[dir] = program
		}
		programs[of] = built[dir]
	}
	return programs, nil
}

// programs is where the programs of a stack's revision are.
func (h *Home) programs(stack string, revision int) string {
	return h.path(filepath.Join("build", stack, strconv.Itoa(revision)))
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

// A RefusedError is a deployment that CloudFormation refuses although programs
// have changed since the stack's last one.
type RefusedError struct {
	*engine.ValidationError
	Programs []string // the functions and types that they are of, in order
}

// Unwrap is the refusal.
func (e *RefusedError) Unwrap() error { return e.ValidationError }

// refusal is the error of what CloudFormation refuses, with the programs that a
// deployment would have changed.
func refusal(of *record.Record, err *engine.ValidationError) error {
	if of.Next == nil {
		return err
	}
	var changed []string
	next, last := of.Programs[of.Next.Revision], of.Programs[of.Stack.Target]
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if last[name] != "" && !sameFile(next[name], last[name]) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return err
	}
	return &RefusedError{err, changed}
}

// sameFile reports whether two files hold the same. One that cannot be read
// counts as the same: nothing is known of it.
func sameFile(a, b string) bool {
	one, err := os.ReadFile(a)
	other, unread := os.ReadFile(b)
	return err != nil || unread != nil || bytes.Equal(one, other)
}

// removeOldBuilds removes the programs of all revisions of a stack but those that are
// kept.
func (h *Home) removeOldBuilds(of *record.Record) {
	dir := h.path(filepath.Join("build", of.Stack.Name))
	entries, _ := os.ReadDir(dir) // no directory, no programs
	for _, e := range entries {
		if revision, err := strconv.Atoi(e.Name()); err == nil && of.Deployments[revision] == nil {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // they only take room
		}
	}
}
