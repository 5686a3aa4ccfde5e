package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type state struct {
	Status string
	Events []string `json:",omitempty"`
}

// load is Load with changes that replace the state.
func load[T any](s *Store, stack string) (T, error) {
	return Load(s, stack, func(state *T, change json.RawMessage) error { return json.Unmarshal(change, state) })
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func lock(t testing.TB, s *Store, stack string) *Lock {
	t.Helper()
	l, err := s.Lock(stack)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
	return l
}

func save(t testing.TB, l *Lock, v any) {
	t.Helper()
	if err := l.Save(v); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What is saved is loaded, by another process too.
func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	if names, err := s.Stacks(); len(names) != 0 || err != nil {
		t.Errorf("a new store has the stacks %q, %v", names, err)
	}
	if _, err := load[state](s, "app"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no stack app in "+dir) {
		t.Errorf("a stack that is not there: %v", err)
	}
	l := lock(t, s, "app")
	want := state{"CREATE_COMPLETE", []string{"Größe < 14 µm & more"}}
	save(t, l, state{Status: "CREATE_IN_PROGRESS"})
	save(t, l, state{Status: "CREATE_FAILED"})
	if err := l.Append(want); err != nil {
		t.Fatal(err)
	}
	save(t, lock(t, s, "Zoo-1"), json.RawMessage(`{"Status": "DELETE_FAILED"}`))

	other := open(t, dir)
	if got, err := load[state](other, "app"); err != nil || !cmp.Equal(got, want) {
		t.Errorf("loaded %+v, %v, want %+v", got, err, want)
	}
	if names, err := other.Stacks(); err != nil || !cmp.Equal(names, []string{"Zoo-1", "app"}) {
		t.Errorf("the stacks are %q, %v", names, err)
	}
}

// States hold secrets: the files are their owner's, and no repository takes them.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir)
	l := lock(t, s, "app")
	save(t, l, 1)
	save(t, l, 2)
	if err := l.Append(3); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"": 0o700, "app.json": 0o600, "app.json.previous": 0o600, "app.journal": 0o600, "app.lock": 0o600, ".gitignore": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has the mode %o, want %o", name, got, want)
		}
	}
	if text := read(t, filepath.Join(dir, ".gitignore")); string(text) != "*\n" {
		t.Errorf(".gitignore is %q", text)
	}
}

// A stack's name is never a path, a hidden file or a device, on no system.
func TestNames(t *testing.T) {
	s := open(t, t.TempDir())
	for _, name := range []string{
		"", ".", "..", "../app", "/etc/passwd", `..\app`, `C:\app`, "C:", "app/b", "app\x00", "app.json", ".gitignore", "-rf", "1app", "_app", "app b",
		"app\n", "äpp", "app%2f", "~", "$HOME", "*", strings.Repeat("a", 129), "CON", "nul", "Lpt1", "aux",
	} {
		for what, err := range map[string]error{
			"Lock": func() error { _, err := s.Lock(name); return err }(),
			"Load": func() error { _, err := load[state](s, name); return err }(),
		} {
			if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "name") {
				t.Errorf("%s(%q): %v, want an error about the name", what, name, err)
			}
		}
	}
	for _, name := range []string{"a", "Z", "my-stack-1", "app-", strings.Repeat("a", 128), "con1", "nul-", "com10"} {
		save(t, lock(t, s, name), 1)
	}
}

// Symbolic links lead nowhere: not to a file to be read, nor to one to be written.
func TestSymbolicLinks(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	write(t, outside, []byte("{}"))
	for _, name := range []string{"app.json", "app.json.new", "app.json.previous", "app.journal", "other.lock"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s := open(t, dir)
	if got, err := load[state](s, "app"); err == nil {
		t.Errorf("read %+v through a link", got)
	}
	if l, err := s.Lock("other"); err == nil {
		_ = l.Unlock()
		t.Error("locked through a link")
	}
	if err := lock(t, s, "app").Save(1); err == nil {
		t.Error("a state that could not be read was overwritten")
	}
	if text := read(t, outside); string(text) != "{}" {
		t.Errorf("the file outside is %q", text)
	}
}

// What cannot be encoded changes nothing.
func TestSaveOfWhatIsNoJSON(t *testing.T) {
	s := open(t, t.TempDir())
	l := lock(t, s, "app")
	save(t, l, 1)
	for _, bad := range []any{func() {}, json.RawMessage("{")} {
		if err := l.Save(bad); err == nil || !strings.Contains(err.Error(), "encoded") {
			t.Errorf("saved %T with %v", bad, err)
		}
	}
	if got, err := load[int](s, "app"); got != 1 || err != nil {
		t.Errorf("there is %d, %v", got, err)
	}
}

// Places where no store can be are errors that name them.
func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if s, err := Open(dir); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("Open(%s): %v, %v", dir, s, err)
		}
	}
}

// FuzzDecode: whatever is in a file, it is read as it was saved or refused, and
// the error holds none of it.
func FuzzDecode(f *testing.F) {
	good, _, err := encode("app", 7, state{"CREATE_COMPLETE", []string{"a"}})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(good), "", "{", "null", `{"Schema":1e99}`, `{"Schema":-1,"Stack":"app"}`, `{"Schema":1,"Stack":"app","SHA256":"x","State":[]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode("app", data)
		if err != nil {
			if len(err.Error()) > 300 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			return
		}
		again, _, err := encode("app", e.Save, e.State)
		if err != nil {
			t.Fatalf("what was read cannot be saved: %v", err)
		}
		if got, err := decode("app", again); err != nil || !bytes.Equal(got.State, e.State) {
			t.Errorf("saved again it is %s, %v, before it was %s", got.State, err, e.State)
		}
	})
}

// BenchmarkSave is what a save of a large stack costs.
func BenchmarkSave(b *testing.B) {
	l := lock(b, open(b, b.TempDir()), "app")
	var large state
	for i := range 5000 {
		large.Events = append(large.Events, fmt.Sprintf("CREATE_COMPLETE of the resource Thing%d, with some words about it", i))
	}
	for b.Loop() {
		save(b, l, large)
	}
}

// TestStamp: whatever is kept changes a stack's stamp, and reading does not.
func TestStamp(t *testing.T) {
	s := open(t, t.TempDir())
	if _, err := s.Stamp("shop"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stamp of no stack: %v", err)
	}
	if _, err := s.Stamp("../shop"); !errors.As(err, new(*NameError)) {
		t.Errorf("the stamp of what is no name: %v", err)
	}
	lock := lock(t, s, "shop")
	former := Stamp{}
	for n, keep := range []func() error{
		func() error { return lock.Save("a") },
		func() error { return lock.Save("b") }, // as long as the one before, and at once
		func() error { return lock.Append("c") },
		func() error { return lock.Append("d") },
		func() error { return lock.Save("e") },
	} {
		if err := keep(); err != nil {
			t.Fatal(err)
		}
		now, err := s.Stamp("shop")
		if err != nil || now.Same(former) {
			t.Errorf("step %d has left the stamp as it was (%v)", n, err)
		}
		if again, err := s.Stamp("shop"); err != nil || !again.Same(now) {
			t.Errorf("step %d: the stamp has changed, and nothing was kept (%v)", n, err)
		}
		former = now
	}
}

// A directory is gone where it was opened if another one has its place.
func TestADirectoryInAnotherPlaceIsGone(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "stacks")
	d, err := OpenDir(place)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if d.Gone() {
		t.Error("it is gone, and nobody has touched it")
	}
	if err := os.Rename(place, place+".old"); err != nil {
		t.Skip("an open directory stays where it is: ", err)
	}
	if !d.Gone() {
		t.Error("it was moved, and is not gone")
	}
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if !d.Gone() {
		t.Error("another one has its place, and it is not gone")
	}
}
