//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// locksAreFiles is true: a process that is killed leaves its locks behind.
const locksAreFiles = true

// Lock takes a lock by making its file, which is removed when it is given back.
func (o osFileSystem) Lock(name string) (release func() error, holder int, err error) {
	f, err := o.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil, readPIDFile(o, name), errLocked
	} else if err != nil {
		return nil, 0, err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()))
	if err = errors.Join(err, f.Close()); err != nil {
		_ = o.Remove(name)
		return nil, 0, err
	}
	return func() error { return o.Remove(name) }, 0, nil
}

func (o osFileSystem) Locked(name string) bool {
	_, err := o.Stat(name)
	return err == nil
}

func readPIDFile(o osFileSystem, name string) int {
	f, err := o.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	return readPID(f)
}

// syncDir does nothing: the file system makes renames durable on its own, or
// there is no way to ask for it.
func syncDir(*os.File) error { return nil }

// cannotLink reports that a hard link that cannot be made is not needed.
func cannotLink(err error) bool { return !errors.Is(err, fs.ErrNotExist) }

// strangers knows of none: a directory's rights say nothing here.
func strangers(fs.FileInfo) string { return "" }

// hasOtherNames knows of none.
func hasOtherNames(fs.FileInfo) bool { return false }
