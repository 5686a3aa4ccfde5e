package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An operation reports what happened since the previous one ended. An interrupted
// operation has reported nothing.
func TestPositionOf(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	request := func(second int, o engine.Outcome) *engine.Request {
		return &engine.Request{SentAt: at(second), Outcome: o}
	}
	began := func(second int, status string) engine.Event {
		return engine.Event{ResourceType: engine.StackType, ResourceStatus: status, ResourceStatusReason: "User Initiated", Timestamp: at(second)}
	}
	stack := func(status string, walk *engine.Walk) *engine.Stack {
		return &engine.Stack{
			Status: status, Operation: &engine.Operation{Walk: walk}, Left: []engine.Left{{}},
			Events:   []engine.Event{began(0, "CREATE_IN_PROGRESS"), began(10, "UPDATE_IN_PROGRESS")},
			Requests: []*engine.Request{request(1, engine.Succeeded), request(11, engine.TimedOut), request(12, engine.Pending)},
		}
	}
	for name, test := range map[string]struct {
		stack *engine.Stack
		want  position
	}{
		"none":                                 {&engine.Stack{}, position{}},
		"in progress, by a state without rows": {&engine.Stack{Status: "CREATE_IN_PROGRESS", Operation: &engine.Operation{Walk: &engine.Walk{}}}, position{}},
		"deleted":                              {stack("DELETE_COMPLETE", nil), position{}},
		"at rest":                              {stack("UPDATE_COMPLETE", nil), position{requests: 3, reportedRequests: 3, reportedLeft: map[string]int{"": 1}}},
		"interrupted, with one unanswered":     {stack("UPDATE_IN_PROGRESS", &engine.Walk{}), position{requests: 2, reportedRequests: 1}},
	} {
		if diff := cmp.Diff(test.want, positionOf(test.stack), cmp.AllowUnexported(position{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
