package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	gobuild "go/build"
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
