//go:build unix

package local

import (
	"os/exec"
	"syscall"
)

// shell returns the command line of a command that people write.
func shell(command string) []string { return []string{"sh", "-c", "exec " + command} }

// ownGroup gives a process a group of its own, so that all that it starts can
// be ended with it, and so that Ctrl-C does not reach it before us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
