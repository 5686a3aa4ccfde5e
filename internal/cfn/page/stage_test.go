package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

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
