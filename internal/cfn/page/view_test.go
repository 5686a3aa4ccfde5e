package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/lifecycle"
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

// Each status with which an operation can begin is named in words.
func TestOperationNames(t *testing.T) {
	for _, step := range lifecycle.Transitions() {
		begins := string(step.To)
		if name := operationName(begins); step.From.AtRest() && step.To.InMotion() && name == begins {
			t.Errorf("an operation that begins with %s is named %s", begins, name)
		}
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

// Later is further to the right, and nothing is beside the page.
func TestScaleIsMonotone(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var times []time.Time
		for at, n := start, chance.IntN(60); n >= 0; n-- {
			at = at.Add(time.Duration(chance.Int64N(1 << (20 + chance.IntN(23)))))
			times = append(times, at)
		}
		s := newScale(times)
		slices.SortFunc(times, time.Time.Compare)
		last := -1.0
		for _, at := range times {
			x := s.place(at)
			if x <= last && !at.Equal(times[0]) || x < 0 || x > 100 {
				t.Fatalf("%v is at %v, after %v", at, x, last)
			}
			last = x
		}
		for i, tick := range s.ticks() {
			if all := s.ticks(); i > 0 && tick.X-all[i-1].X < gap && !tick.End {
				t.Fatalf("ticks at %v and %v", all[i-1].X, tick.X)
			}
		}
	}
}

// An hour has as much room as ten seconds, and is marked.
func TestScaleShortens(t *testing.T) {
	times := []time.Time{start, start.Add(time.Second), start.Add(time.Second + time.Hour), start.Add(2*time.Second + time.Hour)}
	s := newScale(times)
	waits := s.waits([]engine.Note{{At: times[1].Add(time.Millisecond), Kind: engine.NoteSkip}})
	if len(waits) != 1 || waits[0].Text != "1 h" || !waits[0].Skipped {
		t.Fatalf("%+v", waits)
	}
	if short := newScale([]time.Time{times[0], times[1], times[1].Add(10 * time.Second), times[1].Add(11 * time.Second)}); short.at[2] != s.at[2] {
		t.Errorf("an hour ends at %v, ten seconds at %v", s.at[2], short.at[2])
	}
	ticks := s.ticks()
	if last := ticks[len(ticks)-1]; last.Text != "+ 1.0 s" {
		t.Errorf("%+v: after what is shortened, times count anew", ticks)
	}
}

// A time at which nothing is known to have happened has the place of what came before.
func TestScaleOfOtherTimes(t *testing.T) {
	s := newScale([]time.Time{start, start.Add(time.Second)})
	if got := s.place(start.Add(time.Millisecond)); got != s.at[0] {
		t.Errorf("%v, want %v", got, s.at[0])
	}
	if got := s.place(start.Add(-time.Hour)); got != 0 {
		t.Errorf("%v before all", got)
	}
	if got := newScale(nil).place(start); got != 0 {
		t.Errorf("%v on no scale", got)
	}
}

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A stage plays a stack whose resources are all custom, but those that are called Topic…
type stage struct {
	enginetest.Player
	t    *testing.T
	fail string // the logical ID of what is answered FAILED, once
	late string // and of what is answered after two hours
	id   string // of what is answered
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, id: "id-1"}
	s.Player = enginetest.Player{Machine: engine.New("shop", engine.Options{Seed: 1}), Now: start, Handler: s.answer, Deliver: s.deliver}
	return s
}

func (s *stage) answer(q *engine.Request) []byte {
	a := map[string]any{"Status": "SUCCESS", "PhysicalResourceId": q.LogicalID + s.id, "StackId": q.StackID, "RequestId": q.RequestID, "LogicalResourceId": q.LogicalID}
	if q.RequestType == "Delete" {
		a["PhysicalResourceId"] = q.PhysicalID
	}
	if s.fail == q.LogicalID && q.RequestType != "Delete" {
		a["Status"], a["Reason"] = "FAILED", "it is to fail"
		s.fail = ""
	}
	body, err := json.Marshal(a)
	if err != nil {
		s.t.Fatal(err)
	}
	return body
}

func (s *stage) deliver(q *engine.Request) []enginetest.Delivery {
	if q.LogicalID == s.late {
		return []enginetest.Delivery{{Takes: 2 * time.Hour}}
	}
	return []enginetest.Delivery{{Takes: time.Second}}
}

// drain runs until nothing is under way.
func (s *stage) drain() {
	s.t.Helper()
	if err := s.Drain(); err != nil {
		s.t.Fatal(err)
	}
}

// deploy deploys resources, by their names, with a property that says what they are to be.
func (s *stage) deploy(value string, names ...string) {
	s.t.Helper()
	t := &engine.Template{}
	for i, name := range names {
		r := engine.Resource{LogicalID: name, Type: "Custom::" + name, Properties: func(engine.Refs) (map[string]any, error) {
			return map[string]any{"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:f", "Value": value}, nil
		}}
		if len(name) > 5 && name[:5] == "Topic" {
			r.Type = "AWS::SNS::Topic"
		}
		if i > 0 {
			r.DependsOn = names[i-1 : i]
		}
		t.Resources = append(t.Resources, r)
	}
	m, d := s.Machine, engine.Deployment{Template: t}
	err := m.Create
	if m.Stack().Status != "" {
		err = m.Update
	}
	if err := err(s.Now, d); err != nil {
		s.t.Fatal(err)
	}
	s.drain()
}

func (s *stage) remove() {
	s.t.Helper()
	if err := s.Machine.Delete(s.Now, nil, false); err != nil {
		s.t.Fatal(err)
	}
	s.drain()
}

func (s *stage) story(beside ...engine.Note) *Story {
	return &Story{Stacks: []*engine.Stack{s.Machine.Stack()}, Beside: beside}
}

// html is the page of a story.
func html(t *testing.T, v View) string {
	t.Helper()
	var out bytes.Buffer
	if err := v.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// lane finds a lane by its name and the ID that it had before.
func lane(t *testing.T, o Operation, name, former string) Lane {
	t.Helper()
	for _, l := range slices.Concat(o.Lanes, o.StandIns) {
		if l.Name == name && l.Former == former {
			return l
		}
	}
	t.Fatalf("operation %d has no lane %s %s", o.Number, name, former)
	return Lane{}
}

// statuses are those of a lane's bars, in their order.
func statuses(l Lane) (all []string) {
	for _, b := range l.Bars {
		all = append(all, b.Status)
	}
	return all
}

// asked are the requests of an operation, each with what came of it.
func asked(o Operation) (all []string) {
	for _, a := range o.Entries {
		if a.Request != "" {
			all = append(all, a.Request+" "+a.Name+" "+a.Outcome)
		}
	}
	return all
}
