package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// The limits of a handler's log on a page, for each request.
const (
	maxLines = 200
	maxLine  = 2000 // bytes
)

// entries are the requests and the other notes of a chapter, in the order of time.
func (b *builder) entries(c *chapter, operation int) []Entry {
	type timed struct {
		at time.Time
		Entry
	}
	var all []timed
	for _, row := range c.rows {
		text := row.ResourceStatus
		isUnexplained := Class(row.ResourceStatus) == "fail" && !c.hasRequest(row)
		switch {
		case row.OfStack() && row.StackId == c.stack.ID:
		case isUnexplained && !row.OfStack(): // no request shows why
			text = row.Name + " " + text
		default:
			continue
		}
		if row.ResourceStatusReason != "" {
			text += ": " + b.hide(row.Why())
		}
		all = append(all, timed{row.Timestamp, Entry{Note: text, Kind: "stack", Class: Class(row.ResourceStatus)}})
	}
	for _, q := range c.sent {
		b.numbers[q.RequestID] = len(b.numbers) + 1
		all = append(all, timed{c.time(q, q.SentAt), b.request(c, q)})
	}
	for _, n := range c.notes {
		all = append(all, timed{n.At, Entry{Note: b.hide(n.Text), Kind: n.Kind}})
	}
	slices.SortStableFunc(all, func(x, y timed) int { return x.at.Compare(y.at) })
	list := make([]Entry, len(all))
	for i, one := range all {
		list[i] = one.Entry
		list[i].At = b.Clock(one.at)
		if one.ID == "" {
			list[i].ID = fmt.Sprintf("note-%d-%d", operation, i+1)
		}
	}
	return list
}

// hasRequest reports whether there is a request about a row's resource.
func (c *chapter) hasRequest(row engine.Row) bool {
	return slices.ContainsFunc(c.sent, func(q *engine.Request) bool {
		return q.StackID == row.StackId && q.LogicalID == row.LogicalResourceId
	})
}

func (b *builder) request(c *chapter, q *engine.Request) Entry {
	// The request, and its outcome.
	a := Entry{
		ID:       b.id(q),
		Request:  q.RequestType,
		Name:     q.LogicalID,
		Physical: b.hide(q.PhysicalID),
		Outcome:  b.outcome(q),
		Class:    outcomes[q.Outcome].class,
		Event:    b.json(q.Event("https://hidden")),
		Reason:   b.hide(q.Reason),
	}
	if s := b.stacks[q.StackID]; s != nil {
		a.Name = s.PathOf(q.LogicalID)
	}
	if q.RequestType == "Update" {
		a.Changed = strings.Join(q.Changed(), ", ")
	}
	if !q.ClosedAt.IsZero() {
		a.Took = span(q.ClosedAt.Sub(q.SentAt))
	}
	// All answers, read or not.
	if q.Answer != "" {
		a.Answers = append(a.Answers, Answer{"The answer", b.json([]byte(q.Answer))})
	}
	for _, late := range q.Late {
		a.Answers = append(a.Answers, Answer{"An answer that came too late: nobody read it, and its handler's work is not undone", b.json([]byte(late))})
	}
	for _, lost := range q.Lost {
		a.Answers = append(a.Answers, Answer{"An answer that was lost: nobody read it, and its handler's work is not undone", b.json([]byte(lost))})
	}
	// Invocations and faults, and the handler's log.
	calls := 0
	for _, n := range b.about[q.RequestID] {
		switch n.Kind {
		case engine.NoteWrote:
			if len(a.Logged) == maxLines {
				a.More++
				continue
			}
			a.Logged = append(a.Logged, printable.Cut(b.hide(n.Text), maxLine))
			continue
		case engine.NoteCall:
			calls++
			n.Text = fmt.Sprintf("invocation %d begins", calls)
		case engine.NoteReturn:
			n.Text = "an invocation ends"
		case engine.NoteFault:
			n.Text = "fault: " + n.Text
		case engine.NoteLate:
			n.Text = "an answer comes when nobody waits for it"
		case engine.NoteLost:
			n.Text = "the answer is lost"
		}
		a.Calls = append(a.Calls, Line{At: b.Clock(c.time(q, n.At)), Text: b.hide(n.Text), Class: string(n.Kind)})
	}
	return a
}

// outcomes are the outcomes of requests, in words, and their styles.
var outcomes = map[engine.Outcome]struct{ words, class string }{
	engine.Pending:   {"waiting", "work"},
	engine.Succeeded: {"SUCCESS", "done"},
	engine.Failed:    {"FAILED", "fail"},
	engine.Rejected:  {"not accepted", "fail"},
	engine.TimedOut:  {"no answer in time", "fail"},
	engine.Uncalled:  {"could not be called", "fail"},
	engine.Cancelled: {"cancelled", "kept"},
}

// outcome describes the outcome of a request, with the ID of the new resource after a replacement.
func (b *builder) outcome(q *engine.Request) string {
	var answer struct{ PhysicalResourceId string }
	_ = json.Unmarshal([]byte(q.Answer), &answer) // it was accepted
	isUpdated := q.Outcome == engine.Succeeded && q.RequestType == "Update"
	if id := answer.PhysicalResourceId; isUpdated && id != "" && id != q.PhysicalID {
		return "SUCCESS, replaced by " + b.hide(id)
	}
	return outcomes[q.Outcome].words
}

// mark is a request on its lane.
func (b *builder) mark(c *chapter, q *engine.Request) Mark {
	m := Mark{ID: b.id(q), X: c.scale.place(c.time(q, q.SentAt)), End: 100, Class: outcomes[q.Outcome].class, Open: q.Outcome == engine.Pending,
		Unread: q.Outcome == engine.TimedOut || q.Outcome == engine.Cancelled || q.Outcome == engine.Uncalled}
	if !q.ClosedAt.IsZero() {
		m.End = c.scale.place(c.time(q, q.ClosedAt))
	}
	m.About = fmt.Sprintf("%s of %s: %s", q.RequestType, q.LogicalID, b.outcome(q))
	calls := 0
	var faults []string
	for _, n := range b.about[q.RequestID] {
		at := Point{X: c.scale.place(c.time(q, n.At)), Class: string(n.Kind)}
		switch n.Kind {
		case engine.NoteCall:
			if calls++; calls > 1 {
				at.About = fmt.Sprintf("invocation %d", calls)
				m.Calls = append(m.Calls, at)
			}
		case engine.NoteBroke:
			at.About = b.hide(n.Text)
			m.Calls = append(m.Calls, at)
		case engine.NoteFault:
			at.About = "fault " + n.Text
			m.Faults = append(m.Faults, at)
			faults = append(faults, n.Text)
		case engine.NoteLate:
			m.CameLate, m.LateAt = true, at.X
		}
	}
	if len(q.Late) > 0 && !m.CameLate { // it is not known when
		m.CameLate, m.LateAt = true, 99
	}
	if len(faults) > 0 {
		m.About += ", with the fault " + strings.Join(faults, ", ")
	}
	if calls > 1 {
		m.About += ", in " + plural(calls, "invocation")
	}
	return m
}

// json indents a JSON text, and hides its secrets. It leaves another text in its form.
func (b *builder) json(text []byte) string {
	text = b.Hide(text)
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}
