package host

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full, a real one of 128 kB, is no mistake in the program.
func TestBuildOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	err := Build(t.Context(), "testdata/function", filepath.Join(dir, "bootstrap"))
	var e *BuildError
	if !errors.As(err, &e) || !e.Full || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Build: %v", err)
	}
}
