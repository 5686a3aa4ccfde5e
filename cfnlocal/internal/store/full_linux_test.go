package store

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full, a real one of 128 kB: the state is intact, the error
// says so, and when there is room the next save succeeds.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v); TestErrorAtEveryStep has one in memory", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s := open(t, filepath.Join(dir, "state"))
	l := lock(t, s, "app")
	save(t, l, "small")
	for range 3 {
		err := l.Save(strings.Repeat("large", 50_000))
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("saved with %v, want ENOSPC", err)
		}
		if got, err := load[string](s, "app"); got != "small" || err != nil {
			t.Fatalf("the state is %.20q, %v", got, err)
		}
	}
	save(t, l, "fits")
	if got, err := load[string](s, "app"); got != "fits" || err != nil {
		t.Errorf("the state is %.20q, %v", got, err)
	}
}
