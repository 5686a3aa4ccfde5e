package host

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// maxLoad bounds how much longer than on an idle machine a process may take.
const maxLoad = 10

// machineLoad is how many tasks there are for each CPU that could run now, at least 1
// and at most maxLoad: so much longer than on Lambda, where a function has its CPU to
// itself, its work takes. It is 1 where the system does not tell.
func machineLoad() int {
	text, err := os.ReadFile("/proc/loadavg") // three averages, then RUNNABLE/ALL
	if err != nil {
		return 1
	}
	return loadOf(text, runtime.NumCPU())
}

func loadOf(loadavg []byte, cpus int) int {
	fields := bytes.Fields(loadavg)
	if len(fields) < 4 {
		return 1
	}
	runnable, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(runnable))
	if err != nil {
		return 1
	}
	return min(max(1, (n+cpus-1)/cpus), maxLoad)
}

// allowed is how long something may take on this machine that has a timeout on Lambda.
// Real time alone says nothing of a function on a machine that does other work.
func (h *Host) allowed(timeout time.Duration) time.Duration {
	return timeout * time.Duration(h.load())
}
