package play

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A line of a story. It is put into words when the story is asked for, which is
// seldom: most histories go well.
type line struct {
	at     time.Duration
	format string
	args   []any
}

// note adds a line to the story. The caller holds the lock; args do not change
// any more.
func (p *Player) note(format string, args ...any) {
	p.told = append(p.told, line{p.now().Sub(p.began), format, args})
}

// tell is note for who does not hold the lock.
func (p *Player) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(format, args...)
}

// Tale returns the story.
func (p *Player) Tale() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, l := range p.told {
		fmt.Fprintf(&b, "%8v  %s\n", l.at.Truncate(time.Second), strings.TrimRight(fmt.Sprintf(l.format, l.args...), " "))
	}
	return b.String()
}

// because is a status, and the reason for it if there is one.
func because(status, reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}

// A sentence tells a request: what is asked for, and the names of the
// properties, or of those that change.
type sentence struct{ q *engine.Request }

func (s sentence) String() string {
	q := s.q
	text := q.RequestType + " of " + q.LogicalID
	if q.PhysicalID != "" {
		text += " (" + q.PhysicalID + ")"
	}
	properties, old := sentProperties(q.Properties), sentProperties(q.OldProperties)
	switch q.RequestType {
	case "Create":
		text += " with " + listed(slices.Sorted(maps.Keys(properties)), "no properties")
	case "Update":
		text += ": " + listed(changed(properties, old), "the same properties")
		if len(changed(properties, old)) > 0 {
			text += " changed"
		}
	}
	return text
}

// changed returns the names of what differs.
func changed(properties, old map[string]any) (names []string) {
	for name, v := range properties {
		if was, ok := old[name]; !ok || !reflect.DeepEqual(v, was) {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, ok := properties[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func listed(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// String says what became of a call, without what it was about.
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
	if k.WentOn {
		s += ", long after its context had ended"
	}
	return s
}
