//go:build unix && !linux

package host

import "syscall"

// ownGroup makes a process the leader of a group, which can be killed as a whole
// and which a terminal's Ctrl-C does not reach.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
