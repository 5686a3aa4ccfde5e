package store

import (
	"errors"
	"io/fs"
	"os"
)

// A Stamp tells whether something was saved or appended, without reading it. The zero
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
