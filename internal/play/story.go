package play

import (
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

// logfLocked adds a line to the story. The caller holds the lock. args must not
// change later.
func (p *Simulator) logfLocked(format string, args ...any) {
	p.lines = append(p.lines, storyLine{at: p.now().Sub(p.began), format: format, args: args})
}

// logAboutLocked is logfLocked for what happens to a request. The caller holds the
// lock.
func (p *Simulator) logAboutLocked(x *exchange, kind page.Kind, format string, args ...any) {
	p.logfLocked(format, args...)
	last := &p.lines[len(p.lines)-1]
	last.requestID, last.kind = x.request.RequestID, kind
}

// logAbout is logAboutLocked for a caller that does not hold the lock.
func (p *Simulator) logAbout(x *exchange, kind page.Kind, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logAboutLocked(x, kind, format, args...)
}

// logf is logfLocked for a caller that does not hold the lock.
func (p *Simulator) logf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logfLocked(format, args...)
}

// text is the line in words.
func (l storyLine) text() string { return strings.TrimSpace(fmt.Sprintf(l.format, l.args...)) }

// Story returns the story.
func (p *Simulator) Story() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, l := range p.lines {
		fmt.Fprintf(&b, "%8v  %s\n", l.at.Truncate(time.Second), strings.TrimRight(fmt.Sprintf(l.format, l.args...), " "))
	}
	return b.String()
}

// withReason returns a status with its reason, if there is one.
func withReason(status, reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}

// A requestText is the text of a request: its type, and the names of the properties, or of
// those that change.
type requestText struct{ q *engine.Request }

func (s requestText) String() string {
	q := s.q
	text := q.RequestType + " of " + q.LogicalID
	if q.PhysicalID != "" {
		text += " (" + q.PhysicalID + ")"
	}
	switch q.RequestType {
	case "Create":
		text += " with " + joinOr(slices.Sorted(maps.Keys(sentProperties(q.Properties))), "no properties")
	case "Update":
		if changed := q.Changed(); len(changed) > 0 {
			text += ": " + strings.Join(changed, ", ") + " changed"
		} else {
			text += ": the same properties"
		}
	}
	return text
}

func joinOr(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// String says how a call ended, without its properties.
func (k Call) String() string {
	s := "the handler's " + k.Method
	if k.PhysicalID != "" {
		s += " of " + k.PhysicalID
	}
	switch {
	case k.Error == errDead.Error():
		s += " ended with the process"
	case k.Code != "":
		s += " failed: " + k.Code
	case k.Error != "":
		s += " failed"
	case k.Returned != "":
		s += " returned " + k.Returned
	case k.Method == "Find":
		s += " found nothing"
	default:
		s += " returned"
	}
	if k.Created != "" {
		s += ", and named " + k.Created
	}
	if k.Abandoned {
		s += ", long after its context had ended"
	}
	return s
}
