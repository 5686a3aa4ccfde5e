package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A storyLine is a line of a story. It is formatted only when the story is needed.
type storyLine struct {
	at     time.Duration
	format string
	args   []any

	requestID string          // the RequestId, if it is about one
	kind      engine.NoteKind // of what happened to it
}

// logfLocked adds a line to the story. The caller holds the lock. args must not change later.
func (s *Stack) logfLocked(format string, args ...any) {
	happened.Add(1)
	s.lines = append(s.lines, storyLine{at: s.now().Sub(s.began), format: format, args: args})
}

// logAboutLocked is logfLocked for what happens to a request. The caller holds the lock.
func (s *Stack) logAboutLocked(x *exchange, kind engine.NoteKind, format string, args ...any) {
	s.logfLocked(format, args...)
	last := &s.lines[len(s.lines)-1]
	last.requestID, last.kind = x.sent.RequestID, kind
}

// logAbout is logAboutLocked for a caller that does not hold the lock.
func (s *Stack) logAbout(x *exchange, kind engine.NoteKind, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logAboutLocked(x, kind, format, args...)
}

// logf is logfLocked for a caller that does not hold the lock.
func (s *Stack) logf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logfLocked(format, args...)
}

// text is the line in words.
func (l storyLine) text() string { return strings.TrimSpace(fmt.Sprintf(l.format, l.args...)) }

// Story returns the story.
func (s *Stack) Story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, l := range s.lines {
		fmt.Fprintf(&b, "%8v  %s\n", l.at.Truncate(time.Second), strings.TrimRight(fmt.Sprintf(l.format, l.args...), " "))
	}
	return b.String()
}

// StatusText returns a status with its reason, if there is one.
func StatusText(status, reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}

// A requestText is a request in words: its type, and the names of the properties, or of
// those that change.
type requestText struct{ q *engine.Request }

func (r requestText) String() string {
	q := r.q
	text := q.RequestType + " of " + q.LogicalID
	if q.PhysicalID != "" {
		text += " (" + q.PhysicalID + ")"
	}
	switch q.RequestType {
	case "Create":
		text += " with " + cmp.Or(strings.Join(slices.Sorted(maps.Keys(sentProperties(q.Properties))), ", "), "no properties")
	case "Update":
		if changed := q.Changed(); len(changed) > 0 {
			text += ": " + strings.Join(changed, ", ") + " changed"
		} else {
			text += ": the same properties"
		}
	}
	return text
}

// Shown returns all that happened, for a page: the stacks, the oldest first, notes that their events
// do not have, and when the first began. Like the story, it has no values of properties.
func (s *Stack) Shown() (stacks []*engine.Stack, beside []engine.Note, began time.Time) {
	// The story's lines about requests.
	s.mu.Lock()
	lives := slices.Concat(s.deletedStacks, []*engine.Live{s.live})
	began = s.began
	for _, l := range s.lines {
		if l.requestID != "" {
			text := l.text()
			if l.kind == engine.NoteFault { // the page shows the kind
				text = strings.TrimPrefix(text, "FAULT ")
			}
			beside = append(beside, engine.Note{At: began.Add(l.at), Kind: l.kind, Request: l.requestID, Text: text})
		}
	}
	s.mu.Unlock()

	// The stacks, without the values of properties.
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
		stacks = append(stacks, copied)
	}
	return stacks, beside, began
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

// A Violation is something that no handler may do, not even when it fails.
type Violation struct {
	Text    string
	TooSoon bool // a request succeeded before the thing that it waits for was ready
	GoesOn  bool // a request was answered while its work went on
}

// violate records a violation. The caller holds the lock.
func (s *Stack) violate(format string, args ...any) {
	s.addViolation(Violation{Text: fmt.Sprintf(format, args...)})
}

func (s *Stack) addViolation(v Violation) {
	s.violations = append(s.violations, v)
	s.logfLocked("  WRONG: %s", strings.ReplaceAll(v.Text, "\n", "; "))
}

// TakeViolations returns the violations since it was last called.
func (s *Stack) TakeViolations() (taken []Violation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken, s.violations = s.violations, nil
	return taken
}
