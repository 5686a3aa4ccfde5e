package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// DefaultDir is where stacks are kept if nothing else is said.
const DefaultDir = ".cfnlocal"

// maxFile is how long a file may be that is read as a whole, in bytes: more than a stack's
// state ever has.
const maxFile = 256 << 20

// A Dir is the directory in which all that belongs to stacks is kept: their states, and
// beside these logs, traces, commands and programs. It can come with a repository that
// somebody else wrote, so that nothing in it is reached through a symbolic link, and what
// is neither a file nor a directory is not opened. Names have slashes on each system.
type Dir struct {
	root *os.Root
	path string
}

// OpenDir returns a directory, which it makes if there is none: DefaultDir if the name is
// empty. It refuses a symbolic link, and on Unix a directory that another user owns or
// that all users may write to: what is kept there is run. Close it.
func OpenDir(name string) (*Dir, error) {
	name = filepath.Clean(cmp.Or(name, DefaultDir))
	info, err := os.Lstat(name)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, _ := os.Readlink(name) // then it is not said
		return nil, fmt.Errorf("%s is a symbolic link to %.200q: name the directory itself", name, target)
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, fmt.Errorf("%w: name another directory", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("%w: name another directory", err)
	}
	d := &Dir{root, name}
	if err = d.trusted(); err == nil && isNew {
		err = d.prepare()
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return d, nil
}

// trusted refuses a directory in which strangers can write.
func (d *Dir) trusted() error {
	info, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	if why := strangers(info); why != "" {
		return fmt.Errorf("%s %s, and cfnlocal runs programs from it: name another directory", d.path, why)
	}
	return nil
}

// prepare keeps a new directory out of repositories, and makes it durable: its
// files could be so and it not.
func (d *Dir) prepare() error {
	err := d.WriteFile(".gitignore", []byte("*\n"))
	if err != nil {
		return fmt.Errorf("the directory %s cannot be written: %w", d.path, err)
	}
	parent, err := os.Open(filepath.Dir(d.path))
	if err != nil {
		return err
	}
	return errors.Join(syncDir(parent), parent.Close())
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Gone reports whether the directory was removed or moved since it was opened.
func (d *Dir) Gone() bool {
	there, err := os.Lstat(d.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	opened, err := d.root.Stat(".")
	return err == nil && !os.SameFile(there, opened)
}

// Path is the path of what a name names.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Stat describes a file or a directory. Like all that follows, it refuses everything else,
// and fails with fs.ErrNotExist, by errors.Is, if there is nothing.
func (d *Dir) Stat(name string) (info fs.FileInfo, err error) {
	err = d.within(name, func(string) error { info, err = d.root.Lstat(name); return err })
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, d.refuse(name, "a symbolic link")
	case info.IsDir(), info.Mode().IsRegular():
		return info, nil
	}
	return nil, d.refuse(name, "no file") // to open a pipe would wait for whoever writes to it
}

func (d *Dir) refuse(name, what string) error {
	return fmt.Errorf("%s is %s: delete it", d.Path(name), what)
}

// OpenFile opens a file, as os.OpenFile does. One that is written is its owner's alone, and
// has no other name: what that names would be written too.
func (d *Dir) OpenFile(name string, flag int) (*os.File, error) {
	info, err := d.Stat(name)
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && info.IsDir():
		return nil, d.refuse(name, "no file")
	case err == nil && writes && hasOtherNames(info):
		return nil, d.refuse(name, "a hard link")
	}
	f, err := d.root.OpenFile(name, flag, 0o600)
	if err == nil && writes {
		_ = f.Chmod(0o600) // it can have come with other rights
	}
	return f, err
}

// ReadFile returns the content of a file, which is no longer than a state can be.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	f, err := d.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() > maxFile:
		return nil, errTooLong
	}
	text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = text.ReadFrom(io.LimitReader(f, maxFile))
	return text.Bytes(), err
}

var errTooLong = fmt.Errorf("it has more than %d bytes, which no stack needs", maxFile)

// WriteFile writes a file, in the place of one that there may be.
func (d *Dir) WriteFile(name string, text []byte) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// MkdirAll makes a directory and those that it is in, unless they are there.
func (d *Dir) MkdirAll(name string) error {
	switch info, err := d.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return d.root.MkdirAll(name, 0o700)
	case err == nil && !info.IsDir():
		return d.refuse(name, "no directory")
	default:
		return err
	}
}

// List returns the names of what is in a directory: "." is all of it.
func (d *Dir) List(name string) ([]string, error) {
	if _, err := d.Stat(name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.Readdirnames(-1)
}

// Remove removes a file, or whatever else is in its place, and not what a link leads to.
func (d *Dir) Remove(name string) error { return d.within(name, d.root.Remove) }

// RemoveAll removes a directory with what is in it, as Remove does.
func (d *Dir) RemoveAll(name string) error { return d.within(name, d.root.RemoveAll) }

// within does something with a name that no link leads to.
func (d *Dir) within(name string, do func(string) error) error {
	if parent := path.Dir(name); parent != "." {
		switch info, err := d.Stat(parent); {
		case err != nil:
			return err
		case !info.IsDir():
			return d.refuse(parent, "no directory")
		}
	}
	return do(name)
}

// Rename gives a file another name, in the place of what has it.
func (d *Dir) Rename(from, to string) error {
	return d.within(from, func(string) error {
		return d.within(to, func(string) error { return d.root.Rename(from, to) })
	})
}

// replace puts a new state in the place of the one that there is, if any. After each step,
// NAME.json is whole: the new state once the last rename is done, else the old.
func (s *Store) replace(stack string, data []byte) error {
	file, previous, fresh := stack+stateExt, stack+previousExt, stack+newExt
	if err := s.write(fresh, data); err != nil {
		return err
	}
	err := s.keepPrevious(file, previous)
	if err == nil {
		err = s.fs.Rename(fresh, file)
	}
	if err != nil {
		_ = s.fs.Remove(fresh) // it takes room that may be wanting
		return err
	}
	return s.fs.syncDir()
}

// write makes a file with durable content. If it fails, there is no such file.
func (s *Store) write(name string, data []byte) error {
	if err := s.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a save that was cut off
		return err
	}
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // or the rename can be durable before the content is
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = s.fs.Remove(name)
	}
	return err
}

// keepPrevious gives the state that is about to be replaced a second name. It is for people whose
// state is damaged from outside, and lags behind: by what was appended to it, and maybe by a save.
func (s *Store) keepPrevious(file, previous string) error {
	if err := s.fs.Remove(previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := s.fs.Link(file, previous)
	if errors.Is(err, errors.ErrUnsupported) {
		var data []byte
		if data, err = s.fs.ReadFile(file); err == nil {
			err = s.write(previous, data)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first save
	}
	return err
}

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
