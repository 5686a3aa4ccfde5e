package store

import (
	"errors"
	"fmt"
	"io/fs"
)

// A Lock is the right to change a stack. It is for one goroutine at a time.
type Lock struct {
	store   *Store
	stack   string
	known   bool     // the file has been read or written under this lock
	number  uint64   // of the save that is in the file
	head    string   // the first line of its journal, once this lock has saved
	journal *journal // nil if there is none yet
	release func() error
}

// A LockedError is a stack that somebody else has locked.
type LockedError struct {
	Stack string
	PID   int    // of the process that has the lock, 0 if it is not known
	File  string // the lock's, if deleting it is the way out should that process have ended; else ""
}

func (e *LockedError) Error() string {
	text := "another process works on the stack " + e.Stack
	if e.PID != 0 {
		text = fmt.Sprintf("the process %d works on the stack %s", e.PID, e.Stack)
	}
	if e.File != "" {
		return text + ": wait for it; if it has ended, delete " + e.File
	}
	return text + ": wait for it, or end it"
}

// Lock takes the lock of a stack, which need not exist yet. The error is a
// *LockedError if somebody else has it. Unlock it.
func (s *Store) Lock(stack string) (*Lock, error) {
	if err := checkName(stack); err != nil {
		return nil, err
	}
	release, holder, err := s.fs.Lock(stack + lockExt)
	if errors.Is(err, errLocked) {
		locked := &LockedError{Stack: stack, PID: holder}
		if locksAreFiles {
			locked.File = s.path(stack + lockExt)
		}
		return nil, locked
	} else if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w", s.path(stack+lockExt), err)
	}
	return &Lock{store: s, stack: stack, release: release}, nil
}

// Locked reports whether somebody has the lock of a stack. It keeps nobody from taking it.
func (s *Store) Locked(stack string) bool {
	return checkName(stack) == nil && s.fs.Locked(stack+lockExt)
}

// Unlock gives the lock back. Nothing can be done with it after that.
func (l *Lock) Unlock() error {
	if l.release == nil {
		return nil
	}
	l.end()
	release := l.release
	l.release = nil
	if err := release(); err != nil {
		return fmt.Errorf("the lock of the stack %s cannot be given back: %w", l.stack, err)
	}
	return nil
}

var errUnlocked = errors.New("the lock has been given back")

// Save replaces the stack's state, with all that was appended to it. If it returns an error, the
// state is the one before, or, where only the last step failed, the new one: whole in any case. A
// state that cannot be read is not replaced.
func (l *Lock) Save(state any) error {
	if l.release == nil {
		return errUnlocked
	}
	if !l.known {
		e, _, err := l.store.load(l.stack)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.known, l.number = true, e.Save
	}
	l.end()
	data, head, err := encode(l.stack, l.number+1, state)
	if err != nil {
		return fmt.Errorf("the state of the stack %s cannot be encoded: %w", l.stack, err)
	}
	if len(data) > maxFile {
		return l.unsaved(l.stack+stateExt, errTooLong)
	}
	if err := l.store.replace(l.stack, data); err != nil {
		return l.unsaved(l.stack+stateExt, err)
	}
	l.number++
	l.head = head
	_ = l.store.fs.Remove(l.stack + journalExt) // it is of an older save, and says so
	return nil
}

// An UnsavedError is a state that could not be written: the disk is full, or the
// directory's rights do not allow it. What was saved before is whole.
type UnsavedError struct {
	Stack, File string
	Err         error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("the state of the stack %s cannot be saved to %s: %v; the last state that was saved is complete", e.Stack, e.File, e.Err)
}

// Unwrap is what the system says.
func (e *UnsavedError) Unwrap() error { return e.Err }

func (l *Lock) unsaved(file string, err error) error {
	return &UnsavedError{l.stack, l.store.path(file), err}
}
