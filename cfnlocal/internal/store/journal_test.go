package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// journalled makes a stack with a save and three changes, and returns its journal's file.
func journalled(t *testing.T) (s *Store, file string) {
	t.Helper()
	dir := t.TempDir()
	s = open(t, dir)
	l := lock(t, s, "app")
	save(t, l, state{Status: "saved"})
	for n := range 3 {
		if err := l.Append(state{Status: fmt.Sprint("secret change ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(dir, "app.journal")
}

// Whatever happens to a journal from outside is an error that names it and says
// what to do; it is not overwritten, and what is said helps.
func TestJournalDamage(t *testing.T) {
	edited := func(old, with string) func([]byte) []byte {
		return func(data []byte) []byte { return bytes.Replace(data, []byte(old), []byte(with), 1) }
	}
	onLines := func(change func(lines [][]byte) [][]byte) func([]byte) []byte {
		return func(data []byte) []byte { return bytes.Join(change(bytes.SplitAfter(data, []byte("\n"))), nil) }
	}
	for _, test := range []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"the first change edited", edited("change 0", "change 9"), "its line 2"},
		{"the last change edited", edited("change 2", "change 9"), "its line 4"},
		{"another checksum", edited("\n", "\n0"), "its line 2"},
		{"a line is left out", onLines(func(l [][]byte) [][]byte { return append(l[:1], l[2:]...) }), "its line 2"},
		{"two lines have changed places", onLines(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), "its line 2"},
		{"a line stands twice", onLines(func(l [][]byte) [][]byte { return append(l[:2], l[1:]...) }), "its line 3"},
		{"a line in the middle is cut off", edited("change 1\"}\n", "ch\n"), "its line 3"},
		{"more after it", func(d []byte) []byte { return append(d, "\n"...) }, "its line 5"},
		{"another first line", edited("cfnlocal", "cfnl0cal"), "its line 1"},
		{"the first line is of another save by an edit", edited(" app 1 ", " app 2 "), "its line 1"},
		{"another thing", func([]byte) []byte { return []byte("{\"Resources\": {}}\n") }, "its line 1"},
		{"a change of another type", func(d []byte) []byte {
			head, _, _ := bytes.Cut(d, []byte("\n"))
			text, _ := line(string(head), []byte("[1]"))
			return append(append(bytes.Clone(head), '\n'), text...)
		}, "the change in its line 2 does not fit this stack"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, file := journalled(t)
			checkDamage(t, s, file, test.damage, test.name != "a change of another type", test.want, "rm "+file+"; ")
			// As the error says.
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if got, err := load[state](s, "app"); err != nil || got.Status != "saved" {
				t.Errorf("without the journal the state is %+v, %v", got, err)
			}
		})
	}
}

// A journal that was cut off at any byte, or has zeros from there, is that of a
// crash: what came before is there.
func TestJournalCutOff(t *testing.T) {
	s, file := journalled(t)
	data := read(t, file)
	for n := range data {
		want := "saved"
		if whole := bytes.Count(data[:n], []byte("\n")); whole > 1 {
			want = fmt.Sprint("secret change ", whole-2)
		}
		lineEnd := n + bytes.IndexByte(data[n:], '\n') + 1
		for name, text := range map[string][]byte{"cut off": data[:n], "zeros": append(bytes.Clone(data[:n]), make([]byte, lineEnd-n)...)} {
			write(t, file, text)
			if got, err := load[state](s, "app"); err != nil || got.Status != want {
				t.Fatalf("%s at %d the state is %+v, %v; want %s", name, n, got, err, want)
			}
		}
	}
}

// A journal goes on from one save: one that was left behind by a crash, or by
// who put an older state in its place, changes nothing.
func TestJournalOfAnotherSave(t *testing.T) {
	s, file := journalled(t)
	old := read(t, file)
	l := lock(t, s, "app")
	save(t, l, state{Status: "saved"}) // the same state, but another save
	write(t, file, old)
	if got, err := load[state](s, "app"); err != nil || got.Status != "saved" {
		t.Errorf("the state is %+v, %v", got, err)
	}
	if err := l.Append(state{Status: "later"}); err != nil {
		t.Fatal(err)
	}
	if got, err := load[state](s, "app"); err != nil || got.Status != "later" {
		t.Errorf("after a change the state is %+v, %v", got, err)
	}
}

// TestAppendCostsWhatTheChangeIsLong: so many bytes are written for a change,
// whatever the state's size.
func TestAppendCostsWhatTheChangeIsLong(t *testing.T) {
	written := func(stateSize int) (n int) {
		m := newMemory()
		l := lock(t, &Store{fs: m}, "app")
		if err := errors.Join(l.Save(strings.Repeat("x", stateSize)), l.Append("first")); err != nil {
			t.Fatal(err)
		}
		before := len(m.files["app.journal"].data)
		m.steps = 0
		if err := l.Append(strings.Repeat("y", 100)); err != nil {
			t.Fatal(err)
		}
		if m.steps != 2 {
			t.Errorf("%d changes of the disk, want a write and a sync", m.steps)
		}
		return len(m.files["app.journal"].data) - before
	}
	if small, large := written(1_000), written(100_000); small != large || small > 100+64 {
		t.Errorf("%d bytes beside a state of 1 kB, %d beside 100 kB", small, large)
	}
}

// FuzzReadJournal: whatever is in a journal, its changes are read as they were
// appended, or it is refused, and the error holds none of it.
func FuzzReadJournal(f *testing.F) {
	e := &envelope{Schema: Schema, Stack: "app", Save: 7, SHA256: checksum([]byte("1"))}
	head := journalHead(e)
	one, sum := line(head, []byte("1"))
	two, _ := line(sum, []byte(`{"a":"b"}`))
	for _, text := range []string{"", head, head + "\n", head + "\n" + string(one), head + "\n" + string(one) + string(two), head + "\n" + string(two), "\n\n", head + "\n" + strings.Replace(string(one), " 1 ", " 01 ", 1)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		changes, err := readJournal(e, data)
		if err != nil {
			if len(err.Error()) > 300 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			return
		}
		again, last := []byte(head+"\n"), head
		for _, c := range changes {
			var text []byte
			text, last = line(last, c)
			again = append(again, text...)
		}
		if len(changes) > 0 && !bytes.HasPrefix(data, again) {
			t.Errorf("%d changes are read that were not written", len(changes))
		}
	})
}

// BenchmarkAppend is what a step of a large stack costs.
func BenchmarkAppend(b *testing.B) {
	l := lock(b, open(b, b.TempDir()), "app")
	save(b, l, strings.Repeat("x", 1<<20))
	change := json.RawMessage(`"` + strings.Repeat("y", 2000) + `"`)
	for b.Loop() {
		if err := l.Append(change); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever happens to a file from outside is an error that names it and says
// what to do; nothing overwrites it, and the state before it is there.
func TestDamage(t *testing.T) {
	edited := func(old, with string) func([]byte) []byte {
		return func(data []byte) []byte { return bytes.Replace(data, []byte(old), []byte(with), 1) }
	}
	for _, test := range []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"cut off", func(d []byte) []byte { return d[:len(d)/2] }, "not JSON after"},
		{"empty", func([]byte) []byte { return nil }, "not JSON after"},
		{"zeros", func(d []byte) []byte { return make([]byte, len(d)) }, "not JSON after"},
		{"more after it", func(d []byte) []byte { return append(d, '}') }, "not JSON after"},
		{"edited", edited("second", "secret"), "checksum"},
		{"another checksum", edited(`"SHA256": "`, `"SHA256": "0`), "checksum"},
		{"another thing", func([]byte) []byte { return []byte(`{"Resources": {}}`) }, "no Schema"},
		{"null", func([]byte) []byte { return []byte(`null`) }, "no Schema"},
		{"a list", func([]byte) []byte { return []byte(`[]`) }, "another type"},
		{"no state", func([]byte) []byte { return []byte(`{"Schema": 2, "Stack": "app"}`) }, "checksum"},
		{"another stack's", edited(`"app"`, `"APP"`), `the stack "APP"`},
		{"another type", func([]byte) []byte { d, _, _ := encode("app", 1, []int{1}); return d }, "a stack's state"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// A state with one before it is damaged.
			dir := t.TempDir()
			s := open(t, dir)
			l := lock(t, s, "app")
			save(t, l, state{Status: "first"})
			save(t, l, state{Status: "second"})
			if err := l.Unlock(); err != nil {
				t.Fatal(err)
			}
			file, previous := filepath.Join(dir, "app.json"), filepath.Join(dir, "app.json.previous")
			checkDamage(t, s, file, test.damage, test.name != "another type", test.want, "cp "+previous+" "+file+"; ", "rm "+file+" "+previous)

			// As the error says.
			write(t, file, read(t, previous))
			if got, err := load[state](s, "app"); err != nil || got.Status != "first" {
				t.Errorf("the state before it is %+v, %v", got, err)
			}
		})
	}
}

// checkDamage damages a file. The error names it and says what to do, without what is in
// it, and nothing overwrites it: with noticed, Save does not either.
func checkDamage(t *testing.T, s *Store, file string, damage func([]byte) []byte, noticed bool, parts ...string) {
	t.Helper()
	data := read(t, file)
	damaged := damage(bytes.Clone(data))
	if bytes.Equal(damaged, data) {
		t.Fatal("nothing is damaged")
	}
	write(t, file, damaged)
	_, err := load[state](s, "app")
	if err == nil || !strings.HasPrefix(err.Error(), file+" is damaged: ") {
		t.Fatalf("loaded with %v, want that %s is damaged", err, file)
	}
	told := err.Error()
	if e, is := errors.AsType[*UnusableError](err); is {
		told += "\nNext: " + e.Next
	}
	for _, part := range parts {
		if !strings.Contains(told, part) {
			t.Errorf("the error %q has no %q", told, part)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error %q repeats what is in the state", err)
	}
	if !noticed {
		return
	}
	if err := lock(t, s, "app").Save(state{Status: "new"}); err == nil || !strings.Contains(err.Error(), " is damaged: ") {
		t.Errorf("saved over it with %v", err)
	}
	if now := read(t, file); !bytes.Equal(now, damaged) {
		t.Errorf("the file has changed to %q", now)
	}
}

// A state that is lost is no stack that there never was, as long as the state before it is there: it is named, and nothing takes
// its place. The state before it and its own journal do not fit, so that the former is continued from alone.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	l := lock(t, s, "app")
	save(t, l, state{Status: "first"})
	save(t, l, state{Status: "second"})
	if err := errors.Join(l.Append("change"), l.Unlock()); err != nil {
		t.Fatal(err)
	}
	file, previous := filepath.Join(dir, "app.json"), filepath.Join(dir, "app.json.previous")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	want := "to continue from the state before, cp " + previous + " " + file + "; to forget the stack, rm " + previous
	_, err := load[state](s, "app")
	if lost, is := errors.AsType[*UnusableError](err); !is || lost.Next != want || !strings.HasPrefix(lost.Error(), file+" is gone") {
		t.Errorf("loaded with %v", err)
	}
	if names, err := s.Stacks(); !slices.Equal(names, []string{"app"}) {
		t.Errorf("the stacks are %q, %v", names, err)
	}
	if err := lock(t, s, "app").Save(state{Status: "new"}); err == nil {
		t.Error("another state has taken its place")
	}
	write(t, file, read(t, previous))
	if got, err := load[state](s, "app"); err != nil || got.Status != "first" {
		t.Errorf("the state before it is %+v, %v", got, err)
	}

	// Without both, there is no stack.
	if err := errors.Join(os.Remove(file), os.Remove(previous)); err != nil {
		t.Fatal(err)
	}
	if names, err := s.Stacks(); len(names) > 0 || err != nil {
		t.Errorf("the stacks are %q, %v", names, err)
	}
	if _, err := load[state](s, "app"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("loaded with %v", err)
	}
}

// Where there is no state before it, none is offered.
func TestDamageWithoutPrevious(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	write(t, filepath.Join(dir, "app.json"), []byte("{"))
	_, err := load[state](s, "app")
	damaged, is := errors.AsType[*UnusableError](err)
	if !is || strings.Contains(damaged.Next, "previous") || !strings.HasSuffix(damaged.Next, "to forget the stack, rm "+filepath.Join(dir, "app.json")) {
		t.Errorf("loaded with %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "app.json")); err != nil {
		t.Fatal(err)
	}
	save(t, lock(t, s, "app"), 1)
}

// A file may be formatted anew: it is JSON, and people look at it.
func TestFormattedAnew(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	save(t, lock(t, s, "app"), state{"OK", []string{"a", "b"}})
	file := filepath.Join(dir, "app.json")
	var compact bytes.Buffer
	if err := json.Compact(&compact, read(t, file)); err != nil {
		t.Fatal(err)
	}
	write(t, file, compact.Bytes())
	if got, err := load[state](s, "app"); err != nil || got.Status != "OK" {
		t.Errorf("loaded %+v, %v", got, err)
	}
}

// The file of another version is neither read nor overwritten, whatever else it has.
func TestOtherSchemas(t *testing.T) {
	for text, want := range map[string]string{
		`{"Schema": 1, "Stack": "app", "SHA256": "x", "State": {}}`: "is of schema 1, and this program knows schema 2 alone: delete the stack with the older program",
		`{"Schema": 3, "Stack": "app", "State": {}}`:                "is of schema 3, and this program knows schema 2 alone: use the newer program that wrote it",
		`{"Schema": 3, "Stack": {"Name": "app"}, "SHA256": 7}`:      "is of schema 3, and this program knows schema 2 alone: use the newer program that wrote it",
	} {
		dir := t.TempDir()
		s, file := open(t, dir), filepath.Join(dir, "app.json")
		write(t, file, []byte(text))
		_, err := load[state](s, "app")
		if e, is := errors.AsType[*UnusableError](err); !is || !strings.HasPrefix(e.Error()+": "+e.Next, file+" "+want) {
			t.Errorf("loaded with %v, want %s", err, want)
		}
		if err := lock(t, s, "app").Save(1); err == nil {
			t.Error("it was overwritten")
		}
	}
}
