//go:build unix

package host

import (
	"os"
	"syscall"
)

// killGroup kills a process and the group that it leads. What is gone already is
// no error, and there is none that could be acted on.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
