package behave

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotFound is what the service says of a thing that it does not have.
var ErrNotFound = errors.New("no such thing")

// A Service keeps things in a folder, one file each, named for the thing and
// holding its tag. Processes that share the folder share the things.
type Service struct{ Folder string }

// Open returns the service of the folder in the environment variable STATE. It
// makes the process end when its standard input does: with the test, however
// that ends.
func Open() Service {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(9)
	}()
	return Service{os.Getenv("STATE")}
}

// Put makes the thing name, or changes its tag.
func (s Service) Put(name, tag string) error {
	return os.WriteFile(filepath.Join(s.Folder, name), []byte(tag), 0o600)
}

// Make makes a thing under a name of the service's own choice.
func (s Service) Make(tag string) (name string, err error) {
	for n := 1; ; n++ {
		name = fmt.Sprintf("svc-%d", n)
		f, err := os.OpenFile(filepath.Join(s.Folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
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

// Find returns the thing that bears tag, or "".
func (s Service) Find(tag string) (name string, err error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if b, err := os.ReadFile(filepath.Join(s.Folder, e.Name())); err == nil && string(b) == tag {
			return e.Name(), nil
		}
	}
	return "", nil
}

// Has reports whether there is a thing called name.
func (s Service) Has(name string) bool {
	_, err := os.Stat(filepath.Join(s.Folder, name))
	return err == nil
}

// Remove removes the thing name.
func (s Service) Remove(name string) error {
	err := os.Remove(filepath.Join(s.Folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// Count counts the calls of what, for what goes wrong only the first times.
func (s Service) Count(what string) int {
	folder := s.Folder + "-counts"
	_ = os.MkdirAll(folder, 0o700)
	b, _ := os.ReadFile(filepath.Join(folder, what))
	_ = os.WriteFile(filepath.Join(folder, what), append(b, '.'), 0o600)
	return len(b) + 1
}

// Called writes a line to the log that says that the handler was called. The
// test counts these lines.
func Called(method, physicalID string) { fmt.Printf("CALL %s %s\n", method, physicalID) }
