//go:build !unix

package local

import (
	"os/exec"
	"syscall"
)

func shell(command string) []string { return []string{"cmd", "/c", command} }

func script(command string) []string { return shell(command) }

func ownGroup(*exec.Cmd) {}

func signalGroup(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Kill() }
