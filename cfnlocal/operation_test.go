package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/testrun"
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
		"deleted":                              {stack("DELETE_COMPLETE", nil), position{idle: true, requests: 3, reportedRequests: 3, reportedLeft: map[string]int{"": 1}}},
		"at rest":                              {stack("UPDATE_COMPLETE", nil), position{idle: true, requests: 3, reportedRequests: 3, reportedLeft: map[string]int{"": 1}}},
		"interrupted, with one unanswered":     {stack("UPDATE_IN_PROGRESS", &engine.Walk{}), position{requests: 2, reportedRequests: 1}},
	} {
		if diff := cmp.Diff(test.want, positionOf(test.stack), cmp.AllowUnexported(position{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A deployment resumes a deletion that was interrupted, and then creates another stack of the same name. The
// summary counts all of its requests, though the deleted one had sent as many before.
func TestRequestsOfTheStackAfterADeletedOneAreCounted(t *testing.T) {
	made := &engine.Request{RequestType: "Create", Outcome: engine.Succeeded}
	deleted := &engine.Stack{Name: "shop", ID: "first", Status: "DELETE_IN_PROGRESS", Operation: &engine.Operation{Walk: &engine.Walk{}},
		Requests: []*engine.Request{made, {RequestType: "Delete", Outcome: engine.Pending}}}
	var out strings.Builder
	a := &app{streams: streams{out: &out}, command: "deploy"}
	created := &engine.Stack{Name: "shop", ID: "second", Status: "CREATE_COMPLETE", Requests: []*engine.Request{made}}
	if err := a.conclude(created, positionOf(deleted), 0, "", nil); err != nil || !strings.Contains(out.String(), "1 Create") {
		t.Errorf("the summary, with the error %v, is:\n%s", err, out.String())
	}
}

// nestedResource has child.yaml, whose resource has an ID, in a nested stack.
const nestedResource = `
Parameters: {Id: {Type: String}}
Resources:
  Child: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: child.yaml, Parameters: {Id: !Ref Id}}}
Outputs:
  Id: {Value: !GetAtt Child.Outputs.Id}
`

// If a deployment is killed at any moment, the same command resumes it. It ends as
// if it had not been interrupted, and no request stays pending.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	linkPrograms(t)
	one, err := os.ReadFile("testdata/t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("flat", func(t *testing.T) { killAtAnyMoment(t, "Fn=handler", map[string]string{"t.yaml": string(one)}) })
	t.Run("nested", func(t *testing.T) {
		killAtAnyMoment(t, "Child.Fn=handler", map[string]string{"t.yaml": nestedResource, "child.yaml": string(one)})
	})
}

func killAtAnyMoment(t *testing.T, function string, files map[string]string) {
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	cfnlocal := func(ctx context.Context, args ...string) (out []byte, err error) {
		cmd := exec.CommandContext(ctx, "cfnlocal", args...) // killed with SIGKILL when ctx ends
		cmd.Dir = dir
		out, err = cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			err = fmt.Errorf("exit code %d: %s", exit.ExitCode(), exit.Stderr)
		}
		return out, err
	}
	killed := 0
	for i := range testrun.Share(4, 15) {
		id := fmt.Sprintf("id-%d", i)
		deploy := []string{"deploy", "t.yaml", "--stack", "shop", "--function", function, "--parameter", "Id=" + id}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(120))*time.Millisecond)
		if _, err := cfnlocal(ctx, deploy...); err != nil {
			killed++
		}
		cancel()
		if out, err := cfnlocal(t.Context(), deploy...); err != nil {
			t.Fatalf("seed %d, round %d: the same command again: %v\n%s", seed, i, err, out)
		}
		out, err := cfnlocal(t.Context(), "--json", "describe", "shop")
		var described struct {
			StackStatus string
			AtRest      bool
			Outputs     map[string]string
		}
		if err = errors.Join(err, json.Unmarshal(out, &described)); err != nil || !described.AtRest || !succeeded("deploy", described.StackStatus) || described.Outputs["Id"] != id {
			t.Fatalf("seed %d, round %d: %v, %+v", seed, i, err, described)
		}
	}
	if out, err := cfnlocal(t.Context(), "requests", "shop"); err != nil || strings.Contains(string(out), `"Pending"`) {
		t.Errorf("seed %d: %v\n%s", seed, err, out)
	}
	if out, err := cfnlocal(t.Context(), "delete", "shop"); err != nil || !strings.Contains(string(out), "no leftovers are known") {
		t.Errorf("seed %d: %v\n%s", seed, err, out)
	}
	if killed == 0 && testrun.Thorough() { // in few rounds every command may end before it is killed
		t.Error("no command was killed: the test has tested nothing")
	}
}
