//go:build unix

package play_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
)

// BenchmarkExplore explores with numbers of histories: what one costs should
// not depend on how many there are. The time of the processors is told as well,
// which does not depend on what else the machine does.
func BenchmarkExplore(b *testing.B) {
	for _, n := range []int{2_500, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			began := processorTime(b)
			for b.Loop() {
				runTest(func(t *testing.T) {
					got := play.Exploration(t, namedBoxes, play.ExploreOptions{Depth: 4, Histories: n})
					if got.Played != n || len(got.Findings) > 0 {
						b.Errorf("played %d: %q", got.Played, got.Lines)
					}
				})
			}
			histories := float64(b.N) * float64(n)
			b.ReportMetric(histories/b.Elapsed().Seconds(), "histories/s")
			b.ReportMetric(float64((processorTime(b)-began).Microseconds())/histories, "cpu-µs/history")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
