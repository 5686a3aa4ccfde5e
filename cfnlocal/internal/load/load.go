// Package load says how much longer than elsewhere things take on this machine, which may
// have more to do: real time alone says nothing of a program that waits for its turn.
package load

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Max bounds how much longer than on an idle machine something may take.
const Max = 10

// Factor is how many tasks there are for each CPU that could run now, at least 1 and at
// most [Max]: so much longer than on Lambda, where a function has its CPU to itself, its
// work takes. It is 1 where the system does not tell.
func Factor() int {
	text, err := os.ReadFile("/proc/loadavg") // three averages, then RUNNABLE/ALL
	if err != nil {
		return 1
	}
	return factorOf(text, runtime.NumCPU())
}

// Allow is how long something may take now that may take a time on an idle machine.
func Allow(d time.Duration) time.Duration { return d * time.Duration(Factor()) }

func factorOf(loadavg []byte, cpus int) int {
	fields := bytes.Fields(loadavg)
	if len(fields) < 4 {
		return 1
	}
	runnable, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(runnable))
	if err != nil {
		return 1
	}
	return min(max(1, (n+cpus-1)/cpus), Max)
}
