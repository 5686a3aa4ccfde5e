//go:build unix

package cfnresource_test

import (
	"syscall"
	"time"
)

// cpuTime returns the time for which processors have worked for this process: on a
// machine that is busy with others it does not go on by itself.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
