package play

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// write writes the page of a finding into a directory, which it creates if needed.
func (f finding) write(t *testing.T, dir string) {
	t.Helper()
	if dir == "" || f.page == nil {
		return
	}
	s := f.page
	s.Title = f.harm.name
	s.Facts = []page.Fact{
		{Name: "After " + f.at.String(), Text: f.detail},
		{Name: "What should have been", Text: f.harm.rule},
		{Name: "CloudFormation would have", Text: f.harm.consequence},
		{Name: "The history", Text: f.line(), Code: true},
		{Name: "To play it again", Text: "cfntest.Replay(t, contract, \"" + f.line() + "\")", Code: true},
	}
	if f.harm == leftBehind {
		s.Left = []page.Left{{Name: theResource, Text: f.detail}}
	}
	name := nextPage(filepath.Join(dir, notInNames.ReplaceAllString(t.Name(), "-")))
	if err := writePage(name, s); err != nil {
		t.Errorf("cfntest.Explore: the page of the history cannot be written: %v", err)
		return
	}
	t.Logf("cfntest.Explore: a page of it: %s", name)
}

// pages counts the pages of each test, which may call Explore more than once.
var pages = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// nextPage returns the name of the file for the next page of a test.
func nextPage(test string) string {
	pages.Lock()
	defer pages.Unlock()
	pages.of[test]++
	return test + "-" + strconv.Itoa(pages.of[test]) + ".html"
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

func writePage(name string, s *page.Story) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	return s.View().WriteFile(name)
}
