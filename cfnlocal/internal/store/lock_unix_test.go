//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A process that is being started has a copy of each open file until its program runs.
// It does not keep a lock that was given back.
func TestUnlockWhileProcessesStart(t *testing.T) {
	s := open(t, t.TempDir())
	first := lock(t, s, "shop")
	copyOpen(t, s.path("shop"+lockExt))
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	lock(t, s, "shop")
}

// copyOpen copies the descriptor of a file that this process has open, as a fork does.
func copyOpen(t *testing.T, path string) {
	t.Helper()
	var want syscall.Stat_t
	if err := syscall.Stat(path, &want); err != nil {
		t.Fatal(err)
	}
	for fd := range 1 << 10 {
		var is syscall.Stat_t
		if err := syscall.Fstat(fd, &is); err != nil || is.Dev != want.Dev || is.Ino != want.Ino {
			continue
		}
		another, err := syscall.Dup(fd)
		if err != nil {
			t.Fatal(os.NewSyscallError("dup", err))
		}
		t.Cleanup(func() { _ = syscall.Close(another) })
		return
	}
	t.Fatalf("this process does not have %s open", path)
}

// A directory of another user can hold what that user wants to be run.
func TestDirectoryOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is of another user (65534)") {
		t.Errorf("%v", err)
		_ = s.Close()
	}
}
