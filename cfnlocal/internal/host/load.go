package host

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// maxLoad is the most that [Allow] multiplies a time by.
const maxLoad = 10

// loadFactor is the number of tasks for each CPU that could run now, from 1 to maxLoad. Work takes
// that many times as long as on Lambda, where a function has its CPU to itself. It is 1 on a
// system that does not report its load.
func loadFactor() int {
	text, err := os.ReadFile("/proc/loadavg") // three averages, then RUNNABLE/ALL
	if err != nil {
		return 1
	}
	return loadFactorOf(text, runtime.NumCPU())
}

// Allow returns the time to allow, on this machine as busy as it is now, for what takes d on an
// idle one: time alone does not show whether a program is slow or only waits for its turn.
func Allow(d time.Duration) time.Duration { return d * time.Duration(loadFactor()) }

func loadFactorOf(loadavg []byte, cpus int) int {
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
