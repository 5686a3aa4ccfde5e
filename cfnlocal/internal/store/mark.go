package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
