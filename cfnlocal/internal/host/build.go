package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	gobuild "go/build"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A BuildError is a Go package that cannot be built.
type BuildError struct {
	Dir    string // the package's
	Why    string // what is wrong, and what to do
	Output string // of the go command, or ""
	// Nothing is wrong with the package if one of these is set:
	Full    bool // the disk is full
	Offline bool // modules are not on this machine, and cannot be fetched
}

func (e *BuildError) Error() string {
	text := "the Go package in " + e.Dir + " cannot be built: " + e.Why
	if e.Output != "" {
		text += "\n  " + strings.ReplaceAll(e.Output, "\n", "\n  ") // so that it cannot pass for cfnlocal's own lines
	}
	return text
}

// Build builds the Go program in a directory for this machine, to a file, with
// the tag lambda.norpc and without tables for debuggers, as for Lambda. The error
// is a *BuildError, unless the context is done.
func Build(ctx context.Context, dir, file string) error {
	// Build for this machine, even if the environment sets another GOOS or GOARCH.
	return build(ctx, dir, file, runtime.GOOS, runtime.GOARCH, nil, "-ldflags=-s -w")
}

// BuildForLambda is Build for Linux on x86_64, without anything that depends on the
// machine: the same sources, modules and Go give the same bytes.
func BuildForLambda(ctx context.Context, dir, file string) error {
	return build(ctx, dir, file, "linux", "amd64", []string{"GOAMD64=v1", "CGO_ENABLED=0"}, "-trimpath", "-ldflags=-s -w -buildid=")
}

// tag is the build tag of programs for Lambda.
const tag = "lambda.norpc"

func build(ctx context.Context, dir, file, goos, goarch string, env []string, flags ...string) error {
	fail := func(why, output string) error { return &BuildError{Dir: dir, Why: why, Output: output} }
	if info, err := os.Stat(dir); err != nil {
		return fail("there is no such directory", "")
	} else if !info.IsDir() {
		return fail("it is not a directory: the function's CodeUri must name one", "")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fail("there is no go command in PATH: install Go, or give a command that runs the function", "")
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return err
	}

	// Recognise a package that is no program before it is compiled.
	target := gobuild.Default
	target.GOOS, target.GOARCH, target.BuildTags = goos, goarch, []string{tag}
	found, noPackage := target.ImportDir(dir, 0)
	if noPackage == nil && found.Name != "main" {
		return fail("it is package "+found.Name+", not package main: CodeUri must name the directory of the program", "")
	}

	// Compile it. The go command's message distinguishes a mistake from a full disk or a missing network.
	complaint, err := runGo(ctx, goCommand, dir, append(env, "GOOS="+goos, "GOARCH="+goarch),
		slices.Concat([]string{"build", "-tags", tag, "-buildvcs=false", "-o", file}, flags, []string{"."})...)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	case strings.Contains(complaint, syscall.ENOSPC.Error()):
		return &BuildError{Dir: dir, Why: "the disk is full", Output: complaint, Full: true}
	case unfetched.MatchString(complaint):
		return &BuildError{Dir: dir, Why: "its modules are not on this machine and cannot be fetched", Output: complaint, Offline: true}
	case noPackage != nil:
		return fail("the go command finds no package there", complaint)
	}
	return fail("the compiler refuses it", complaint)
}

// unfetched matches the go command's messages about modules that it lacks and cannot fetch.
var unfetched = regexp.MustCompile(`module lookup disabled|dial tcp|no such host|network is unreachable|connection refused|i/o timeout|TLS handshake|proxyconnect`)

// maxComplaint is how many bytes of the go command's message are in an error.
const maxComplaint = 16 << 10

func runGo(ctx context.Context, goCommand, dir string, env []string, args ...string) (complaint string, err error) {
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process); return nil }
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	runtime.LockOSThread() // Linux kills the process when the thread that has started it ends
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	complaint = strings.TrimSpace(stderr.String())
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		complaint = fmt.Sprint(err)
	}
	return complaint[:min(len(complaint), maxComplaint)], err
}

// Sources are what a Go program is built from, without what is in the module cache, which does not change.
type Sources struct {
	packages   []sourcePackage
	modules    []string // files of modules and of a workspace
	incomplete []string // directories of modules in which a package is not found
}

// A sourcePackage is a package as the go command lists it.
type sourcePackage struct {
	Dir           string
	Standard      bool
	Incomplete    bool
	EmbedPatterns []string
	Module        *struct {
		Dir, GoMod, Version string
		Replace             *struct{ Version string }
	}
}

// cached reports whether the package is in the module cache, or Go's own.
func (p *sourcePackage) cached() bool {
	switch m := p.Module; {
	case p.Standard || p.Dir == "":
		return true
	case m == nil || m.Version == "" || m.Dir == "": // a vendored module has no directory
		return false
	default:
		return m.Replace == nil || m.Replace.Version != ""
	}
}

// SourcesOf returns the sources of the program in a directory. Of a program that the go command cannot list they are its
// directory.
func SourcesOf(ctx context.Context, dir string) *Sources {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-tags", tag, "-json=Dir,Standard,Incomplete,EmbedPatterns,Module", ".")
	cmd.Dir = dir
	out, _ := cmd.Output() // if it fails, a build fails too
	s := &Sources{packages: []sourcePackage{{Dir: dir}}}
	modules := map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p sourcePackage
		if err := decoder.Decode(&p); err != nil { // at its end
			break
		}
		if p.cached() {
			continue // what the cache holds does not change
		}
		s.packages = append(s.packages, p)
		if p.Module == nil {
			continue
		}
		if p.Module.GoMod != "" {
			modules[p.Module.GoMod] = true
		}
		// The package that is not found is another one, which has no directory.
		if p.Incomplete {
			s.incomplete = append(s.incomplete, p.Module.Dir)
		}
	}

	// The files beside a go.mod, and those of a workspace.
	modules[above(dir, "go.mod")] = true
	for file := range modules {
		s.modules = append(s.modules, file, strings.TrimSuffix(file, ".mod")+".sum")
	}
	if workspace := above(dir, "go.work"); workspace != "" {
		s.modules = append(s.modules, workspace, workspace+".sum")
	}
	return s
}

// above returns the file of a name in the innermost directory around one that has it, or the name in that one.
func above(dir, name string) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if file := filepath.Join(at, name); exists(file) {
			return file
		}
	}
	return filepath.Join(dir, name)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// sourceExtensions are those of the files that the go command compiles.
var sourceExtensions = []string{
	".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90",
	".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
}

// compiled reports whether the go command compiles a file of this name.
func compiled(name string) bool {
	return slices.Contains(sourceExtensions, filepath.Ext(name)) && !strings.HasSuffix(name, "_test.go")
}

// Files returns the files that a build reads now, with those that came since.
func (s *Sources) Files() []string {
	all := map[string]bool{}
	for _, file := range s.modules {
		all[file] = true
	}
	for _, p := range s.packages {
		entries, _ := os.ReadDir(p.Dir) // a directory that is gone has none
		for _, entry := range entries {
			if compiled(entry.Name()) {
				all[filepath.Join(p.Dir, entry.Name())] = true
			}
		}
		for _, pattern := range p.EmbedPatterns {
			for _, file := range embedded(p.Dir, pattern) {
				all[file] = true
			}
		}
	}
	for _, dir := range s.incomplete {
		for _, file := range below(dir, false, compiled) {
			all[file] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// embedded returns the files that a pattern of go:embed names.
func embedded(dir, pattern string) (all []string) {
	pattern, hidden := strings.CutPrefix(pattern, "all:")
	names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))) // the go command refuses one that is malformed
	for _, name := range names {
		all = append(all, below(name, hidden, func(string) bool { return true })...)
	}
	return all
}

// below returns the files below a directory, or the file itself, whose names are wanted, without those that go:embed and the
// go command leave out since their names, or those of their directories, begin with a dot or an underscore.
func below(root string, hidden bool, wanted func(name string) bool) (all []string) {
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		isHidden := name != root && strings.ContainsAny(entry.Name()[:1], "._")
		isOut := isHidden && !hidden
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is left out
		case entry.IsDir() && isOut:
			return fs.SkipDir
		case entry.IsDir(), isOut:
			return nil
		case wanted(entry.Name()):
			all = append(all, name)
		}
		return nil
	})
	return all
}
