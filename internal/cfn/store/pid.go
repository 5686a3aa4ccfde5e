package store

import (
	"io"
	"os"
	"strconv"
)

// readPID returns the process ID in a lock's file, or 0.
func readPID(f *os.File) int {
	text := make([]byte, 20)
	n, err := f.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return 0
	}
	pid, err := strconv.Atoi(string(text[:n]))
	if err != nil {
		return 0
	}
	return pid
}
