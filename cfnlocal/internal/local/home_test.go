package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestNothingLeadsOutOfTheDirectory: a directory of stacks can come with a
// repository. Symbolic links in it lead to no file outside, neither for the log
// of handlers nor for the words of another process.
func TestNothingLeadsOutOfTheDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("delete"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shop.log", "shop.ask"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	if err := h.sendInstruction(t.Context(), "shop", instructCancel); err == nil {
		t.Error("a word was written through a link")
	}
	rev := &record.Revision{File: "t.yaml", Body: topics, Parameters: map[string]string{"Name": "one", "Token": "x"}}
	if _, err := h.CreateOrUpdate(t.Context(), "shop", Change{Revision: rev}, nil, Settings{}); err == nil {
		t.Error("a log that is a link was written to")
	}
	received := make(chan instruction, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 4*pollInterval)
	defer cancel()
	var ears sync.WaitGroup
	ears.Go(func() { h.receiveInstructions(ctx, "other", received) })
	for tick := time.Tick(pollInterval / 10); ctx.Err() == nil; <-tick {
		_ = os.Symlink(outside, filepath.Join(dir, "other.ask")) // again, if it has been removed
	}
	ears.Wait()
	if len(received) > 0 {
		t.Errorf("%q was read through a link", (<-received).text)
	}
	text, err := os.ReadFile(outside)
	if err := errors.Join(err, os.Remove(filepath.Join(dir, "shop.log"))); err != nil || string(text) != "delete" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}

// What is named again by a later request is that request's: something has changed.
func TestLeftoversPlace(t *testing.T) {
	late := func(id string) *engine.Request {
		return &engine.Request{RequestType: "Create", LogicalID: "A", Type: "Custom::Thing", Outcome: engine.Cancelled, Late: []string{`{"PhysicalResourceId":"` + id + `"}`}}
	}
	s := &engine.Stack{Requests: []*engine.Request{late("a"), late("b"), late("a")}, Left: []engine.Left{{Type: "AWS::SQS::Queue"}, {LogicalID: "A", PhysicalID: "b", Type: "Custom::Thing"}}}
	got := map[string]int{}
	for _, r := range Leftovers(s, 0) {
		got[r.PhysicalID] = r.At
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 1}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLeftovers: which of the physical IDs that answers named may be of something
// that no stack has.
func TestLeftovers(t *testing.T) {
	const of = "Custom::Thing"
	named := func(id string) string { return `{"Status":"SUCCESS","PhysicalResourceId":"` + id + `"}` }
	create := func(o engine.Outcome, answer string, late ...string) *engine.Request {
		return &engine.Request{RequestType: "Create", LogicalID: "A", Type: of, Outcome: o, Answer: answer, Late: late}
	}
	del := func(id string, o engine.Outcome) *engine.Request {
		return &engine.Request{RequestType: "Delete", LogicalID: "A", Type: of, PhysicalID: id, Outcome: o}
	}
	interrupted := func(q *engine.Request) engine.Stack {
		q.Interrupted = true
		return engine.Stack{Requests: []*engine.Request{q}}
	}
	registered := func(kind string, o engine.Outcome) *engine.Request {
		return &engine.Request{RequestType: kind, LogicalID: "A", Type: "Example::Depot::Crate", Calls: 2, Made: "a", Outcome: o}
	}
	for name, test := range map[string]struct {
		stack engine.Stack
		want  []string // physical IDs, "?" for one that is not known
	}{
		"answered, and the stack's": {engine.Stack{Requests: []*engine.Request{create(engine.Succeeded, named("a"))},
			Resources: []*engine.StackResource{{LogicalID: "A", PhysicalID: "a"}}}, nil},
		"late":                        {engine.Stack{Requests: []*engine.Request{create(engine.Cancelled, "", named("a"))}}, []string{"a"}},
		"late, and deleted after all": {engine.Stack{Requests: []*engine.Request{create(engine.Cancelled, "", named("a")), del("a", engine.Succeeded)}}, nil},
		"late, and its Delete failed": {engine.Stack{Requests: []*engine.Request{create(engine.Cancelled, "", named("a")), del("a", engine.Failed)}}, []string{"a"}},
		"a Delete before it counts for nothing": {engine.Stack{Requests: []*engine.Request{del("a", engine.Succeeded), create(engine.TimedOut, "", named("a"))}},
			[]string{"a"}},
		"late twice, of one thing": {engine.Stack{Requests: []*engine.Request{create(engine.TimedOut, "", named("a"), named("a"))}}, []string{"a"}},
		"again, when it was the stack's": {engine.Stack{Requests: []*engine.Request{create(engine.Succeeded, named("a"), named("a"))},
			Resources: []*engine.StackResource{{LogicalID: "A", PhysicalID: "a"}}}, nil},
		"again, with another ID": {engine.Stack{Requests: []*engine.Request{create(engine.Succeeded, named("a"), named("b"))},
			Resources: []*engine.StackResource{{LogicalID: "A", PhysicalID: "a"}}}, []string{"b"}},
		"of another resource of the stack": {engine.Stack{Requests: []*engine.Request{create(engine.Cancelled, "", named("a"))},
			Resources: []*engine.StackResource{{LogicalID: "B", PhysicalID: "a"}}}, []string{"a"}},
		"an update in place, late": {engine.Stack{Requests: []*engine.Request{{RequestType: "Update", LogicalID: "A", Type: of, PhysicalID: "a",
			Outcome: engine.TimedOut, Late: []string{named("a")}}}}, nil},
		"a replacement, lost": {engine.Stack{Requests: []*engine.Request{{RequestType: "Update", LogicalID: "A", Type: of, PhysicalID: "a",
			Outcome: engine.TimedOut, Lost: []string{named("b")}}}}, []string{"b"}},
		"not accepted":       {engine.Stack{Requests: []*engine.Request{create(engine.Rejected, named("a"))}}, []string{"a"}},
		"no JSON":            {engine.Stack{Requests: []*engine.Request{create(engine.Rejected, "<html>")}}, nil},
		"never answered":     {engine.Stack{Requests: []*engine.Request{create(engine.TimedOut, "")}}, []string{"?"}},
		"never called":       {engine.Stack{Requests: []*engine.Request{create(engine.Uncalled, "")}}, nil},
		"let go":             {engine.Stack{Left: []engine.Left{{LogicalID: "A", PhysicalID: "a", Type: of}}}, []string{"a"}},
		"a stand-in, let go": {engine.Stack{Left: []engine.Left{{LogicalID: "A", PhysicalID: "a", Type: "AWS::SQS::Queue"}}}, nil},
		"the answer to a Delete": {engine.Stack{Requests: []*engine.Request{{RequestType: "Delete", LogicalID: "A", Type: of, PhysicalID: "a",
			Outcome: engine.TimedOut, Late: []string{named("x")}}}}, nil},
		"interrupted, and failed":                  {interrupted(create(engine.Failed, named("a"))), []string{"?"}},
		"interrupted, and cancelled":               {interrupted(create(engine.Cancelled, "")), []string{"?"}},
		"interrupted, and never called again":      {interrupted(create(engine.Uncalled, "")), []string{"?"}},
		"interrupted, and then late":               {interrupted(create(engine.TimedOut, "", named("a"))), []string{"a", "?"}},
		"interrupted, and succeeded":               {interrupted(create(engine.Succeeded, named("a"))), nil},
		"interrupted, and not answered yet":        {interrupted(create(engine.Pending, "")), nil},
		"an interrupted Delete":                    {interrupted(del("a", engine.Failed)), nil},
		"of a registered type, and failed":         {interrupted(registered("Create", engine.Failed)), []string{"?"}},
		"an interrupted Update of such a type":     {interrupted(registered("Update", engine.Failed)), nil},
		"of a registered type, named and given up": {engine.Stack{Requests: []*engine.Request{registered("Create", engine.TimedOut)}}, nil},
	} {
		var got []string
		for _, r := range Leftovers(&test.stack, 0) {
			if r.Why == "" && !r.LetGo {
				t.Errorf("%s: no reason", name)
			}
			if r.PhysicalID == "" {
				r.PhysicalID = "?"
			}
			got = append(got, r.PhysicalID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	unanswered := &engine.Stack{Requests: []*engine.Request{create(engine.TimedOut, "")}}
	if got := Leftovers(unanswered, 1); len(got) > 0 {
		t.Errorf("what an earlier operation did not learn is told again: %+v", got)
	}
	unanswered.Requests[0].Interrupted = true
	if got := Leftovers(unanswered, 1); len(got) != 1 {
		t.Errorf("an interruption is told once alone: %+v", got)
	}
}

// An order that cannot be kept is refused: its client would find the stack at rest, and take the
// operation for one that has ended.
func TestAnOrderThatCannotBeKept(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	if err := h.dir.MkdirAll("shop.json.new/in the way"); err != nil {
		t.Fatal(err)
	}
	o, err := h.NewOperator(t.Context(), record.Substitutes{}, func() Settings { return Settings{} })
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	order := &api.Order{Action: "UpdateStack", StackName: "shop", UsePreviousTemplate: true, Parameters: map[string]string{"Name": "two", "Token": "x"}}
	if _, err := o.Start(t.Context(), order); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("%v", err)
	}
}

// notes are what a watcher is told.
type notes chan string

func (notes) Event(engine.Row)   {}
func (notes) Log(string, string) {}
func (n notes) Note(text string) { n <- text }

// Whoever waits for a program that does not ask for an event learns its name, as it was given.
func TestAProgramThatIsNotReadyIsNamed(t *testing.T) {
	told := make(notes, 1)
	l := newLambda(t.Context(), host.Config{}, &serialWatcher{to: told})
	defer l.Close()
	command := shell("./prog --port 1")
	l.happened(host.Event{Kind: host.NotReady, Function: "Flags", Text: strings.Join(command, " ")})
	if got := <-told; !strings.Contains(got, "Flags") || !strings.Contains(got, " ./prog --port 1,") {
		t.Error(got)
	}
}

// Whoever starts a server is told which stack it cannot go on with, and why.
func TestAResumptionThatFailsIsTold(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	r := kept(t, h)
	r.Stack.Operation.Walk, r.Revisions[1].Service = new(engine.Walk), "false"
	keep(t, h, r)
	told := make(notes, 10)
	o, err := h.NewOperator(t.Context(), record.Substitutes{}, func() Settings { return Settings{Watcher: told} })
	if err != nil {
		t.Fatal(err)
	}
	o.running.Wait()
	o.Close()
	close(told)
	var all []string
	for text := range told {
		all = append(all, text)
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "the stack shop: the service (false) ended") {
		t.Errorf("it is told %q", text)
	}
}

// A stack can be protected in each status but those of a deletion.
func TestProtection(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	for _, test := range []struct{ status, refused string }{
		{"UPDATE_IN_PROGRESS", ""},
		{"DELETE_FAILED", ""},
		{"DELETE_IN_PROGRESS", "cannot be changed while in status DELETE_IN_PROGRESS"},
		{"DELETE_COMPLETE", "Stack [shop] does not exist"},
	} {
		r := kept(t, h)
		r.Stack.Status = test.status
		keep(t, h, r)
		for _, on := range []bool{true, false} {
			_, err := h.protect(t.Context(), &api.Order{StackName: "shop", EnableTerminationProtection: on})
			if refused, ok := errors.AsType[*engine.ValidationError](err); ok != (test.refused != "") || ok && !strings.Contains(refused.Message, test.refused) {
				t.Errorf("%s: %v", test.status, err)
			}
			if got := kept(t, h).Stack.TerminationProtection; got != (on && err == nil) {
				t.Errorf("%s: it is protected: %t", test.status, got)
			}
		}
	}
}
