//go:build !unix

package local

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// shell returns the command line that runs a command of the user.
func shell(command string) []string { return []string{"cmd", "/c", command} }

func script(command string) []string { return shell(command) }

// mortal leaves a program as it is: it outlives this process if that is killed.
func mortal(args []string) (line []string, extra []*os.File, lifeline io.Closer, err error) {
	return args, nil, io.NopCloser(nil), nil
}

func ownGroup(*exec.Cmd) {}

func signalGroup(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Kill() }
