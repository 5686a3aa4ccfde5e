package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A BuildError reports a function whose program could not be built.
type BuildError struct {
	Function string // its logical ID, or the type that it runs
	Err      error  // *host.BuildError, or that there is no program
	At       string // where the template says where its code is, or ""
	Kept     bool   // an earlier deployment has it, so that only update-code can give it another program
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("the function %s: %v", e.Function, e.Err)
	if e.At != "" {
		text = e.At + ": " + text
	}
	return text
}

// Unwrap returns the error of the build.
func (e *BuildError) Unwrap() error { return e.Err }

// buildPrograms builds the Go programs of some of a revision's functions and types that have no command, each source once, into
// a part of a directory. It returns the programs by logical ID or type name. It leaves out functions without a Go program: to
// call one is an error later.
func buildPrograms(ctx context.Context, out *store.Dir, part string, rev *record.Revision, functions []template.Function, types []string) (map[string]string, error) {
	programs := map[string]string{}
	built := map[string]string{} // by directory
	sources, places := map[string]string{}, map[string]string{}
	for _, f := range functions {
		if dir, _ := rev.SourceOfFunction(&f); dir != "" {
			sources[f.LogicalID], places[f.LogicalID] = dir, f.CodeAt.String()
		}
	}
	for _, name := range types {
		if dir := rev.SourceOf(name); dir != "" {
			sources[name] = dir
		}
	}
	// Sorted, so that of several mistakes the same one is reported each time.
	for _, owner := range slices.Sorted(maps.Keys(sources)) {
		dir := sources[owner]
		if built[dir] == "" {
			program := path.Join(part, programName(dir))
			if err := buildOnce(ctx, dir, out, program); err != nil {
				return nil, &BuildError{Function: owner, Err: err, At: places[owner]}
			}
			built[dir] = out.Path(program)
		}
		programs[owner] = built[dir]
	}
	return programs, nil
}

// codeHashes returns a hash of each function's program or command, and environment. Commands and variables
// may be secret: the seed keeps others from comparing the hash with that of a guess.
func codeHashes(rev *record.Revision, functions []template.Function, programs map[string]string, seed uint64) map[string]string {
	all := map[string]string{}
	for _, f := range functions {
		if rev.Commands[f.LogicalID] == "" && programs[f.LogicalID] == "" {
			continue
		}
		sum := sha256.New()
		fmt.Fprintln(sum, seed, rev.Commands[f.LogicalID], rev.Env)
		if program, err := os.Open(programs[f.LogicalID]); err == nil {
			_, _ = io.Copy(sum, program) // if it cannot be read, running it fails and reports that
			_ = program.Close()
		}
		all[f.LogicalID] = hex.EncodeToString(sum.Sum(nil)[:16])
	}
	return all
}

// programName is the name of the program that is built from a directory.
func programName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:4])
}

// programsDir is where the programs of a stack's revision are.
func programsDir(stack string, revision int) string {
	return path.Join("build", stack, strconv.Itoa(revision))
}

// buildOnce builds a program unless it exists: the program of a revision does not change. It starts from the program of another
// revision, since the go command does not link again what is up to date, and few deployments change the code.
func buildOnce(ctx context.Context, dir string, out *store.Dir, program string) error {
	if _, err := out.Stat(program); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err := buildFrom(ctx, latestBuild(out, program), dir, out, program)
	return err
}

// latestBuild returns the program that was last built from the same directory, for another revision of the stack, or "". The go
// command would refuse to replace what is no program any more.
func latestBuild(out *store.Dir, program string) (latest string) {
	var at time.Time
	stack := path.Dir(path.Dir(program))
	revisions, _ := out.List(stack)
	for _, revision := range revisions {
		name := path.Join(stack, revision, path.Base(program))
		info, err := out.Stat(name)
		if err != nil || !info.ModTime().After(at) {
			continue
		}
		if _, err := buildinfo.ReadFile(out.Path(name)); err == nil {
			latest, at = name, info.ModTime()
		}
	}
	return latest
}

// buildAnew builds a program whatever there is, which can be damaged, and reports whether it is another one than before.
func buildAnew(ctx context.Context, dir string, out *store.Dir, program string) (isNew bool, err error) {
	return buildFrom(ctx, "", dir, out, program)
}

// buildFrom builds a program from a former one, unless that is "". Until it is built, what has its name stays.
func buildFrom(ctx context.Context, former, dir string, out *store.Dir, program string) (isNew bool, err error) {
	unfinished := program + ".new"
	err = errors.Join(out.MkdirAll(path.Dir(program)), out.RemoveAll(unfinished))
	if err != nil {
		return false, err
	}
	if former != "" && copyProgram(out, former, unfinished) != nil {
		_ = out.RemoveAll(unfinished) // if the disk is full, the build reports it
	}
	if err := host.Build(ctx, dir, out.Path(unfinished)); err != nil {
		_ = out.RemoveAll(unfinished)
		return false, err
	}
	_, missing := out.Stat(program)
	isNew = missing != nil || !sameFile(out.Path(unfinished), out.Path(program))
	return isNew, out.Rename(unfinished, program)
}

func copyProgram(out *store.Dir, from, to string) error {
	source, err := out.OpenFile(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := out.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Chmod(0o700), target.Close())
}

// An AdoptedError reports a deployment in which CloudFormation updates nothing, although the stack runs
// other programs, or runs them in another environment, from then on.
type AdoptedError struct {
	*engine.ValidationError
	Changed []string // such as "the type Acme::Shop::Crate", sorted
}

// Unwrap is the refusal.
func (e *AdoptedError) Unwrap() error { return e.ValidationError }

// adopt has the stack's present revision run the programs of the next one, in its environment:
// registered types and functions of other stacks are no part of a template.
func (o *operation) adopt(refused *engine.ValidationError) error {
	r, next := o.record, o.record.Next
	target := r.Revisions[r.Stack.Target]
	if refused.Kind != engine.ErrNoUpdate || next == nil || target == nil {
		return refused
	}
	// A function's new code is a change of the template, so only types are compared.
	changed := next.Differs(target)
	for name, program := range r.Programs[next.Number] {
		last := r.Programs[target.Number][name]
		isNew := last == "" || !sameFile(program, last)
		if isNew && next.Types[name].Command != "" {
			changed = append(changed, next.RunOfType(name).What)
		}
	}
	if len(changed) == 0 {
		return refused
	}
	// CloudFormation stays at the present revision, so that one gets the programs of the next under its own number.
	former, programs := programsDir(o.name(), target.Number), programsDir(o.name(), next.Number)
	if _, err := o.home.dir.Stat(programs); err == nil {
		if err := errors.Join(o.home.dir.RemoveAll(former), o.home.dir.Rename(programs, former)); err != nil {
			return err
		}
	}
	next.Number, next.Service, next.Ready = target.Number, target.Service, target.Ready
	r.Revisions[target.Number], r.Next = next, nil
	if err := o.lock.Save(r); err != nil {
		return err
	}
	slices.Sort(changed)
	return &AdoptedError{refused, slices.Compact(changed)}
}

// sameFile reports whether two files have the same content. A file that cannot be read counts as
// the same.
func sameFile(a, b string) bool {
	one, err := os.ReadFile(a)
	other, unread := os.ReadFile(b)
	return err != nil || unread != nil || bytes.Equal(one, other)
}

// removeOldBuilds removes the programs of all revisions of a stack but those that are kept.
func (h *Home) removeOldBuilds(kept *record.Record) error {
	dir := path.Join("build", kept.Stack.Name)
	entries, err := h.dir.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range entries {
		if revision, unnumbered := strconv.Atoi(name); unnumbered == nil && kept.Revisions[revision] == nil {
			err = errors.Join(err, h.dir.RemoveAll(path.Join(dir, name)))
		}
	}
	return err
}
