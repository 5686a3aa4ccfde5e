package page

import (
	"fmt"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An operation is what somebody asks for, until the stack is at rest: a rollback and
// a cleanup belong to the update that they come of.
func TestOperations(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue", "Index")
	s.fail = "Index"
	s.deploy("two", "Queue", "Index")
	s.remove()
	var got []string
	for _, o := range s.story().View().Operations {
		got = append(got, o.Name+" "+o.Status+": "+strings.Join(asked(o), ", "))
	}
	want := []string{
		"Create CREATE_COMPLETE: Create Queue SUCCESS, Create Index SUCCESS",
		"Update UPDATE_ROLLBACK_COMPLETE: Update Queue SUCCESS, Update Index FAILED, Update Queue SUCCESS, Update Index SUCCESS",
		"Delete DELETE_COMPLETE: Delete Index SUCCESS, Delete Queue SUCCESS",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a replacement leaves to the cleanup has a lane of its own: the resource is
// there while its former one goes.
func TestReplacementHasTwoLanes(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue")
	s.id = "id-2"
	s.deploy("two", "Queue")
	o := s.story().View().Operations[1]
	now, was := lane(t, o, "Queue", ""), lane(t, o, "Queue", "Queueid-1")
	if got := statuses(now); got[len(got)-1] != "UPDATE_COMPLETE" || len(now.Requests) != 1 || !strings.HasPrefix(now.Requests[0].About, "Update of Queue") {
		t.Errorf("%v %+v", got, now.Requests)
	}
	if got := statuses(was); !slices.Equal(got, []string{"DELETE_IN_PROGRESS", "DELETE_COMPLETE"}) || len(was.Requests) != 1 || !strings.HasPrefix(was.Requests[0].About, "Delete of Queue") {
		t.Errorf("%v %+v", got, was.Requests)
	}

	requests := slices.DeleteFunc(o.Entries, func(a Entry) bool { return a.Request == "" })
	if got := requests[0]; got.Changed != "Value" || got.Outcome != "SUCCESS, replaced by Queueid-2" {
		t.Errorf("the list says %q, %q", got.Changed, got.Outcome)
	}

	s.remove()
	if o := s.story().View().Operations[2]; o.Untouched != 0 {
		t.Errorf("%d resources not touched by the deletion", o.Untouched)
	}
}

// A resource that the update removes is deleted in the cleanup, and is not counted after that.
func TestRemovedIsGone(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue", "Index")
	s.deploy("one", "Queue")
	s.deploy("two", "Queue", "Bucket")
	v := s.story().View()
	if got := []int{v.Operations[1].Untouched, v.Operations[2].Untouched}; !slices.Equal(got, []int{1, 0}) {
		t.Errorf("%v resources not touched, want one and none", got)
	}
}

// The marks of a request stand on its lane: where it was sent, what went wrong with
// it, each further invocation, and that an answer came when nobody read it.
func TestMarks(t *testing.T) {
	s := newStage(t)
	s.late = "Queue"
	s.deploy("one", "Queue")
	q := s.Machine.Stack().Requests[0]
	note := func(after time.Duration, kind engine.NoteKind, text string) engine.Note {
		return engine.Note{At: start.Add(after), Kind: kind, Request: q.RequestID, Text: text}
	}
	v := s.story(note(time.Second, engine.NoteFault, "late"), note(time.Second, engine.NoteCall, ""), note(2*time.Second, engine.NoteBroke, "it died"), note(3*time.Second, engine.NoteCall, ""),
		note(4*time.Second, engine.NoteWrote, "hello"), note(5*time.Second, engine.NoteReturn, ""), note(2*time.Hour, engine.NoteLate, "")).View()
	m := lane(t, v.Operations[0], "Queue", "").Requests[0]
	if !m.Unread || !m.CameLate || len(m.Faults) != 1 || len(m.Calls) != 2 || m.End <= m.X || m.LateAt <= m.End {
		t.Errorf("%+v", m)
	}
	if want := "Create of Queue: no answer in time, with the fault late, in 2 invocations"; m.About != want {
		t.Errorf("%q, want %q", m.About, want)
	}
	a := v.Operations[0].Entries[slices.IndexFunc(v.Operations[0].Entries, func(a Entry) bool { return a.Request == "Create" })]
	if !slices.Equal(a.Logged, []string{"hello"}) || len(a.Answers) != 1 || !strings.Contains(a.Answers[0].What, "too late") || len(a.Calls) != 6 {
		t.Errorf("%+v", a)
	}
	if slices.ContainsFunc(a.Calls, func(l Line) bool { return l.Text == "" }) {
		t.Errorf("a time has no words: %+v", a.Calls)
	}
}

// A log is cut where it would be the page.
func TestLongLog(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue")
	q := s.Machine.Stack().Requests[0]
	var notes []engine.Note
	for range maxLines + 7 {
		notes = append(notes, engine.Note{At: start, Kind: engine.NoteWrote, Request: q.RequestID, Text: strings.Repeat("é", maxLine)})
	}
	for _, a := range s.story(notes...).View().Operations[0].Entries {
		if a.Request != "" && (len(a.Logged) != maxLines || a.More != 7 || len(a.Logged[0]) > maxLine+len("…")) {
			t.Errorf("%d lines, %d more, the first of %d bytes", len(a.Logged), a.More, len(a.Logged[0]))
		}
	}
}

// What nothing was asked about is folded, unless there is nothing else.
func TestStandIns(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue", "TopicA", "TopicB")
	if o := s.story().View().Operations[0]; len(o.Lanes) != 2 || len(o.StandIns) != 2 {
		t.Errorf("%d lanes, %d folded", len(o.Lanes), len(o.StandIns))
	}
	s = newStage(t)
	s.deploy("one", "TopicA", "TopicB")
	if o := s.story().View().Operations[0]; len(o.Lanes) != 3 || len(o.StandIns) != 0 {
		t.Errorf("%d lanes, %d folded", len(o.Lanes), len(o.StandIns))
	}
}

// What is left behind is said, and marked on the lane of its resource in the last operation.
func TestLeftBehind(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue", "Index")
	s.deploy("two", "Queue", "Index")
	story := s.story()
	story.Left = []Left{{"Queue", "queue-7 may exist"}}
	v := story.View()
	if !lane(t, v.Operations[1], "Queue", "").Left || lane(t, v.Operations[1], "Index", "").Left || lane(t, v.Operations[0], "Queue", "").Left {
		t.Error("the mark is on another lane")
	}
	if !strings.Contains(html(t, v), "queue-7 may exist") {
		t.Error("it is not said")
	}
}

// While the stack is in motion nothing can be said of what is left behind, and a page
// that is served follows it.
func TestInMotion(t *testing.T) {
	s := newStage(t)
	s.deploy("one", "Queue")
	if err := s.Machine.Delete(s.Now, nil, false); err != nil {
		t.Fatal(err)
	}
	story := s.story()
	story.Served = true
	v := story.View()
	page := html(t, v)
	if v.Settled || !v.Live || !strings.Contains(page, `data-follow="live"`) || strings.Contains(page, "left behind</h2>") {
		t.Errorf("settled %t, live %t", v.Settled, v.Live)
	}
	if m := lane(t, v.Operations[1], "Queue", "").Requests[0]; !m.Open {
		t.Errorf("%+v", m)
	}
}

// The rows of many resources are ahead of the clock by which their requests are sent:
// each request belongs to the operation, and stands at the row, that it came with.
func TestRequestsStandAtTheirRows(t *testing.T) {
	s := newStage(t)
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("Queue%d", i))
	}
	s.deploy("one", names...)
	for i := range s.Machine.Stack().Events { // as if all had begun at once
		s.Machine.Stack().Events[i].Timestamp = start.Add(time.Hour + time.Duration(i)*time.Millisecond)
	}
	o := s.story().View().Operations[0]
	for _, name := range names {
		if l := lane(t, o, name, ""); len(l.Requests) != 1 || l.Requests[0].X != l.Bars[0].X {
			t.Fatalf("%s: %+v beside %+v", name, l.Requests, l.Bars)
		}
	}
	s.deploy("two", names...)
	for i, o := range s.story().View().Operations {
		if n := len(asked(o)); n != 60 {
			t.Errorf("operation %d has %d requests", i+1, n)
		}
	}
}
