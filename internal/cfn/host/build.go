package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A BuildError is a Go package that cannot be built.
type BuildError struct {
	Dir    string // the package's
	Why    string // what is wrong, and what to do
	Output string // what the go command said, or ""
	Full   bool   // the disk is full, and nothing is wrong with the package
}

func (e *BuildError) Error() string {
	text := "host: the Go package in " + e.Dir + " cannot be built: " + e.Why
	if e.Output != "" {
		text += "\n" + e.Output
	}
	return text
}

// Build builds the Go program in a directory for this machine, to a file, with
// the tag lambda.norpc as for Lambda. The error is a *BuildError, unless the
// context is done.
func Build(ctx context.Context, dir, file string) error {
	fail := func(why, output string) error { return &BuildError{Dir: dir, Why: why, Output: output} }
	if info, err := os.Stat(dir); err != nil {
		return fail("there is no such directory: correct the function's CodeUri", "")
	} else if !info.IsDir() {
		return fail("it is no directory: let the function's CodeUri name one", "")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fail("there is no go command in PATH: install Go, or give a command that runs the function", "")
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return err
	}
	name, complaint, err := runGo(ctx, goCommand, dir, "list", "-tags", "lambda.norpc", "-f", "{{.Name}}", ".")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fail("the go command finds no package there; see what it says", complaint)
	case strings.TrimSpace(name) != "main":
		return fail("it is package "+strings.TrimSpace(name)+", and a function is package main: let CodeUri name the directory of the program", "")
	}
	_, complaint, err = runGo(ctx, goCommand, dir, "build", "-tags", "lambda.norpc", "-buildvcs=false", "-o", file, ".")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && strings.Contains(complaint, syscall.ENOSPC.Error()):
		return &BuildError{Dir: dir, Why: "the disk is full", Output: complaint, Full: true}
	case err != nil:
		return fail("the compiler refuses it", complaint)
	}
	return nil
}

// maxComplaint is how much of the go command's words are in an error.
const maxComplaint = 16 << 10

func runGo(ctx context.Context, goCommand, dir string, args ...string) (out, complaint string, err error) {
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Dir = dir
	// Of this machine, whatever else the environment builds for.
	cmd.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process); return nil }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runtime.LockOSThread() // Linux kills the process when the thread that has started it ends
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	complaint = strings.TrimSpace(stderr.String())
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		complaint = fmt.Sprint(err)
	}
	return stdout.String(), complaint[:min(len(complaint), maxComplaint)], err
}
