package blackbox_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// errNotFound is what the service says of a thing that it does not have.
var errNotFound = errors.New("no such thing")

// A store keeps things in a folder, one file each, named for the thing and
// holding its tag. Processes that share the folder share the things.
type store struct{ folder string }

// open returns the store of the folder in the environment variable STATE. It makes the process end
// when its standard input does: with the test, however that ends.
func open() store {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(9)
	}()
	return store{os.Getenv("STATE")}
}

// put makes the thing name, or changes its tag.
func (s store) put(name, tag string) error {
	return os.WriteFile(filepath.Join(s.folder, name), []byte(tag), 0o600)
}

// add makes a thing under a name of the service's own choice.
func (s store) add(tag string) (name string, err error) {
	for n := 1; ; n++ {
		name = fmt.Sprintf("svc-%d", n)
		f, err := os.OpenFile(filepath.Join(s.folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(tag)
		return name, errors.Join(err, f.Close())
	}
}

// find returns the thing that bears tag, or "".
func (s store) find(tag string) (name string, err error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if b, err := os.ReadFile(filepath.Join(s.folder, e.Name())); err == nil && string(b) == tag {
			return e.Name(), nil
		}
	}
	return "", nil
}

// has reports whether there is a thing called name.
func (s store) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.folder, name))
	return err == nil
}

// remove removes the thing name.
func (s store) remove(name string) error {
	err := os.Remove(filepath.Join(s.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return errNotFound
	}
	return err
}

// count counts the calls of what, for what goes wrong only the first times.
func (s store) count(what string) int {
	folder := s.folder + "-counts"
	_ = os.MkdirAll(folder, 0o700)
	b, _ := os.ReadFile(filepath.Join(folder, what))
	_ = os.WriteFile(filepath.Join(folder, what), append(b, '.'), 0o600)
	return len(b) + 1
}

// called writes a line to the log that says that the handler was called. The
// test counts these lines.
func called(method, physicalID string) { fmt.Printf("CALL %s %s\n", method, physicalID) }
