//go:build unix && !linux

package host

import (
	"os"
	"syscall"
)

// ownGroup makes a process the leader of a group, which can be killed as a whole
// and which a terminal's Ctrl-C does not reach.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and the group that it leads. An error means that they have
// ended already, or cannot be killed.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killDaemons does nothing: the system does not say with which variables a process was started.
func killDaemons(string) {}
