package simulate

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// Page returns the contents of a page about all that happened. Like the story, it has
// no values of properties.
func (s *Stack) Page() *page.Story {
	s.mu.Lock()
	lives := slices.Concat(s.deletedStacks, []*engine.Live{s.live})
	began := s.began
	var beside []page.Note
	for _, l := range s.lines {
		if l.requestID != "" {
			text := l.text()
			if l.kind == page.Fault { // the kind is said by the page
				text = strings.TrimPrefix(text, "FAULT ")
			}
			beside = append(beside, page.Note{At: began.Add(l.at), Kind: l.kind, Request: l.requestID, Text: text})
		}
	}
	s.mu.Unlock()
	story := &page.Story{Beside: beside, Clock: func(t time.Time) string { return t.Sub(began).Truncate(time.Second).String() }}
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
		story.Stacks = append(story.Stacks, copied)
	}
	return story
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
