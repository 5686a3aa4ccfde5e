package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DefaultDir is where stacks are kept if nothing else is said.
const DefaultDir = ".cfnlocal"

const (
	stateExt    = ".json"
	previousExt = ".json.previous"
	newExt      = ".json.new"
	lockExt     = ".lock"
)

// A Store is a directory of stacks. It can be used by several goroutines and
// processes at a time.
type Store struct {
	dir string
	fs  fileSystem
}

// Open returns the store in a directory, which it makes if there is none:
// DefaultDir if dir is empty. Close it.
func Open(dir string) (*Store, error) {
	dir = filepath.Clean(cmp.Or(dir, DefaultDir))
	_, err := os.Stat(dir) //nolint:gosec // whoever runs the program says where the store is
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // as above
		return nil, fmt.Errorf("store: %w: name another directory", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w: name another directory", err)
	}
	s := &Store{dir: dir, fs: osFileSystem{root}}
	if isNew {
		if err := s.prepare(); err != nil {
			_ = root.Close()
			return nil, fmt.Errorf("store: the directory %s cannot be written: %w", dir, err)
		}
	}
	return s, nil
}

// prepare keeps a new directory out of repositories, and makes it durable: its
// files could be so and it not.
func (s *Store) prepare() error {
	err := s.write(".gitignore", []byte("*\n"))
	if errors.Is(err, fs.ErrExist) {
		err = nil // two have opened it at once
	}
	if err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(s.dir))
	if err != nil {
		return err
	}
	return errors.Join(syncDir(parent), parent.Close())
}

// Close releases the directory. Locks are released on their own.
func (s *Store) Close() error { return s.fs.Close() }

// Stacks returns the names of the stacks that there are, sorted.
func (s *Store) Stacks() ([]string, error) {
	files, err := s.fs.List()
	if err != nil {
		return nil, fmt.Errorf("store: %s cannot be listed: %w", s.dir, err)
	}
	var names []string
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, stateExt); ok && checkName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Load returns a stack's state. It needs no lock: a save under way is seen as a
// whole or not at all. The error is fs.ErrNotExist (by errors.Is) if there is no
// such stack.
func Load[T any](s *Store, stack string) (state T, err error) {
	raw, err := s.load(stack)
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		var zero T
		return zero, s.damaged(stack, "its state is none of a stack: "+describe(err))
	}
	return state, nil
}

// load returns a stack's state as it was saved.
func (s *Store) load(stack string) (json.RawMessage, error) {
	if err := checkName(stack); err != nil {
		return nil, err
	}
	data, err := s.fs.ReadFile(stack + stateExt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: there is no stack %s in %s: %w", stack, s.dir, fs.ErrNotExist)
	} else if err != nil {
		return nil, fmt.Errorf("store: %s cannot be read: %w", s.path(stack+stateExt), err)
	}
	state, err := decode(stack, data)
	if newer := (*newerError)(nil); errors.As(err, &newer) {
		return nil, fmt.Errorf("store: %s: %w", s.path(stack+stateExt), err)
	} else if err != nil {
		return nil, s.damaged(stack, err.Error())
	}
	return state, nil
}

// A DamagedError is a state that cannot be read. It is left as it is.
type DamagedError struct {
	File     string // the state
	Previous string // the state before it, or "" if there is none
	Why      string
}

func (e *DamagedError) Error() string {
	text := "store: " + e.File + " is damaged: " + e.Why
	if e.Previous != "" {
		return text + "; to go on from the state before it, copy " + e.Previous + " over it; to forget the stack, delete both"
	}
	return text + "; restore it from a copy, or delete it to forget the stack"
}

func (s *Store) damaged(stack, why string) error {
	e := &DamagedError{File: s.path(stack + stateExt), Why: why}
	if data, err := s.fs.ReadFile(stack + previousExt); err == nil {
		if _, err := decode(stack, data); err == nil {
			e.Previous = s.path(stack + previousExt)
		}
	}
	return e
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }
