package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		{"another type", func([]byte) []byte { d, _, _ := encode("app", 1, []int{1}); return d }, "none of a stack"},
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
			said := checkDamage(t, s, file, test.damage, test.name != "another type", test.want, "copy "+previous+" over it", "delete both")
			if said != previous {
				t.Errorf("the state before it is said to be %q", said)
			}

			// As the error says.
			write(t, file, read(t, previous))
			if got, err := load[state](s, "app"); err != nil || got.Status != "first" {
				t.Errorf("the state before it is %+v, %v", got, err)
			}
		})
	}
}

// checkDamage damages a file. The error names it and says what to do, without what is in
// it, and nothing overwrites it: with noticed, Save does not either. It returns which file
// the error calls the state before.
func checkDamage(t *testing.T, s *Store, file string, damage func([]byte) []byte, noticed bool, parts ...string) (previous string) {
	t.Helper()
	data := read(t, file)
	damaged := damage(bytes.Clone(data))
	if bytes.Equal(damaged, data) {
		t.Fatal("nothing is damaged")
	}
	write(t, file, damaged)
	_, err := load[state](s, "app")
	e, ok := errors.AsType[*DamagedError](err)
	if !ok || e.File != file {
		t.Fatalf("loaded with %v, want a DamagedError of %s", err, file)
	}
	for _, part := range append(parts, file) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q has no %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error %q repeats what is in the state", err)
	}
	if !noticed {
		return e.Previous
	}
	if err := lock(t, s, "app").Save(state{Status: "new"}); !errors.As(err, new(*DamagedError)) {
		t.Errorf("saved over it with %v", err)
	}
	if now := read(t, file); !bytes.Equal(now, damaged) {
		t.Errorf("the file has changed to %q", now)
	}
	return e.Previous
}

// Where there is no state before it, none is offered.
func TestDamageWithoutPrevious(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	write(t, filepath.Join(dir, "app.json"), []byte("{"))
	_, err := load[state](s, "app")
	if e := (*DamagedError)(nil); !errors.As(err, &e) || e.Previous != "" || !strings.Contains(err.Error(), "delete it to forget the stack") {
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
		`{"Schema": 1, "Stack": "app", "SHA256": "x", "State": {}}`: "it is of schema 1, and this program knows schema 2 alone: delete the stack with the older program",
		`{"Schema": 3, "Stack": "app", "State": {}}`:                "it is of schema 3, and this program knows schema 2 alone: use the newer program that wrote it",
		`{"Schema": 3, "Stack": {"Name": "app"}, "SHA256": 7}`:      "it is of schema 3, and this program knows schema 2 alone: use the newer program that wrote it",
	} {
		dir := t.TempDir()
		s, file := open(t, dir), filepath.Join(dir, "app.json")
		write(t, file, []byte(text))
		if _, err := load[state](s, "app"); err == nil || !strings.Contains(err.Error(), file+": "+want) {
			t.Errorf("loaded with %v, want %s", err, want)
		}
		if err := lock(t, s, "app").Save(1); err == nil {
			t.Error("it was overwritten")
		}
	}
}
