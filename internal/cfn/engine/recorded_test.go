package engine_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/cfn/standin"
)

// A recordedRow is what a recording of DescribeStackEvents keeps of a row.
type recordedRow struct {
	EventId                                             string
	LogicalResourceId, PhysicalResourceId, ResourceType string
	ResourceStatus, ResourceStatusReason                string
	ResourceProperties                                  json.RawMessage
}

func readRecording(t *testing.T, name string, content any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/aws-recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &struct{ Content any }{content}); err != nil {
		t.Fatal(err)
	}
}

// A row as it is compared. Physical IDs that AWS made up are compared by
// whether there is one, and which rows share it.
type row struct{ logical, physical, typ, status string }

// rows renders recorded rows, or the engine's, alike. Names of stacks become "stack".
func rows(all []recordedRow) (out []row) {
	physical := map[string]string{"": ""}
	for _, e := range all {
		if _, ok := physical[e.PhysicalResourceId]; !ok {
			physical[e.PhysicalResourceId] = string(rune('a' + len(physical) - 1))
		}
		logical := e.LogicalResourceId
		if e.ResourceType == engine.StackType {
			logical = "stack"
		}
		out = append(out, row{logical, physical[e.PhysicalResourceId], e.ResourceType, e.ResourceStatus})
	}
	return out
}

func asRecorded(events []engine.Event) (all []recordedRow) {
	for _, e := range events {
		all = append(all, recordedRow{LogicalResourceId: e.LogicalResourceId, PhysicalResourceId: e.PhysicalResourceId, ResourceType: e.ResourceType, ResourceStatus: e.ResourceStatus})
	}
	return all
}

func checkRows(t *testing.T, what string, recorded []recordedRow, events []engine.Event) {
	t.Helper()
	if diff := cmp.Diff(rows(recorded), rows(asRecorded(events)), cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("%s (-recorded +played):\n%s", what, diff)
	}
}

// replay plays operations on stand-ins, to the end of each.
func replay(t *testing.T, standIn engine.StandIn, operations ...func(*engine.Machine) error) *engine.Stack {
	t.Helper()
	p := &enginetest.Player{Machine: engine.New("CFN", engine.Options{}), Now: enginetest.Start}
	p.Machine.StandIn, p.Machine.Native = standIn, standin.Types{}
	for _, operation := range operations {
		if err := errors.Join(operation(p.Machine), p.Run()); err != nil {
			t.Fatal(err)
		}
	}
	return p.Machine.Stack()
}

func creating(template *engine.Template) func(*engine.Machine) error {
	return func(m *engine.Machine) error {
		return m.Create(enginetest.Start, engine.Deployment{Template: template})
	}
}

func updating(template *engine.Template) func(*engine.Machine) error {
	return func(m *engine.Machine) error {
		return m.Update(enginetest.Start, engine.Deployment{Template: template})
	}
}

func deleting(retain ...string) func(*engine.Machine) error {
	return func(m *engine.Machine) error { return m.Delete(enginetest.Start, retain, false) }
}

func reviewing(m *engine.Machine) error { return m.Review(enginetest.Start) }

// dropRepeats keeps the last of neighbours with the same status, as one recorder does.
func dropRepeats(all []engine.Event) (out []engine.Event) {
	for i, e := range all {
		if i+1 == len(all) || all[i+1].ResourceStatus != e.ResourceStatus {
			out = append(out, e)
		}
	}
	return out
}

func only(all []engine.Event, keep func(engine.Event) bool) []engine.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e engine.Event) bool { return !keep(e) })
}

// A rest is a recording of DescribeStacks.
type rest struct {
	Stacks []struct{ StackStatus, StackStatusReason string }
}

// TestRecordedBlockedStackDeletion: a creation and its rollback that both fail, a deletion that
// fails, one that retains. All rows, with reasons and event IDs as far as the recording keeps them.
func TestRecordedBlockedStackDeletion(t *testing.T) {
	var content struct {
		StackEvents    struct{ StackEvents []recordedRow } `json:"stack_events"`
		PostCreate     rest                                `json:"stack_post_create"`
		PostFailDelete rest                                `json:"stack_post_fail_delete"`
		PostGoodDelete rest                                `json:"stack_post_success_delete"`
	}
	// The same operations are played.
	readRecording(t, "blocked-stack-deletion.json", &content)
	fail := func(operation string, _ *engine.StackResource) engine.Fate {
		return engine.Fate{Failure: "The policy cannot be made or deleted"}
	}
	template := mustTemplate(t, `BrokenPolicy AWS::IAM::Policy {"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": [{"Action": "*", "Resource": "*", "Effect": "Allow"}]}}`)
	var rests [][2]string
	at := func(s *engine.Stack) { rests = append(rests, [2]string{s.Status, s.StatusReason}) }
	s := replay(t, fail, creating(template),
		func(m *engine.Machine) error { at(m.Stack()); return deleting()(m) },
		func(m *engine.Machine) error { at(m.Stack()); return deleting("BrokenPolicy")(m) })
	at(s)

	// The rows are the same, and so is where the stack came to rest.
	oldestFirst := slices.Clone(content.StackEvents.StackEvents)
	slices.Reverse(oldestFirst)
	checkRows(t, "rows", oldestFirst, s.Events)
	var want [][2]string
	for _, one := range []rest{content.PostCreate, content.PostFailDelete, content.PostGoodDelete} {
		want = append(want, [2]string{one.Stacks[0].StackStatus, one.Stacks[0].StackStatusReason})
	}
	if diff := cmp.Diff(want, rests); diff != "" {
		t.Errorf("where the stack came to rest (-recorded +played):\n%s", diff)
	}
	// So is what the rows say besides, as far as it was recorded.
	for i, e := range s.Events {
		r := oldestFirst[i]
		if (r.ResourceStatusReason == "") != (e.ResourceStatusReason == "") {
			t.Errorf("row %d, %s %s: a reason was recorded: %t, played: %q", i, r.LogicalResourceId, r.ResourceStatus, r.ResourceStatusReason != "", e.ResourceStatusReason)
		}
		if (r.ResourceProperties == nil) != (e.ResourceProperties == "") {
			t.Errorf("row %d, %s %s: properties were recorded: %t, played: %q", i, r.LogicalResourceId, r.ResourceStatus, r.ResourceProperties != nil, e.ResourceProperties)
		}
		if prefix, ok := strings.CutSuffix(r.EventId, "date"); ok && !strings.HasPrefix(e.EventId, prefix) {
			t.Errorf("row %d: event ID %s, recorded %s", i, e.EventId, r.EventId)
		}
	}
}

// TestRecordedDeployOrder: three resources in a chain, created, then deleted.
// The recording has the rows at which each of them was complete.
func TestRecordedDeployOrder(t *testing.T) {
	var content struct{ Events []recordedRow }
	readRecording(t, "deploy-order.json", &content)
	template := mustTemplate(t, `
		A AWS::SSM::Parameter {"Type": "String", "Value": "root"}
		B AWS::SSM::Parameter {"Type": "String", "Value": {"Ref": "A"}}
		C AWS::SSM::Parameter {"Type": "String", "Value": {"Ref": "B"}}`)
	s := replay(t, nil, creating(template), deleting())
	complete := only(s.Events, func(e engine.Event) bool {
		return e.ResourceType != engine.StackType && strings.HasSuffix(e.ResourceStatus, "_COMPLETE")
	})
	checkRows(t, "rows", content.Events, complete)
	for _, e := range complete { // B's value is A's physical ID, as recorded
		if value := e.ResourceProperties.Map()["Value"]; e.LogicalResourceId == "B" && value != complete[0].PhysicalResourceId {
			t.Errorf("B's value is %v, want A's physical ID %s", value, complete[0].PhysicalResourceId)
		}
	}
}

// TestRecordedReplacement: a queue without a name gets one. The recorder dropped repeated statuses.
func TestRecordedReplacement(t *testing.T) {
	var content struct {
		Events []recordedRow `json:"queue-events"`
	}
	readRecording(t, "requires-replacement.json", &content)
	s := replay(t, nil,
		creating(mustTemplate(t, `MyQueue AWS::SQS::Queue`)),
		updating(mustTemplate(t, `MyQueue AWS::SQS::Queue {"QueueName": "queue-47128d25"}`)))
	queue := dropRepeats(only(s.Events, func(e engine.Event) bool { return e.ResourceType != engine.StackType }))
	checkRows(t, "rows", content.Events, queue)
}

// TestRecordedRetain: a parameter with DeletionPolicy Retain, of a stack that a
// change set made, is skipped when the stack is deleted.
func TestRecordedRetain(t *testing.T) {
	var content struct {
		PerResource map[string][]recordedRow `json:"per-resource-events"`
	}
	readRecording(t, "deletion-policy-retain.json", &content)
	template := mustTemplate(t, `MyParameter AWS::SSM::Parameter {"Value": "v"} DeletionPolicy=Retain`)
	s := replay(t, nil, reviewing, creating(template), deleting())
	stack := func(e engine.Event) bool { return e.ResourceType == engine.StackType }
	checkRows(t, "the stack's rows", content.PerResource["Stack"], only(s.Events, stack))
	parameter := dropRepeats(only(s.Events, func(e engine.Event) bool { return !stack(e) }))
	checkRows(t, "the parameter's rows", content.PerResource["MyParameter"], parameter)
}

// TestDocumentedUpdateOfCode: new code of a function is an update in place, of the function alone.
// The order is that of "Monitor the progress of a stack update" in CloudFormation's user guide
// (documented), whose example is a database. aws/aws-sam-cli#7604 shows the row of a function with
// this form of event ID, and the stack's cleanup after it, of a deployment with SAM (observed). That
// nothing of the function is in the cleanup is inferred: it is not replaced.
func TestDocumentedUpdateOfCode(t *testing.T) {
	s := replay(t, nil,
		creating(mustTemplate(t, `
			HelloWorldFunction AWS::Lambda::Function {"Role": "r", "Code": {"S3Bucket": "b", "S3Key": "one"}}
			Queue AWS::SQS::Queue`)),
		func(m *engine.Machine) error { m.Stack().Events = nil; return nil },
		updating(mustTemplate(t, `
			HelloWorldFunction AWS::Lambda::Function {"Role": "r", "Code": {"S3Bucket": "b", "S3Key": "two"}}
			Queue AWS::SQS::Queue`)))
	want := []row{
		{"stack", "a", engine.StackType, "UPDATE_IN_PROGRESS"},
		{"HelloWorldFunction", "b", "AWS::Lambda::Function", "UPDATE_IN_PROGRESS"},
		{"HelloWorldFunction", "b", "AWS::Lambda::Function", "UPDATE_COMPLETE"},
		{"stack", "a", engine.StackType, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"},
		{"stack", "a", engine.StackType, "UPDATE_COMPLETE"},
	}
	if diff := cmp.Diff(want, rows(asRecorded(s.Events)), cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("rows (-documented +played):\n%s", diff)
	}
	if id := s.Events[2].EventId; !strings.HasPrefix(id, "HelloWorldFunction-UPDATE_COMPLETE-") {
		t.Errorf("event ID %s, observed HelloWorldFunction-UPDATE_COMPLETE-2024-10-24T22:21:58.571Z", id)
	}
}
