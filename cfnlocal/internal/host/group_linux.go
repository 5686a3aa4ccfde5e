package host

import "syscall"

// ownGroup makes a process the leader of a group, which can be killed as a whole and which a
// terminal's Ctrl-C does not reach, and has the kernel kill it when this process ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
