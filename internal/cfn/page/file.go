package page

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes the page of a stack to a file that its owner alone can read. One
// that is there is replaced once the page is whole; what is no regular file, such as
// /dev/stdout, is written to.
func (v View) WriteFile(name string) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return v.writeTo(f)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = v.writeTo(f)
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // part of a page
	}
	return err
}

// writeTo writes the page, and closes the file.
func (v View) writeTo(f *os.File) error {
	w := bufio.NewWriter(f)
	return errors.Join(v.Write(w), w.Flush(), f.Close())
}
