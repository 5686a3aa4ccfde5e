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
	pending []entries         // changes of names since the last syncDir
	noLinks bool

	steps  int   // changes so far
	failAt int   // the number of the change that fails, 0 for none
	err    error // with what it fails
	dead   bool  // after it, all fails
}

type inode struct {
	data   []byte
	synced int // so much of it is durable
}

// entries is one change of names, which happens as a whole: nil is no file.
type entries map[string]*inode

func newMemory() *memory { return &memory{files: map[string]*inode{}, durable: map[string]*inode{}} }

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

// Stat says only whether there is such a file.
func (m *memory) Stat(name string) (fs.FileInfo, error) { _, err := m.ReadFile(name); return nil, err }

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

func (m *memory) syncDir() error {
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
func (m *memory) Locked(string) bool { return false }
func (m *memory) Close() error       { return nil }

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
	f.i.synced = len(f.i.data)
	return nil
}

func (f *memoryFile) Close() error { return nil }

// afterCrash returns what may be found when the power is back: any of the changes of names, and of
// content that was not synced all, half, nothing, or zeros in its place.
func (m *memory) afterCrash() (all []*memory) {
	for chosen := range 1 << len(m.pending) {
		files := maps.Clone(m.durable)
		for n, e := range m.pending {
			if chosen&(1<<n) != 0 {
				apply(files, e)
			}
		}
		for share := range 4 {
			found := &memory{files: map[string]*inode{}, noLinks: m.noLinks}
			for name, i := range files {
				data := bytes.Clone(i.data[:i.synced+(len(i.data)-i.synced)*min(share, 2)/2])
				if share == 3 {
					clear(data[i.synced:])
				}
				found.files[name] = &inode{data, len(data)}
			}
			found.durable = maps.Clone(found.files)
			all = append(all, found)
		}
	}
	return all
}

// keep does one thing with a stack that counts what was done: s saves it, a appends a change.
func keep(l *Lock, what rune, count int) error {
	if what == 'a' {
		return l.Append(count)
	}
	return l.Save(count)
}

// play does things with a stack, the last of them with failure at a change.
func play(t *testing.T, noLinks bool, things string, failAt int, failure error) (*memory, error) {
	t.Helper()
	m := newMemory()
	m.noLinks = noLinks
	l := lock(t, &Store{fs: m}, "app")
	last := len(things) - 1
	for n, what := range things[:last] {
		if err := keep(l, what, n+1); err != nil {
			t.Fatal(err)
		}
	}
	m.steps, m.failAt, m.err = 0, failAt, failure
	return m, keep(l, rune(things[last]), last+1)
}

// histories are what is done with a stack, the last thing being looked at.
var histories = []string{"s", "ss", "sss", "ssss", "sa", "saa", "saaa", "sas", "saas", "saasa", "sssa", "sasas"}

// A crash at any change, whatever the disk had kept to itself, leaves the state before or the new
// one; and once Save or Append has returned, the new one. The next save finds its way from there.
func TestCrashAtEveryStep(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		for _, things := range histories {
			t.Run(fmt.Sprintf("%s, no links %t", things, noLinks), func(t *testing.T) {
				found := 0
				for failAt, done := 1, false; !done; failAt++ {
					m, err := play(t, noLinks, things, failAt, errCrash)
					done = err == nil
					for _, after := range m.afterCrash() {
						found++
						checkAfter(t, failAt, after, len(things)-1, done)
					}
				}
				t.Logf("%d disks were looked at", found)
			})
		}
	}
}

func checkAfter(t *testing.T, failAt int, m *memory, before int, done bool) {
	t.Helper()
	s := &Store{fs: m}
	got, err := load[int](s, "app")
	switch {
	case err == nil && got == before+1, err == nil && got == before && !done:
	case errors.Is(err, fs.ErrNotExist) && before == 0 && !done:
	default:
		t.Fatalf("after a crash at change %d there is %d, %v; kept were %d, done is %t; files %v", failAt, got, err, before, done, slices.Sorted(maps.Keys(m.files)))
	}
	l := lock(t, s, "app")
	if err := l.Append(99); err == nil {
		t.Fatalf("after a crash at change %d, a change was appended to nothing", failAt)
	}
	for n, what := range "saa" {
		if err := keep(l, what, 100+n); err != nil {
			t.Fatalf("after a crash at change %d, the next %c: %v", failAt, what, err)
		}
		if got, err := load[int](s, "app"); got != 100+n || err != nil {
			t.Fatalf("after a crash at change %d, the next %c left %d, %v", failAt, what, got, err)
		}
	}
}

// An error of any change, after which the program goes on, is returned and
// leaves the state before, or the new one where only its durability failed; the
// room that a save has taken is given back; and after a save all goes on.
func TestErrorAtEveryStep(t *testing.T) {
	for _, noLinks := range []bool{false, true} {
		for things, changes := range map[string]int{"sss": 6, "sa": 4, "saa": 2, "saas": 6} {
			t.Run(fmt.Sprintf("%s, no links %t", things, noLinks), func(t *testing.T) {
				for failAt := 1; ; failAt++ {
					m, err := play(t, noLinks, things, failAt, syscall.ENOSPC)
					if err == nil {
						if failAt <= changes {
							t.Errorf("it is %d changes only", failAt-1)
						}
						return
					}
					checkError(t, m, failAt, len(things)-1, err)
				}
			})
		}
	}
}

func checkError(t *testing.T, m *memory, failAt, before int, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("change %d: %v, want ENOSPC in it", failAt, err)
	}
	s := &Store{fs: m}
	if got, err := load[int](s, "app"); err != nil || got != before && got != before+1 {
		t.Errorf("change %d: there is %d, %v", failAt, got, err)
	}
	if m.files["app.json.new"] != nil {
		t.Errorf("change %d: the file of the save is still there", failAt)
	}
	l := lock(t, s, "app")
	for n, what := range "sa" {
		if err := keep(l, what, 100+n); err != nil {
			t.Errorf("change %d: the next %c: %v", failAt, what, err)
		}
		if got, err := load[int](s, "app"); got != 100+n || err != nil {
			t.Errorf("change %d: after the next %c there is %d, %v", failAt, what, got, err)
		}
	}
}

// After a change could not be appended, none is until the state has been saved:
// what would follow what was cut off could not be read.
func TestNothingFollowsAFailedAppend(t *testing.T) {
	m := newMemory()
	l := lock(t, &Store{fs: m}, "app")
	if err := errors.Join(l.Save(1), l.Append(2)); err != nil {
		t.Fatal(err)
	}
	m.steps, m.failAt, m.err = 0, 1, syscall.ENOSPC
	if err := l.Append(3); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := l.Append(4); err == nil {
		t.Error("a change followed")
	}
	if err := errors.Join(l.Save(5), l.Append(6)); err != nil {
		t.Error(err)
	}
	if got, err := load[int](l.store, "app"); got != 6 || err != nil {
		t.Errorf("there is %d, %v", got, err)
	}
}
