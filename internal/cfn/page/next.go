package page

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// written counts the pages of each name, of which there may be several.
var written = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

// WriteNext writes the story as the next page of a name, such as a test's, into a
// directory, which it creates if needed. It returns the file's name.
func (s *Story) WriteNext(dir, name string) (file string, err error) {
	base := filepath.Join(dir, notInNames.ReplaceAllString(name, "-"))
	written.Lock()
	written.of[base]++
	file = base + "-" + strconv.Itoa(written.of[base]) + ".html"
	written.Unlock()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	return file, s.View().WriteFile(file)
}
