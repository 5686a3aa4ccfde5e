package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"testing"
)

// A memory is a file system that can lose power. What was written is durable
// once the file has been synced, and names once the directory has been; until
// then, after a crash, any of it may be there and any may not.
//
// It has no permissions and one process.
type memory struct {
	files   map[string]*inode // as a running program sees them
	durable map[string]*inode // as they are certain to be after a crash
	pending []entries         // changes of names since the last SyncDir
	noLinks bool

	steps  int   // changes so far
	failAt int   // the number of the change that fails, 0 for none
	err    error // with what it fails
	dead   bool  // after it, all fails
}

type inode struct {
	data    []byte
	durable bool
}

// entries is one change of names, which happens as a whole: nil is no file.
type entries map[string]*inode

var errCrash = errors.New("the power is gone")

// step counts a change, and says whether it fails.
func (m *memory) step() error {
	m.steps++
	if m.steps == m.failAt || m.dead {
		m.dead = m.dead || errors.Is(m.err, errCrash)
		return m.err
	}
	return nil
}

func (m *memory) change(e entries) error {
	if err := m.step(); err != nil {
		return err
	}
	m.pending = append(m.pending, e)
	apply(m.files, e)
	return nil
}

func apply(files map[string]*inode, e entries) {
	for name, i := range e {
		if files[name] = i; i == nil {
			delete(files, name)
		}
	}
}

func (m *memory) ReadFile(name string) ([]byte, error) {
	if i := m.files[name]; i != nil {
		return bytes.Clone(i.data), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) Create(name string) (file, error) {
	if m.files[name] != nil {
		return nil, fs.ErrExist
	}
	i := &inode{}
	return &memoryFile{m, i}, m.change(entries{name: i})
}

func (m *memory) Rename(from, to string) error {
	return m.change(entries{to: m.files[from], from: nil})
}

func (m *memory) Link(from, to string) error {
	switch {
	case m.noLinks:
		return errors.ErrUnsupported
	case m.files[from] == nil:
		return fs.ErrNotExist
	}
	return m.change(entries{to: m.files[from]})
}

func (m *memory) Remove(name string) error {
	if m.files[name] == nil {
		return fs.ErrNotExist
	}
	return m.change(entries{name: nil})
}

func (m *memory) SyncDir() error {
	if err := m.step(); err != nil {
		return err
	}
	m.durable, m.pending = maps.Clone(m.files), nil
	return nil
}

func (m *memory) List() ([]string, error) { return slices.Collect(maps.Keys(m.files)), nil }

func (m *memory) Lock(string) (func() error, int, error) {
	return func() error { return nil }, 0, nil
}
func (m *memory) Close() error { return nil }

type memoryFile struct {
	m *memory
	i *inode
}

func (f *memoryFile) Write(p []byte) (int, error) {
	if err := f.m.step(); err != nil {
		f.i.data = append(f.i.data, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	f.i.data = append(f.i.data, p...)
	return len(p), nil
}

func (f *memoryFile) Sync() error {
	if err := f.m.step(); err != nil {
		return err
	}
	f.i.durable = true
	return nil
}

func (f *memoryFile) Close() error { return nil }

// afterCrash returns what may be found when the power is back: any of the
// changes of names, and of content that was not synced all, half or nothing.
func (m *memory) afterCrash() (all []*memory) {
	for chosen := range 1 << len(m.pending) {
		files := maps.Clone(m.durable)
		for n, e := range m.pending {
			if chosen&(1<<n) != 0 {
				apply(files, e)
			}
		}
		for share := range 3 {
			found := &memory{files: map[string]*inode{}, noLinks: m.noLinks}
			for name, i := range files {
				data := i.data
				if !i.durable {
					data = data[:len(data)*share/2]
				}
				found.files[name] = &inode{data: data, durable: true}
			}
			found.durable = maps.Clone(found.files)
			all = append(all, found)
		}
	}
	return all
}

// play makes a store with some saves, and then saves once more with failure at
// a change.
func play(t *testing.T, noLinks bool, saves, failAt int, failure error) (*memory, error) {
	t.Helper()
	m := &memory{files: map[string]*inode{}, durable: map[string]*inode{}, noLinks: noLinks}
	l, err := (&Store{fs: m}).Lock("app")
	if err != nil {
		t.Fatal(err)
	}
	for n := range saves {
		if err := l.Save(n + 1); err != nil {
			t.Fatal(err)
		}
	}
	m.steps, m.failAt, m.err = 0, failAt, failure
	return m, l.Save(saves + 1)
}

// A crash at any change, whatever the disk had kept to itself, leaves the state
// before or the new one; and once Save has returned, the new one. The next
// save finds its way from there.
func TestCrashAtEveryStep(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		for saves := range 4 {
			t.Run(fmt.Sprintf("save %d, no links %t", saves+1, noLinks), func(t *testing.T) {
				found := 0
				for failAt, done := 1, false; !done; failAt++ {
					m, err := play(t, noLinks, saves, failAt, errCrash)
					done = err == nil
					for _, after := range m.afterCrash() {
						found++
						checkAfter(t, failAt, after, saves, done)
					}
				}
				t.Logf("%d disks were looked at", found)
			})
		}
	}
}

func checkAfter(t *testing.T, failAt int, m *memory, saves int, done bool) {
	t.Helper()
	s := &Store{fs: m}
	got, err := Load[int](s, "app")
	switch {
	case err == nil && got == saves+1, err == nil && got == saves && !done:
	case errors.Is(err, fs.ErrNotExist) && saves == 0 && !done:
	default:
		t.Fatalf("after a crash at change %d there is %d, %v; saved were %d, done is %t; files %v", failAt, got, err, saves, done, slices.Sorted(maps.Keys(m.files)))
	}
	l, err := s.Lock("app")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Save(100); err != nil {
		t.Fatalf("after a crash at change %d, the next save: %v", failAt, err)
	}
	if got, err := Load[int](s, "app"); got != 100 || err != nil {
		t.Fatalf("after a crash at change %d, the next save left %d, %v", failAt, got, err)
	}
}

// An error of any change, after which the program goes on, is returned and
// leaves the state before, or the new one where only its durability failed; and
// the room that a save has taken is given back.
func TestErrorAtEveryStep(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		t.Run(fmt.Sprintf("no links %t", noLinks), func(t *testing.T) {
			for failAt := 1; ; failAt++ {
				m, err := play(t, noLinks, 2, failAt, syscall.ENOSPC)
				if err == nil {
					if failAt < 7 {
						t.Errorf("a save is %d changes only", failAt-1)
					}
					return
				}
				if !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("change %d: %v, want ENOSPC in it", failAt, err)
				}
				s := &Store{fs: m}
				got, err := Load[int](s, "app")
				if isLast := m.steps == failAt; err != nil || got != 2 && !isLast || got == 3 && m.files["app.json.new"] != nil {
					t.Errorf("change %d: there is %d, %v", failAt, got, err)
				}
				if m.files["app.json.new"] != nil {
					t.Errorf("change %d: the file of the save is still there", failAt)
				}
				l, err := s.Lock("app")
				if err != nil {
					t.Fatal(err)
				}
				if err := l.Save(4); err != nil {
					t.Errorf("change %d: the next save: %v", failAt, err)
				}
			}
		})
	}
}

// A crash while a stack is removed leaves it whole or gone.
func TestCrashAtRemove(t *testing.T) {
	for failAt, done := 1, false; !done; failAt++ {
		m := &memory{files: map[string]*inode{}, durable: map[string]*inode{}}
		l, err := (&Store{fs: m}).Lock("app")
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if err := l.Save(n + 1); err != nil {
				t.Fatal(err)
			}
		}
		m.steps, m.failAt, m.err = 0, failAt, errCrash
		done = l.Remove() == nil
		for _, after := range m.afterCrash() {
			got, err := Load[int](&Store{fs: after}, "app")
			if gone := errors.Is(err, fs.ErrNotExist); !gone && (done || got != 2) {
				t.Errorf("change %d: there is %d, %v, done is %t", failAt, got, err, done)
			}
		}
	}
}
