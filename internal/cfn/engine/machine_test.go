package engine_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestLateAnswer: nobody waits for it, but it is kept.
func TestLateAnswer(t *testing.T) {
	m := engine.New("shop", engine.Options{})
	if err := m.Create(enginetest.Start, engine.Deployment{Template: mustTemplate(t, `R Custom::Thing`)}); err != nil {
		t.Fatal(err)
	}
	r := m.Take()[0]
	if len(m.Take()) > 0 {
		t.Error("a request was handed out twice")
	}
	if at, ok := m.Deadline(); !ok || !at.Equal(enginetest.Start.Add(time.Hour)) {
		t.Errorf("the deadline is %v, %t", at, ok)
	}
	answer := succeed(r)
	if !m.Answer(enginetest.Start, r.RequestID, answer) || m.Answer(enginetest.Start, r.RequestID, answer) || m.Answer(enginetest.Start, "unknown", answer) {
		t.Error("only the first answer counts")
	}
	if len(r.Late) != 1 || r.Outcome != engine.Succeeded {
		t.Errorf("%s with %d late answers", r.Outcome, len(r.Late))
	}
	if _, ok := m.Deadline(); ok {
		t.Error("at rest nothing is waited for")
	}
}

// TestUnknownTypes: a machine that is given no types has stand-ins all the same, each with a name and attributes of its
// own, so that a handler's test needs no table of AWS's types.
func TestUnknownTypes(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	template := mustTemplate(t, "Queue AWS::SQS::Queue {\"QueueName\": \"q\"}\nR Custom::Thing {\"ServiceToken\": \"t\", \"Name\": {\"Fn::GetAtt\": [\"Queue\", \"QueueName\"]}, \"Arn\": {\"Fn::GetAtt\": [\"Queue\", \"Arn\"]}}")
	if err := p.Machine.Create(p.Now, engine.Deployment{Template: template}); err != nil {
		t.Fatal(err)
	}
	id := p.Machine.ByID("Queue").PhysicalID
	got := p.Machine.Take()[0].Properties.Map()
	if want := "q"; !strings.HasPrefix(id, "shop-Queue-") || got["Name"] != want || got["Arn"] != id+".Arn" {
		t.Errorf("the queue is %s, and the resource gets %v", id, got)
	}
}

// TestDeadlineOfPendingRequests: the deadline of a request that was answered is none any more.
func TestDeadlineOfPendingRequests(t *testing.T) {
	m := engine.New("shop", engine.Options{})
	template := mustTemplate(t, "A Custom::Thing {\"ServiceTimeout\": 60}\nB Custom::Thing {\"ServiceTimeout\": 600}")
	if err := m.Create(enginetest.Start, engine.Deployment{Template: template}); err != nil {
		t.Fatal(err)
	}
	a := m.Take()[0]
	m.Answer(enginetest.Start, a.RequestID, succeed(a))
	if at, ok := m.Deadline(); !ok || !at.Equal(enginetest.Start.Add(10*time.Minute)) {
		t.Errorf("the deadline is %v, %t; want B's", at, ok)
	}
}

// TestRedeliver: what was under way when a process ended is marked, and sent once more if it is
// still awaited.
func TestRedeliver(t *testing.T) {
	m := engine.New("shop", engine.Options{})
	m.Types = testTypes()
	template := mustTemplate(t, "A Custom::Thing\nB Custom::Thing")
	template.Resources = append(template.Resources, testDeployment("a", 1).Template.Resources...)
	if err := m.Create(enginetest.Start, engine.Deployment{Template: template}); err != nil {
		t.Fatal(err)
	}
	sent := m.Take()
	a, b, crate := sent[0], sent[1], sent[2]
	m.Changes()
	check := func(when string, again []*engine.Request, interrupted ...bool) {
		t.Helper()
		m.Redeliver(sent)
		if diff := cmp.Diff(again, m.Take()); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", when, diff)
		}
		if diff := cmp.Diff(interrupted, []bool{a.Interrupted, b.Interrupted, crate.Interrupted}); diff != "" {
			t.Errorf("%s (-want +marked):\n%s", when, diff)
		}
		if m.Changes() != nil {
			t.Errorf("%s, the marks are not kept", when)
		}
	}

	// The type's handler has named its resource, and waits: then only its next call can be interrupted.
	m.Answer(enginetest.Start, crate.RequestID, []byte(`{"status": "IN_PROGRESS", "callbackDelaySeconds": 60, "resourceModel": {"Id": "c-1"}}`))
	check("while one waits", []*engine.Request{a, b}, true, true, false)
	m.Tick(enginetest.Start.Add(time.Minute))
	if called := m.Take(); len(called) != 1 {
		t.Fatalf("%d calls", len(called))
	}
	check("while it is called", []*engine.Request{a, b, crate}, true, true, false)

	// A request that is given up is not sent.
	b.Interrupted = false
	m.Refuse(enginetest.Start, b.RequestID, "no function")
	m.Take()
	check("once one is given up", nil, true, true, false)
}

// TestCleanupRows: the rows of a cleanup's Deletes have event IDs of their own
// form and no properties, as recorded.
func TestCleanupRows(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	m := p.Machine
	for _, step := range []func() error{
		func() error {
			return m.Create(enginetest.Start, engine.Deployment{Template: mustTemplate(t, "A Custom::Thing\nB Custom::Thing")})
		},
		func() error {
			return m.Update(enginetest.Start, engine.Deployment{Template: mustTemplate(t, "A Custom::Thing")})
		},
		func() error { return m.Delete(enginetest.Start, nil, false) },
	} {
		if err := errors.Join(step(), p.Run()); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range m.Stack().Events {
		cleanup := e.LogicalResourceId == "B" && strings.HasPrefix(e.ResourceStatus, "DELETE_")
		form := regexp.MustCompile(`^[AB]-[A-Z_]+-2026-11-20T12:00:\d\d\.\d{3}Z$`)
		switch {
		case e.ResourceType == engine.StackType:
			form = regexp.MustCompile(`^[0-9a-f-]{36}$`)
		case cleanup:
			form = regexp.MustCompile(`^B-[0-9a-f-]{36}$`)
		}
		if !form.MatchString(e.EventId) || (e.ResourceProperties == "") != (cleanup || e.ResourceType == engine.StackType) {
			t.Errorf("%s %s: event ID %s, properties %q", e.LogicalResourceId, e.ResourceStatus, e.EventId, e.ResourceProperties)
		}
	}
}

// TestResumedAfterEachStep: a stack that is written and read back after each
// step, into another Machine, has the same history as one that is not. By default, every third.
func TestResumedAfterEachStep(t *testing.T) {
	for _, whole := range testrun.Sample(3, runScenarios(t)) {
		t.Run(whole.Name, func(t *testing.T) {
			broken, err := whole.Scenario.Play(whole.Options, func(p *enginetest.Run) {
				m := p.Player.Machine
				next, err := m.Resumed(p.Templates)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Configure(next); err != nil {
					t.Fatal(err)
				}
				next.TakeFrom(m)
				p.Player.Machine = next
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expectations(whole), expectations(broken)); diff != "" {
				t.Errorf("(-whole +broken):\n%s", diff)
			}
			if diff := cmp.Diff(encode(t, whole.Player.Machine.Stack()), encode(t, broken.Player.Machine.Stack())); diff != "" {
				t.Errorf("the stacks differ (-whole +broken):\n%s", diff)
			}
		})
	}
}

func encode(t testing.TB, s *engine.Stack) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestIndentedStackIsTheSame: properties keep their one form through any
// formatting, since an update is a comparison of them.
func TestIndentedStackIsTheSame(t *testing.T) {
	var p engine.Properties
	if err := json.Unmarshal([]byte("{\n \"b\": [1.50, \"<&>\"],\n \"a\": \"\\u00e9\"\n}"), &p); err != nil {
		t.Fatal(err)
	}
	if want := engine.Properties(`{"a":"é","b":[1.50,"<&>"]}`); p != want {
		t.Errorf("read as %s, want %s", p, want)
	}
	text, err := json.MarshalIndent(map[string]engine.Properties{"P": p}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]engine.Properties
	if err := json.Unmarshal(text, &back); err != nil || back["P"] != p {
		t.Errorf("read back as %s, want %s (%v)", back["P"], p, err)
	}
}

// A misplaced value is the error of a template about one of its values.
type misplaced struct{}

func (misplaced) Error() string  { return "t.yaml:9:1: /Resources/Last: there is no value" }
func (misplaced) Reason() string { return "there is no value" }
func (misplaced) Place() string  { return "t.yaml:9:1: /Resources/Last" }

// TestPlaceIsInNoEvent: the place of a value is beside the row that it is about, also
// where patches keep it, and in no event.
func TestPlaceIsInNoEvent(t *testing.T) {
	for name, fail := range map[string]func(*engine.Template){
		"a resource": func(d *engine.Template) {
			d.Resources[1].Properties = func(engine.Refs) (map[string]any, error) { return nil, misplaced{} }
		},
		"an output": func(d *engine.Template) {
			d.Outputs = []engine.Output{{Name: "Out", Value: func(engine.Refs) (any, error) { return nil, misplaced{} }}}
		},
	} {
		for _, preserve := range []bool{false, true} {
			template := layered(3, 1)
			template.Resources[1].DependsOn = []string{"R000"} // while the third is waited for
			fail(template)
			m := engine.New("shop", engine.Options{})
			var k patchedStack
			err := m.Create(enginetest.Start, engine.Deployment{Template: template, DisableRollback: preserve})
			for i := 1; err == nil && !m.Stack().AtRest(); i++ {
				if err = k.keep(m); err == nil {
					q := m.Pending()[0]
					m.Answer(enginetest.Start.Add(time.Duration(i)*time.Second), q.RequestID, succeed(q))
				}
			}
			if err == nil {
				err = k.keep(m)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var placed []string
			for _, row := range k.saved.Rows(nil) {
				if row.Place != "" {
					placed = append(placed, row.Why())
				}
				if strings.Contains(row.ResourceStatusReason, "t.yaml") {
					t.Errorf("%s, preserved %v: an event has a place: %s", name, preserve, row.ResourceStatusReason)
				}
			}
			if len(placed) != 1 || !strings.HasPrefix(placed[0], "there is no value") || !strings.HasSuffix(placed[0], " (t.yaml:9:1: /Resources/Last)") {
				t.Errorf("%s, preserved %v: %q", name, preserve, placed)
			}
		}
	}
}
