package play

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// page returns the contents of a page about all that happened. Like the story, it has
// no values of properties.
func (p *Simulator) page() *page.Story {
	p.mu.Lock()
	lives := slices.Concat(p.deletedStacks, []*engine.Live{p.live})
	began := p.began
	var beside []page.Note
	for _, l := range p.lines {
		if l.requestID != "" {
			text := l.text()
			if l.kind == page.Fault { // the kind is said by the page
				text = strings.TrimPrefix(text, "FAULT ")
			}
			beside = append(beside, page.Note{At: began.Add(l.at), Kind: l.kind, Request: l.requestID, Text: text})
		}
	}
	p.mu.Unlock()
	s := &page.Story{Beside: beside, Clock: func(t time.Time) string { return t.Sub(began).Truncate(time.Second).String() }}
	for _, live := range lives {
		if live == nil {
			continue
		}
		var copied *engine.Stack
		live.Look(func(stack *engine.Stack) { copied, _ = stack.Clone() }) // cannot fail: plain data
		for _, q := range copied.Requests {
			q.Properties, q.OldProperties = masked(q.Properties), masked(q.OldProperties)
			q.Answer = maskedData(q.Answer)
			for _, unread := range [][]string{q.Late, q.Lost} {
				for i := range unread {
					unread[i] = maskedData(unread[i])
				}
			}
		}
		s.Stacks = append(s.Stacks, copied)
	}
	return s
}

// mask stands for a value.
const mask = "****"

// masked returns properties with each value replaced by mask.
func masked(p engine.Properties) engine.Properties {
	if p == "" {
		return p
	}
	all := p.Map()
	for name := range all {
		if name != "ServiceToken" {
			all[name] = mask
		}
	}
	text, _ := json.Marshal(all) // cannot fail: strings
	return engine.Properties(text)
}

// maskedData returns an answer with each value of its Data replaced by mask.
func maskedData(answer string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(answer), &fields) != nil {
		return answer
	}
	data, _ := fields["Data"].(map[string]any)
	for name := range data {
		data[name] = mask
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return answer
	}
	return string(text)
}

// write writes the page of a finding into a directory, which it creates if needed.
func (f finding) write(t *testing.T, dir string) {
	t.Helper()
	if dir == "" || f.page == nil {
		return
	}
	s := f.page
	s.Title = string(f.harm)
	s.Facts = []page.Fact{
		{Name: "After " + f.at.String(), Text: f.detail},
		{Name: "What should have been", Text: harms[f.harm].rule},
		{Name: "CloudFormation would have", Text: harms[f.harm].consequence},
		{Name: "The history", Text: f.history.String(), Code: true},
		{Name: "To play it again", Text: "cfntest.Replay(t, contract, \"" + f.history.String() + "\")", Code: true},
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
