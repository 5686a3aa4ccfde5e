package play

import (
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
	s.Title = f.harm.Name
	s.Facts = []page.Fact{
		{Name: "After " + f.at.String(), Text: f.detail},
		{Name: "What should have been", Text: f.harm.Rule},
		{Name: "CloudFormation would have", Text: f.harm.Consequence},
		{Name: "The history", Text: f.line(), Code: true},
		{Name: "To play it again", Text: "cfntest.Replay(t, contract, \"" + f.line() + "\")", Code: true},
	}
	if f.harm == leftBehind {
		s.Left = []page.Left{{Name: theResource, Text: f.detail}}
	}
	file, err := s.WriteNext(dir, t.Name())
	if err != nil {
		t.Errorf("cfntest.Explore: the page of the history cannot be written: %v", err)
		return
	}
	t.Logf("cfntest.Explore: a page of it: %s", file)
}
