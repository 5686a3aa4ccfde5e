//go:build unix

package local

import (
	"os/exec"
	"syscall"
)

// shell returns the command line of a program that people write: the program
// takes the shell's place, and gets its signals.
func shell(command string) []string { return []string{"sh", "-c", "exec " + command} }

// script returns the command line of a command that may have several parts.
func script(command string) []string { return []string{"sh", "-c", command} }

// ownGroup gives a process a group of its own, so that all that it starts can
// be ended with it, and so that Ctrl-C does not reach it before us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
