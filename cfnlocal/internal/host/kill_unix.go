//go:build unix

package host

import (
	"os"
	"syscall"
)

// killGroup kills a process and the group that it leads. An error means that they have
// ended already, or cannot be killed.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
