//go:build unix

package host

import (
	"os"
	"syscall"
)

// killGroup kills a process and the group that it leads. An error means that they are
// gone already, or is one that nothing could be done about.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
