package local

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

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
}
