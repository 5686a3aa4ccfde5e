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
			var e *DamagedError
			if !errors.As(err, &e) || e.File != file || e.Previous != previous {
				t.Fatalf("loaded with %v, want a DamagedError of both files", err)
			}
			for _, part := range []string{file, test.want, "copy " + previous + " over it", "delete both"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q has no %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error %q repeats what is in the state", err)
			}
			if test.name != "another type" { // of which Save knows nothing
				if err := lock(t, s, "app").Save(state{Status: "third"}); !errors.As(err, &e) {
					t.Errorf("saved over it with %v", err)
				}
			}
			if now, err := os.ReadFile(file); err != nil || test.name != "another type" && !bytes.Equal(now, damaged) {
				t.Errorf("the file has changed to %q, %v", now, err)
			}

			// As the error says.
			good, err := os.ReadFile(previous)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, good, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := load[state](s, "app"); err != nil || got.Status != "first" {
				t.Errorf("the state before it is %+v, %v", got, err)
			}
		})
	}
}

// Where there is no state before it, none is offered.
func TestDamageWithoutPrevious(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "app.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
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
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, compact.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := load[state](s, "app"); err != nil || got.Status != "OK" {
		t.Errorf("loaded %+v, %v", got, err)
	}
}

// A newer program's file is neither read nor overwritten, whatever else it has
// become.
func TestNewerSchema(t *testing.T) {
	for _, text := range []string{`{"Schema": 3, "Stack": "app", "State": {}}`, `{"Schema": 3, "Stack": {"Name": "app"}, "SHA256": 7}`} {
		dir := t.TempDir()
		s := open(t, dir)
		file := filepath.Join(dir, "app.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := load[state](s, "app")
		want := file + ": it is of schema 3, and this program knows schema 2 alone: use the newer program that wrote it"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("loaded with %v, want %s", err, want)
		}
		if err := lock(t, s, "app").Save(1); err == nil {
			t.Error("it was overwritten")
		}
	}
}
