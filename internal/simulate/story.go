package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// A storyLine is a line of a story. It is formatted only when the story is needed.
type storyLine struct {
	at     time.Duration
	format string
	args   []any

	requestID string    // the RequestId, if it is about one
	kind      page.Kind // of what happened to it
}

// logfLocked adds a line to the story. The caller holds the lock. args must not change later.
func (s *Stack) logfLocked(format string, args ...any) {
	happened.Add(1)
	s.lines = append(s.lines, storyLine{at: s.now().Sub(s.began), format: format, args: args})
}

// logAboutLocked is logfLocked for what happens to a request. The caller holds the lock.
func (s *Stack) logAboutLocked(x *exchange, kind page.Kind, format string, args ...any) {
	s.logfLocked(format, args...)
	last := &s.lines[len(s.lines)-1]
	last.requestID, last.kind = x.sent.RequestID, kind
}

// logAbout is logAboutLocked for a caller that does not hold the lock.
func (s *Stack) logAbout(x *exchange, kind page.Kind, format string, args ...any) {
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
