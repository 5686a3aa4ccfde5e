package host

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup makes a process the leader of a group, which can be killed as a whole and which a
// terminal's Ctrl-C does not reach, and has the kernel kill it when this process ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a process and the group that it leads. An error means that they have
// ended already, or cannot be killed.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killDaemons kills the processes that were started with a variable, wherever they have gone since. They can start more
// meanwhile, so it looks again until there are none, a few times at most. Linux shows the environment of the user's
// own processes; a process that has ended has none.
func killDaemons(variable string) {
	for range 10 {
		found := false
		entries, _ := os.ReadDir("/proc")
		for _, entry := range entries {
			pid, err := strconv.Atoi(entry.Name())
			if err != nil { // of no process
				continue
			}
			started, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
			if err != nil || !bytes.Contains(append([]byte{0}, started...), []byte("\x00"+variable+"\x00")) {
				continue
			}
			found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
		}
		if !found {
			return
		}
	}
}
