package store

import (
	"errors"
	"io/fs"
	"testing"
)

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
