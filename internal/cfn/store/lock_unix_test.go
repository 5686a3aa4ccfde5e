//go:build unix

package store

import (
	"os/exec"
	"sync"
	"testing"
)

// A process that is being started has a copy of each open file until its program runs.
// It does not keep a lock that was given back.
func TestUnlockWhileProcessesStart(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var starting sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.CommandContext(t.Context(), "true").Run() // whatever it comes to
				}
			}
		})
	}
	for range 300 {
		lock, err := s.Lock("shop")
		if err != nil {
			t.Error(err)
			break
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	starting.Wait()
}
