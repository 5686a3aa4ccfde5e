package engine_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
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
