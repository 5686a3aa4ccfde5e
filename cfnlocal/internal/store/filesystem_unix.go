//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// locksAreFiles is false: the kernel ends a lock with its process.
const locksAreFiles = false

// Lock takes a lock with flock, which is the open file's: another one in the
// same process does not get it either. The file stays when the lock is given
// back, since another process that has just opened it would lock a file without a name.
func (o osFileSystem) Lock(name string) (release func() error, holder int, err error) {
	f, err := o.OpenFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, 0, err
	}
	if err := lockAlone(f); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, readPID(f), errLocked
		}
		return nil, 0, err
	}
	// For the words of an error, so that it may fail.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
	// To close it alone would leave the lock with a process that is being started,
	// which has the file until its program runs.
	return func() error { return errors.Join(flock(f, syscall.LOCK_UN), f.Close()) }, 0, nil
}

// lockAlone fails only if somebody has the lock alone. Who asks by Locked shares
// it, for an instant.
func lockAlone(f *os.File) error {
	for {
		err := flock(f, syscall.LOCK_EX)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			return err
		}
		if err := flock(f, syscall.LOCK_UN); err != nil {
			return err
		}
	}
}

// Locked asks by sharing the lock.
func (o osFileSystem) Locked(name string) bool {
	f, err := o.OpenFile(name, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(flock(f, syscall.LOCK_SH), syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// syncDir makes a directory's entries durable.
func syncDir(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some file systems have no such thing
	}
	return err
}

// cannotLink reports whether it is the file system that has no hard links.
func cannotLink(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM)
}

// hasOtherNames reports whether a file has more names than one.
func hasOtherNames(file fs.FileInfo) bool {
	sys, ok := file.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink > 1
}

// strangers says how others than this process's user could write in a directory, or "".
func strangers(dir fs.FileInfo) string {
	const all = 0o002
	owner, ok := dir.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(owner.Uid) != os.Geteuid():
		return fmt.Sprintf("is of another user (%d)", owner.Uid)
	case dir.Mode().Perm()&all != 0:
		return "can be written by every user"
	}
	return ""
}
