package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// View returns the contents of the story's page.
func (s *Story) View() View {
	b := &builder{Story: s, numbers: map[string]int{}, about: map[string][]engine.Note{}}
	if b.Hide == nil {
		b.Hide = func(text []byte) []byte { return text }
	}
	if b.Clock == nil {
		b.Clock = func(t time.Time) string { return t.UTC().Format(time.TimeOnly) }
	}
	// The notes about each request.
	for _, n := range s.Beside {
		if n.Request != "" {
			b.about[n.Request] = append(b.about[n.Request], n)
		}
	}
	// The parts before and after the operations, and each stack's operations.
	v := View{Title: s.Title, Next: s.Next, Log: s.Log, Served: s.Served, Settled: true}
	for _, f := range s.Facts {
		v.Facts = append(v.Facts, Fact{Name: f.Name, Text: b.hide(f.Text), Code: f.Code})
	}
	for _, l := range s.Left {
		v.Left = append(v.Left, Left{Name: l.Name, Text: b.hide(l.Text)})
	}
	for i, stack := range s.Stacks {
		b.was, b.at, b.stacks = map[string]string{}, map[string]string{}, map[string]*engine.Stack{}
		for _, one := range stack.All() {
			b.stacks[one.ID] = one
		}
		chapters := b.chapters(stack)
		for j, c := range chapters {
			c.last = i == len(s.Stacks)-1 && j == len(chapters)-1
			v.Operations = append(v.Operations, b.operation(c, len(v.Operations)+1))
		}
		v.Title = cmp.Or(v.Title, stack.Name)
		v.Status, v.Class, v.Reason, v.ID = stack.Status, Class(stack.Status), b.hide(stack.StatusReason), stack.ID
		v.Settled, v.Live = stack.AtRest(), s.Served && !stack.AtRest()
	}
	return v
}

// A builder makes a view, one operation after the other.
type builder struct {
	*Story
	was     map[string]string        // the status that each lane ended in
	at      map[string]string        // the physical ID that each resource has
	stacks  map[string]*engine.Stack // the stacks, by ID
	numbers map[string]int           // the number of each request, by its RequestId
	about   map[string][]engine.Note // by RequestId
}

func (b *builder) hide(text string) string { return string(b.Hide([]byte(text))) }

// A chapter is one operation with its rows, requests and notes.
type chapter struct {
	stack *engine.Stack // the root stack
	from  time.Time
	rows  []engine.Row
	sent  []*engine.Request
	notes []engine.Note        // about no request
	began map[string]time.Time // when requests were sent, by their RequestId
	scale *scale
	last  bool
}

// slack is how much later than its request a row can be: rows have times of their own,
// a millisecond apart.
const slack = 5 * time.Millisecond

func (b *builder) chapters(stack *engine.Stack) (all []*chapter) {
	// A chapter begins with the first row after the stack was at rest.
	atRest := true
	for _, row := range stack.Rows(nil) {
		ofRoot := row.OfStack() && row.StackId == stack.ID
		if len(all) == 0 || ofRoot && atRest {
			all = append(all, &chapter{stack: stack, from: row.Timestamp, began: map[string]time.Time{}})
		}
		if ofRoot {
			atRest = !strings.HasSuffix(row.ResourceStatus, "_IN_PROGRESS") || row.ResourceStatus == "REVIEW_IN_PROGRESS"
		}
		c := all[len(all)-1]
		c.rows = append(c.rows, row)
	}
	if len(all) == 0 {
		return nil
	}
	// Requests and notes go to the chapter of their time, or of the row that they belong to.
	in := func(t time.Time) *chapter {
		i := len(all) - 1
		for i > 0 && all[i].from.After(t.Add(slack)) {
			i--
		}
		return all[i]
	}
	pairs := pair(stack, all)
	for _, q := range stack.Sent() {
		c := in(q.SentAt)
		if row, known := pairs[q.RequestID]; known {
			c = row.in
			c.began[q.RequestID] = row.at
		}
		c.sent = append(c.sent, q)
	}
	for _, n := range b.Beside {
		isHere := n.StackID == "" || n.StackID == stack.ID
		isShown := n.Request == "" && n.Kind != engine.NoteWrote
		if isHere && isShown {
			c := in(n.At)
			c.notes = append(c.notes, n)
		}
	}
	return all
}

func (b *builder) times(c *chapter) (all []time.Time) {
	for _, row := range c.rows {
		all = append(all, row.Timestamp)
	}
	for _, q := range c.sent {
		all = append(all, c.time(q, q.SentAt))
		if !q.ClosedAt.IsZero() {
			all = append(all, c.time(q, q.ClosedAt))
		}
		for _, n := range b.about[q.RequestID] {
			if n.Kind != engine.NoteWrote {
				all = append(all, c.time(q, n.At))
			}
		}
	}
	return all
}

// A paired is the place and the time of the row that came with a request.
type paired struct {
	in *chapter
	at time.Time
}

// pair finds the row that came with each request, by its RequestId. Rows have times of
// their own, a millisecond apart, which can be ahead of the requests': each request of
// a resource comes with the next row that says that it is in progress. If there are
// more requests than rows, or more rows than requests, none are paired.
func pair(stack *engine.Stack, chapters []*chapter) map[string]paired {
	type resource struct{ stack, name string }
	rows, sent := map[resource][]paired{}, map[resource][]*engine.Request{}
	for _, c := range chapters {
		for _, row := range c.rows {
			if strings.HasSuffix(row.ResourceStatus, "_IN_PROGRESS") && row.ResourceStatusReason == "" {
				owner := resource{row.StackId, row.LogicalResourceId}
				rows[owner] = append(rows[owner], paired{c, row.Timestamp})
			}
		}
	}
	for _, q := range stack.Sent() {
		owner := resource{q.StackID, q.LogicalID}
		sent[owner] = append(sent[owner], q)
	}
	pairs := map[string]paired{}
	for owner, all := range sent {
		for i, q := range all {
			if len(rows[owner]) == len(all) {
				pairs[q.RequestID] = rows[owner][i]
			}
		}
	}
	return pairs
}

// time is the time of a request's event, by the rows' clock.
func (c *chapter) time(q *engine.Request, t time.Time) time.Time {
	if began := c.began[q.RequestID]; began.After(t) {
		return began
	}
	return t
}

func (b *builder) operation(c *chapter, number int) Operation {
	times := b.times(c)
	c.scale = newScale(times)
	o := Operation{Number: number, Name: operationName(c.rows[0].ResourceStatus), Began: b.Clock(c.from), Ticks: c.scale.ticks()}
	// How it ended, and how long it took.
	for _, row := range slices.Backward(c.rows) {
		if row.OfStack() && row.StackId == c.stack.ID {
			o.Status, o.Class = row.ResourceStatus, Class(row.ResourceStatus)
			break
		}
	}
	o.Took = span(slices.MaxFunc(times, time.Time.Compare).Sub(c.from))
	// The lanes, the entries and the table of rows.
	var skips []engine.Note
	for _, n := range c.notes {
		if n.Kind == engine.NoteSkip {
			skips = append(skips, n)
		}
	}
	o.Waits = c.scale.waits(skips)
	o.Entries = b.entries(c, number)
	o.Lanes, o.StandIns, o.Untouched = b.lanes(c)
	for _, row := range c.rows {
		o.Rows = append(o.Rows, Row{
			At:       b.Clock(row.Timestamp),
			Name:     row.Name,
			Type:     row.ResourceType,
			Status:   row.ResourceStatus,
			Class:    Class(row.ResourceStatus),
			Physical: b.hide(row.PhysicalResourceId),
			Reason:   b.hide(row.Why()),
		})
	}
	return o
}

// operationName names the operation, by its first status.
func operationName(status string) string {
	names := map[string]string{"review": "Create", "create": "Create", "update": "Update", "delete": "Delete", "rollback": "Rollback", "import": "Import"}
	return cmp.Or(names[short(status)], status)
}

// id is the anchor of a request on the page.
func (b *builder) id(q *engine.Request) string {
	return fmt.Sprintf("request-%d", b.numbers[q.RequestID])
}

// Class returns the style of a status, on the page and on a terminal: as in the console, green if complete, red if it
// failed or is rolled back, blue if it is in progress.
func Class(status string) string {
	switch {
	case status == "":
		return ""
	case status == "DELETE_COMPLETE":
		return "gone"
	case status == "DELETE_SKIPPED":
		return "kept"
	case strings.HasSuffix(status, "_FAILED"):
		return "fail"
	case strings.Contains(status, "ROLLBACK") && strings.HasSuffix(status, "_COMPLETE"):
		return "undone"
	case strings.Contains(status, "ROLLBACK"):
		return "back"
	case !strings.HasSuffix(status, "_IN_PROGRESS"):
		return "done"
	}
	return "work"
}

// short is a status in one word.
func short(status string) string {
	word, _, _ := strings.Cut(strings.ToLower(status), "_")
	switch {
	case strings.Contains(status, "CLEANUP"):
		return "cleanup"
	case strings.Contains(status, "ROLLBACK"):
		return "rollback"
	case strings.HasSuffix(status, "_FAILED"):
		return "failed"
	}
	return word
}

// span writes how long something took.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{h, "h"}, {m, "min"}, {s, "s"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.unit))
		}
	}
	return strings.Join(parts, " ")
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
