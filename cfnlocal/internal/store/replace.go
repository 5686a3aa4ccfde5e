package store

import (
	"errors"
	"io/fs"
)

// replace puts a new state in the place of the one that there is, if any. After each step,
// NAME.json is whole: the new state once the last rename is done, else the old.
func (s *Store) replace(stack string, data []byte) error {
	file, previous, fresh := stack+stateExt, stack+previousExt, stack+newExt
	if err := s.write(fresh, data); err != nil {
		return err
	}
	err := s.keepPrevious(file, previous)
	if err == nil {
		err = s.fs.Rename(fresh, file)
	}
	if err != nil {
		_ = s.fs.Remove(fresh) // it takes room that may be wanting
		return err
	}
	return s.fs.SyncDir()
}

// write makes a file with durable content. If it fails, there is no such file.
func (s *Store) write(name string, data []byte) error {
	if err := s.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a save that was cut off
		return err
	}
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // or the rename can be durable before the content is
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = s.fs.Remove(name)
	}
	return err
}

// keepPrevious gives the state that is about to be replaced a second name. It is for people whose
// state is damaged from outside, and lags behind: by what was appended to it, and maybe by a save.
func (s *Store) keepPrevious(file, previous string) error {
	if err := s.fs.Remove(previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := s.fs.Link(file, previous)
	if errors.Is(err, errors.ErrUnsupported) {
		var data []byte
		if data, err = s.fs.ReadFile(file); err == nil {
			err = s.write(previous, data)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first save
	}
	return err
}
