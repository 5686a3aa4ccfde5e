//go:build unix

package local

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// shell returns the command line that runs a command of the user: its program
// takes the shell's place, and gets its signals.
func shell(command string) []string { return []string{"sh", "-c", "exec " + command} }

// script returns the command line of a command that may have several parts.
func script(command string) []string { return []string{"sh", "-c", command} }

// mortal returns a command line for a program that ends with this process,
// however that ends, with all that the program has started: a shell beside it
// reads from a pipe that this process holds, and kills the group when it closes.
func mortal(args []string) (line []string, extra []*os.File, lifeline io.Closer, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	const watch = `(read _ <&3; kill -9 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"`
	return append([]string{"sh", "-c", watch, "sh"}, args...), []*os.File{r}, w, nil
}

// ownGroup gives a process a group of its own, so that all that it starts can
// be ended with it, and so that Ctrl-C does not reach it before us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
