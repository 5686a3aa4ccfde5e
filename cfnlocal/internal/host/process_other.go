//go:build !unix

package host

import (
	"os"
	"syscall"
)

// ownGroup does nothing: there are no groups of processes that could be killed.
func ownGroup() *syscall.SysProcAttr { return nil }

// killGroup kills a process, and not what it has started.
func killGroup(p *os.Process) { _ = p.Kill() }

// killDaemons does nothing: the system does not say with which variables a process was started.
func killDaemons(string) {}
