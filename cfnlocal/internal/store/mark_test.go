package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// userConfig gives the test's user an empty configuration.
func userConfig(t *testing.T) string {
	t.Helper()
	config := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, config)
	}
	return config
}

// TestMarkIsOfOneDirectory: a mark holds for the directory at its path, by whatever way it is reached, and
// not for a copy of it, nor for another user.
func TestMarkIsOfOneDirectory(t *testing.T) {
	userConfig(t)
	at := t.TempDir()
	dir, moved := filepath.Join(at, "stacks"), filepath.Join(at, "moved")
	s := open(t, dir)
	if s.Marked() {
		t.Error("a new directory has a mark")
	}
	if err := s.Mark(); err != nil {
		t.Fatal(err)
	}
	if !open(t, dir).Marked() {
		t.Error("the mark was not kept")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(at, link); err == nil && !open(t, filepath.Join(link, "stacks")).Marked() {
		t.Error("the directory has no mark behind a symbolic link")
	}
	if err := os.CopyFS(moved, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if open(t, moved).Marked() {
		t.Error("a copy has the mark")
	}
	userConfig(t)
	if s.Marked() {
		t.Error("the mark holds for another user")
	}
}

// TestKeyIsMadeOnce: a process that makes the first key while another one does gets the other's. Only its owner can
// read it, and nothing else is left.
func TestKeyIsMadeOnce(t *testing.T) {
	userConfig(t)
	first, err := userKey()
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenDir(filepath.Join(config, "cfnlocal"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if second, err := newKey(d); err != nil || !bytes.Equal(first, second) {
		t.Errorf("there is another key: %v", err)
	}
	left, err := d.List(".")
	if err != nil || len(left) != 2 { // with .gitignore
		t.Errorf("%q, %v", left, err)
	}
	if info, err := d.Stat(keyFile); err != nil || !locksAreFiles && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestNoMarkWithoutConfiguration: where no key can be kept, nothing is marked, and Mark says why.
func TestNoMarkWithoutConfiguration(t *testing.T) {
	file := filepath.Join(userConfig(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, config := range []string{"", file} {
		for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
			t.Setenv(name, config)
		}
		s := open(t, filepath.Join(t.TempDir(), "stacks"))
		if err := s.Mark(); err == nil || s.Marked() {
			t.Errorf("with the configuration %q: %v", config, err)
		}
	}
}
