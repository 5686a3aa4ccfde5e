package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const (
	stateExt    = ".json"
	previousExt = ".json.previous"
	newExt      = ".json.new"
	journalExt  = ".journal"
	lockExt     = ".lock"
)

// A Store is a directory of stacks. It can be used by several goroutines and processes at a time.
type Store struct {
	dir    string
	fs     fileSystem
	beside *Dir
}

// Open returns the store in a directory, as OpenDir opens it. Close it.
func Open(dir string) (*Store, error) {
	d, err := OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir: d.path, fs: osFileSystem{d}, beside: d}, nil
}

// Beside is the same directory, for what is kept beside the states. It is closed with the store.
func (s *Store) Beside() *Dir { return s.beside }

// Close releases the directory. Locks are released on their own.
func (s *Store) Close() error { return s.fs.Close() }

// Stacks returns the names of the stacks that there are, sorted.
func (s *Store) Stacks() ([]string, error) {
	files, err := s.fs.List()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listed: %w", s.dir, err)
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

// Load returns a stack's state as it was saved last, with the changes that were appended since,
// which apply makes. It needs no lock: a save or an append under way is seen as a whole or not at
// all. The error is fs.ErrNotExist (by errors.Is) if there is no such stack.
func Load[T any](s *Store, stack string, apply func(state *T, change json.RawMessage) error) (state T, err error) {
	var zero T
	e, changes, err := s.load(stack)
	if err != nil {
		return zero, err
	}
	if err := json.Unmarshal(e.State, &state); err != nil {
		return zero, s.damaged(stack, stateExt, "its state is none of a stack: "+describe(err))
	}
	for n, change := range changes {
		if err := apply(&state, change); err != nil {
			return zero, s.damaged(stack, journalExt, fmt.Sprintf("the change in its line %d is none of this stack", n+2))
		}
	}
	return state, nil
}

// load returns a stack's state as it was saved, and what was appended. The
// journal is read first: whatever is saved and appended meanwhile, the two
// together are no older than what was kept before.
func (s *Store) load(stack string) (e envelope, changes []json.RawMessage, err error) {
	if err := checkName(stack); err != nil {
		return e, nil, err
	}
	journal, err := s.fs.ReadFile(stack + journalExt)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, nil, fmt.Errorf("%s cannot be read: %w", s.path(stack+journalExt), err)
	}
	data, err := s.fs.ReadFile(stack + stateExt)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil, fmt.Errorf("there is no stack %s in %s: %w", stack, s.dir, fs.ErrNotExist)
	} else if err != nil {
		return e, nil, fmt.Errorf("%s cannot be read: %w", s.path(stack+stateExt), err)
	}
	if e, err = decode(stack, data); err != nil {
		return e, nil, s.unread(stack, stateExt, err)
	}
	if changes, err = readJournal(&e, journal); err != nil {
		return e, nil, s.unread(stack, journalExt, err)
	}
	return e, changes, nil
}

// unread is the error of a file that is not as it was written.
func (s *Store) unread(stack, ext string, err error) error {
	if errors.As(err, new(*schemaError)) {
		return fmt.Errorf("%s: %w", s.path(stack+ext), err)
	}
	return s.damaged(stack, ext, err.Error())
}

// A DamagedError is a state that cannot be read. It is left as it is.
type DamagedError struct {
	File     string // the state, or its journal
	Previous string // the state before it, or "" if there is none
	Why      string
	Next     string // what to do
}

func (e *DamagedError) Error() string {
	return e.File + " is damaged: " + e.Why + "; " + e.Next
}

func (s *Store) damaged(stack, ext, why string) error {
	e := &DamagedError{File: s.path(stack + ext), Why: why}
	if ext == journalExt {
		e.Previous = s.path(stack + stateExt)
		e.Next = "to go on from the state before what is in it, delete it; to forget the stack, delete " + e.Previous + " too"
		return e
	}
	e.Next = "restore it from a copy, or delete it to forget the stack"
	if data, err := s.fs.ReadFile(stack + previousExt); err == nil {
		if _, err := decode(stack, data); err == nil {
			e.Previous = s.path(stack + previousExt)
			e.Next = "to go on from the state before it, copy " + e.Previous + " over it; to forget the stack, delete both"
		}
	}
	return e
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }
