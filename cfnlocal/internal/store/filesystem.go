package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// A fileSystem is what a store needs of its directory. Names have no slashes.
type fileSystem interface {
	ReadFile(name string) ([]byte, error)
	Stat(name string) (fs.FileInfo, error)
	Create(name string) (file, error) // fails if there is such a file
	Rename(from, to string) error     // replaces to
	Link(from, to string) error       // errors.ErrUnsupported where there are no links
	Remove(name string) error
	syncDir() error // makes what was created, renamed and removed durable
	List() ([]string, error)
	Close() error
	locks
}

type locks interface {
	// Lock takes a lock or fails with errLocked, and says who has it, if it knows.
	Lock(name string) (release func() error, holder int, err error)
	// Locked reports whether somebody has a lock. Lock never fails because of it.
	Locked(name string) bool
}

type file interface {
	io.WriteCloser
	Sync() error // makes the content durable
}

var errLocked = errors.New("locked")

// An osFileSystem is a directory of a real file system.
type osFileSystem struct{ *Dir }

func (o osFileSystem) Create(name string) (file, error) {
	f, err := o.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (o osFileSystem) Link(from, to string) error {
	err := o.root.Link(from, to)
	if link := (*os.LinkError)(nil); errors.As(err, &link) && cannotLink(link.Err) {
		return errors.ErrUnsupported
	}
	return err
}

func (o osFileSystem) syncDir() error {
	d, err := o.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncDir(d), d.Close())
}

func (o osFileSystem) List() ([]string, error) { return o.Dir.List(".") }

// readPID returns the process ID in a lock's file, or 0.
func readPID(f *os.File) int {
	text := make([]byte, 20)
	n, err := f.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return 0
	}
	pid, err := strconv.Atoi(string(text[:n]))
	if err != nil {
		return 0
	}
	return pid
}
