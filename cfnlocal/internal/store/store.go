// Package store keeps the state of stacks in a directory, a JSON file and a
// journal per stack, so that a program that is killed at any moment finds the
// last state that it kept when it runs again, or the one that it was about to keep.
//
// # Files
//
//	NAME.json            the state, as it was saved
//	NAME.journal         the changes since
//	NAME.json.previous   the state of the save before
//	NAME.json.new        a save that has not come to its end
//	NAME.lock            who works on the stack
//
// A state is written to NAME.json.new, made durable, and renamed to NAME.json; then the directory
// is made durable. NAME.json is never written to. A change is appended to NAME.journal and made
// durable, at a cost that depends on its length; the next save has it in the state, and begins
// another journal. Files are readable by their owner alone, since a stack's properties hold
// secrets, and a .gitignore keeps the directory out of repositories.
//
// NAME.json holds a schema's version, the stack's name, the save's number, the state, and a
// checksum of it, in JSON that can be reformatted but not edited. NAME.journal says which save
// it goes on from, and holds a line per change, with a checksum of it and of all lines before; a
// last line that was cut off is left out. An unreadable file is reported by name, with a remedy,
// and never overwritten; so is a NAME.json that is gone while NAME.json.previous is there.
//
// What else belongs to a stack, such as its log and the programs that were built for it, is
// beside these, and only [Store.Beside] reaches it. The store follows no symbolic link, because the
// directory can come with somebody else's repository.
//
// # Locks
//
// Whoever changes a stack holds its lock; reading needs none. On Linux, macOS and BSD a lock ends
// with its process, however that ends. Elsewhere it is the existence of the lock's file, and a
// process that is killed leaves it behind: the error says which file to delete.
//
// # What it cannot do
//
// It is for one machine and a local file system: locks of network file systems are as good as those
// are. If a disk loses what it reported as durable, so does the store.
package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

const (
	stateExt    = ".json"
	olderExt    = ".previous"
	previousExt = stateExt + olderExt
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

// Stacks returns the names of the stacks that there are, sorted. One whose state is lost is there as long as the state of the
// save before is.
func (s *Store) Stacks() ([]string, error) {
	files, err := s.fs.List()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listed: %w", s.dir, err)
	}
	var names []string
	for _, file := range files {
		name, ok := strings.CutSuffix(strings.TrimSuffix(file, olderExt), stateExt)
		if ok && checkName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
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
		return zero, s.damaged(stack, stateExt, "it does not hold a stack's state: "+describe(err))
	}
	for n, change := range changes {
		if err := apply(&state, change); err != nil {
			return zero, s.damaged(stack, journalExt, fmt.Sprintf("the change in its line %d does not fit this stack", n+2))
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
		return e, nil, s.unreadable(stack+journalExt, err)
	}
	data, err := s.fs.ReadFile(stack + stateExt)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.has(stack+previousExt):
		return e, nil, &UnusableError{s.path(stack + stateExt), "is gone, and the state of the save before it is still there", s.recovery(stack)}
	case errors.Is(err, fs.ErrNotExist):
		return e, nil, fmt.Errorf("there is no stack %s in %s: %w", stack, s.dir, fs.ErrNotExist)
	case err != nil:
		return e, nil, s.unreadable(stack+stateExt, err)
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
	if other, is := errors.AsType[*schemaError](err); is {
		return &UnusableError{s.path(stack + ext), other.Error(), other.next()}
	}
	return s.damaged(stack, ext, err.Error())
}

// unreadable is the error of a file that the system does not read.
func (s *Store) unreadable(file string, err error) error {
	return &UnusableError{s.path(file), "cannot be read: " + err.Error(), "make it a file that you can read, or delete it to forget the stack"}
}

// An UnusableError is a file that is not as this program wrote it, or cannot be read. It is left as it is.
type UnusableError struct {
	File, Why string // such as "is damaged: it is empty"
	Next      string // what the user can do
}

func (e *UnusableError) Error() string { return e.File + " " + e.Why }

// Damaged is the error of a stack's state that is none, though it could be read.
func (s *Store) Damaged(stack, why string) error { return s.damaged(stack, stateExt, why) }

// damaged is the error of a state, or its journal, that cannot be read.
func (s *Store) damaged(stack, ext, why string) error {
	file, next := s.path(stack+ext), s.recovery(stack)
	if ext == journalExt {
		next = "to continue from the state before these changes, rm " + printable.Word(file) + "; " + s.forgetting(stack)
	}
	return &UnusableError{file, "is damaged: " + why, next}
}

// recovery says how to continue with a stack whose state is lost.
func (s *Store) recovery(stack string) string {
	file, previous := s.path(stack+stateExt), s.path(stack+previousExt)
	restore := "restore " + file + " from a copy"
	if data, err := s.fs.ReadFile(stack + previousExt); err == nil {
		if _, err := decode(stack, data); err == nil {
			restore = "to continue from the state before, cp " + printable.Word(previous) + " " + printable.Word(file)
		}
	}
	return restore + "; " + s.forgetting(stack)
}

// forgetting says how to forget a stack.
func (s *Store) forgetting(stack string) string {
	command := []string{"to forget the stack, rm"}
	for _, ext := range []string{stateExt, previousExt} {
		if s.has(stack + ext) {
			command = append(command, printable.Word(s.path(stack+ext)))
		}
	}
	return strings.Join(command, " ")
}

// has reports whether there is something of a name.
func (s *Store) has(name string) bool {
	_, err := s.fs.Stat(name)
	return err == nil
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }

// maxName is how long a stack's name can be in CloudFormation.
const maxName = 128

// reserved are the names that Windows keeps for devices, whatever follows their first dot.
const reserved = " con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 "

// checkName reports what is wrong with a stack's name. CloudFormation has
// letters, digits and hyphens, the first of them a letter (AWS CloudFormation
// API Reference, CreateStack), so that a name is never a path.
func checkName(name string) error {
	switch {
	case !nameForm.MatchString(name) || len(name) > maxName:
		return &NameError{fmt.Sprintf("%.40q is not a stack's name: use letters, digits and hyphens, begin with a letter, and use at most %d characters", name, maxName)}
	case strings.Contains(reserved, " "+strings.ToLower(name)+" "):
		return &NameError{"the stack's name " + name + " is a device's on Windows"}
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

// A NameError is a name that no stack can have.
type NameError struct{ text string }

func (e *NameError) Error() string { return e.text }

// A Stamp shows whether something was saved or appended, without reading it. The zero
// value is the stamp of a stack that does not exist.
type Stamp struct{ state, journal fs.FileInfo }

// Stamp returns a stack's stamp of this moment. Take it before Load: what is kept
// in between gives it another.
func (s *Store) Stamp(stack string) (t Stamp, err error) {
	if err := checkName(stack); err != nil {
		return t, err
	}
	if t.journal, err = s.fs.Stat(stack + journalExt); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Stamp{}, err
	}
	t.state, err = s.fs.Stat(stack + stateExt)
	return t, err
}

// Same reports whether nothing was kept between two stamps.
func (s Stamp) Same(other Stamp) bool {
	return SameFile(s.state, other.state) && SameFile(s.journal, other.journal)
}

// SameFile reports whether a file is as it was; nil is one that is not there. It compares the
// files as well as their times: a save replaces the file, and two can be made within what the
// file system takes for one moment.
func SameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// The mark of a directory, within it, and the key that marks are made with, in the user's configuration.
const (
	markFile = ".mark"
	keyFile  = "key"
	keySize  = 32
)

// Marked reports whether this user marked the directory on this machine, at the path that it has now. A
// mark is a MAC of the path. A copy at another path, or from another user or machine, does not have it.
// Who can write in the marked directory can change what is there, and the mark still holds.
func (s *Store) Marked() bool {
	kept, err := s.beside.ReadFile(markFile)
	if err != nil {
		return false
	}
	want, err := s.mark()
	return err == nil && hmac.Equal(kept, want)
}

// Mark marks the directory.
func (s *Store) Mark() error {
	mark, err := s.mark()
	if err != nil {
		return err
	}
	return s.beside.WriteFile(markFile, mark)
}

func (s *Store) mark() ([]byte, error) {
	path, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	key, err := userKey()
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(path)) // a hash never fails
	return hex.AppendEncode(nil, mac.Sum(nil)), nil
}

// userKey returns the user's key, which it makes if there is none.
func userKey() ([]byte, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	d, err := OpenDir(filepath.Join(config, "cfnlocal"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	key, err := d.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = newKey(d)
	}
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s is not a key: delete it", d.Path(keyFile))
	}
	return key, err
}

// newKey makes a key, and returns the one that is kept: another process may have made one meanwhile.
func newKey(d *Dir) ([]byte, error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	fresh := keyFile + "." + rand.Text()
	if err := d.WriteFile(fresh, key); err != nil {
		return nil, err
	}
	err := osFileSystem{d}.Link(fresh, keyFile) // fails if there is one
	if errors.Is(err, errors.ErrUnsupported) {
		err = d.Rename(fresh, keyFile)
	}
	_ = d.Remove(fresh)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return d.ReadFile(keyFile)
}
