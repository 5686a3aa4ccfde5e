package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// journalled makes a stack with a save and three changes, and returns its
// journal's file.
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
		}, "the change in its line 2 is none of this stack"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// A journal is damaged.
			s, file := journalled(t)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			damaged := test.damage(bytes.Clone(data))
			if bytes.Equal(damaged, data) {
				t.Fatal("nothing is damaged")
			}
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			// The error says what to do, and nothing is overwritten.
			_, err = load[state](s, "app")
			if e := (*DamagedError)(nil); !errors.As(err, &e) || e.File != file {
				t.Fatalf("loaded with %v, want a DamagedError of the journal", err)
			}
			for _, part := range []string{file, test.want, "delete it"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q has no %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error %q repeats what is in the state", err)
			}
			if test.name != "a change of another type" { // of which Save knows nothing
				if err := lock(t, s, "app").Save(state{Status: "new"}); !errors.As(err, new(*DamagedError)) {
					t.Errorf("saved over it with %v", err)
				}
			}
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
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		want := "saved"
		if whole := bytes.Count(data[:n], []byte("\n")); whole > 1 {
			want = fmt.Sprint("secret change ", whole-2)
		}
		lineEnd := n + bytes.IndexByte(data[n:], '\n') + 1
		for name, text := range map[string][]byte{"cut off": data[:n], "zeros": append(bytes.Clone(data[:n]), make([]byte, lineEnd-n)...)} {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
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
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l := lock(t, s, "app")
	save(t, l, state{Status: "saved"}) // the same state, but another save
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
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

// The files of another version are neither read nor overwritten.
func TestOlderSchema(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	file := filepath.Join(dir, "app.json")
	if err := os.WriteFile(file, []byte(`{"Schema": 1, "Stack": "app", "SHA256": "x", "State": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := load[state](s, "app")
	if err == nil || !strings.Contains(err.Error(), "app.json: it is of schema 1, and this program knows schema 2 alone: delete the stack with the older program") {
		t.Errorf("loaded with %v", err)
	}
	if err := lock(t, s, "app").Save(1); err == nil {
		t.Error("it was overwritten")
	}
}

// TestAppendCostsWhatTheChangeIsLong: so many bytes are written for a change,
// whatever the state's size.
func TestAppendCostsWhatTheChangeIsLong(t *testing.T) {
	written := func(stateSize int) (n int) {
		m := &memory{files: map[string]*inode{}, durable: map[string]*inode{}}
		l, err := (&Store{fs: m}).Lock("app")
		if err != nil {
			t.Fatal(err)
		}
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
	for _, text := range []string{"", head, head + "\n", head + "\n" + string(one), head + "\n" + string(one) + string(two), head + "\n" + string(two), "\n\n"} {
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
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	l, err := s.Lock("app")
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Save(strings.Repeat("x", 1<<20)); err != nil {
		b.Fatal(err)
	}
	change := json.RawMessage(`"` + strings.Repeat("y", 2000) + `"`)
	for b.Loop() {
		if err := l.Append(change); err != nil {
			b.Fatal(err)
		}
	}
}
