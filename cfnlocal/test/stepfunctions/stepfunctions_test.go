// Package stepfunctions deploys a function that goes on in another invocation, and is invoked by a
// state machine, with the local CloudFormation. The program and the template are those of
// docs/step-functions.md; the definition in the template is run by an interpreter of the Amazon
// States Language that is none of this project's.
//
// The tests with it need Node and npm, and are skipped without them. With them,
//
//	.ci/with-stepfunctions go -C cfnlocal/test/stepfunctions test -v .
//
// installs it into a directory of its own and runs the tests.
//
// # What is not as in AWS
//
// Waits take no time, StartExecution answers when the execution is over, and nobody asks the roles
// for permission. Tasks invoke by the endpoint that the function has, so the local CloudFormation
// takes them for invocations by the function itself. The type of the state machine, EXPRESS, with
// its history, its five minutes and its executions that may run twice, is not played.
package stepfunctions

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const testTimeout = 2 * time.Minute // far more than any of this takes

// A Create of three invocations has one answer. Each invocation gets what the one
// before it sent, unchanged, by the ARN that it was invoked with.
func TestThreeInvocations(t *testing.T) {
	t.Parallel()
	s := new(service)
	stack, lines := s.createStack(t, func(body string) string { return body })
	if stack.Status != "CREATE_COMPLETE" || len(s.failed) > 0 {
		t.Fatalf("the stack is in %s, of the executions failed %v, the log:\n%s", stack.Status, s.failed, strings.Join(lines, "\n"))
	}
	if len(s.inputs) != 2 || len(s.tasks) != 2 {
		t.Fatalf("%d executions with %d tasks, want 2 with one each", len(s.inputs), len(s.tasks))
	}
	if _, definition, err := s.definition(); err != nil {
		t.Error(err)
	} else if err := s.machine.validate(definition); err != nil {
		t.Errorf("the definition is not valid: %v", err)
	}
	if len(stack.Requests) != 1 || len(stack.Requests[0].Late)+len(stack.Requests[0].Lost) > 0 || !strings.Contains(stack.Requests[0].Answer, "SUCCESS") {
		t.Errorf("the requests are %+v, want one with one answer", stack.Requests)
	}
	for i, input := range s.inputs {
		sent, got := decode(t, input), decode(t, string(s.tasks[i]))
		if diff := cmp.Diff(sent["Payload"], got["Payload"]); diff != "" {
			t.Errorf("execution %d changes the event (-sent +got):\n%s", i+1, diff)
		}
		if got["InvocationType"] != "Event" || got["FunctionName"] != stack.Requests[0].ServiceToken {
			t.Errorf("execution %d invokes %v as %v", i+1, got["FunctionName"], got["InvocationType"])
		}
		event, _ := got["Payload"].(map[string]any)
		chain, _ := event["cfnresource:continue"].(map[string]any)
		if links := chain["links"]; links != float64(i+1) {
			t.Errorf("execution %d sends the event with %v invocations before it", i+1, links)
		}
	}
	for _, line := range lines {
		if strings.Contains(line, "Signature=") {
			t.Errorf("the signed URL is in the log: %s", line)
		}
	}
}

// Where Lambda throttles, the state machine tries again.
func TestThrottled(t *testing.T) {
	t.Parallel()
	s := &service{throttled: 3}
	stack, lines := s.createStack(t, func(body string) string { return body })
	if stack.Status != "CREATE_COMPLETE" || len(s.failed) > 0 || len(s.inputs) != 2 || len(s.tasks) != 5 {
		t.Errorf("the stack is in %s after %d executions with %d tasks, of the executions failed %v, the log:\n%s", stack.Status, len(s.inputs), len(s.tasks), s.failed, strings.Join(lines, "\n"))
	}
}

// A function that the state machine cannot invoke is answered for by the other one,
// with what the chain created, and why.
func TestCannotInvoke(t *testing.T) {
	t.Parallel()
	s := new(service)
	stack, lines := s.createStack(t, func(body string) string {
		return replace(t, body, `"FunctionName.$": "$.FunctionName"`, `"FunctionName": "other"`)
	})
	var answer struct{ Status, Reason, PhysicalResourceId string }
	if err := json.Unmarshal([]byte(stack.Requests[0].Answer), &answer); err != nil {
		t.Fatalf("%v, the log:\n%s", err, strings.Join(lines, "\n"))
	}
	event, _ := decode(t, string(s.tasks[0]))["Payload"].(map[string]any)
	chain, _ := event["cfnresource:continue"].(map[string]any)
	if answer.Status != "FAILED" || answer.PhysicalResourceId != chain["created"] || !strings.Contains(answer.Reason, "Function not found") {
		t.Errorf("the Create of %v is answered %+v", chain["created"], answer)
	}
	if stack.Status != "ROLLBACK_COMPLETE" || len(stack.Requests) != 2 || stack.Requests[1].PhysicalID != chain["created"] {
		t.Errorf("the stack is in %s after %d requests", stack.Status, len(stack.Requests))
	}
}

// What the tests above would not see if they proved nothing: definitions that are
// valid, and wrong. Nobody answers, and the stack rolls back.
func TestWrongDefinitions(t *testing.T) {
	const payload = `"Payload.$": "$.Payload"`
	for name, change := range map[string][2]string{
		"without the event":    {payload, `"Qualifier": "$LATEST"`},
		"with the whole input": {payload, `"Payload.$": "$"`},
		"nothing but a question": {`"Event",
                "Payload.$"`, `"DryRun", "Payload.$"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := new(service)
			stack, lines := s.createStack(t, func(body string) string { return replace(t, body, change[0], change[1]) })
			if stack.Status != "ROLLBACK_COMPLETE" || len(s.tasks) == 0 {
				t.Errorf("the stack is in %s after %d tasks, the log:\n%s", stack.Status, len(s.tasks), strings.Join(lines, "\n"))
			}
		})
	}
}

// All waits together are shorter than five minutes, after which Step Functions
// ends an EXPRESS execution ("Choosing workflow type in Step Functions").
func TestWaitsAreWithinFiveMinutes(t *testing.T) {
	d, err := record.Read("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(d.Body, "DefinitionString: |\n")
	var definition struct {
		States map[string]struct {
			Seconds float64
			Retry   []struct{ IntervalSeconds, BackoffRate, MaxAttempts float64 }
		}
	}
	if err := json.NewDecoder(strings.NewReader(rest)).Decode(&definition); err != nil {
		t.Fatal(err)
	}
	seconds := 0.0
	for _, state := range definition.States {
		seconds += state.Seconds
		for _, r := range state.Retry {
			for wait, attempt := r.IntervalSeconds, 0.0; attempt < r.MaxAttempts; wait, attempt = wait*r.BackoffRate, attempt+1 {
				seconds += wait
			}
		}
	}
	if seconds == 0 || seconds > 240 {
		t.Errorf("an execution waits up to %v seconds, want some, and a minute less than 300", seconds)
	}
}

// build builds the handler.
func build(t *testing.T) (program string) {
	program = filepath.Join(t.TempDir(), "bootstrap")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-o", program, "./handler").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// play creates the template's stack, as change changes it. What the export waits
// for is there when the function is invoked for the third time.
func (s *service) createStack(t *testing.T, change func(string) string) (*engine.Stack, []string) {
	s.machine, s.stack = newInterpreter(t), "exports"
	program := build(t)
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	home, err := local.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	s.home = home
	root := t.TempDir()
	s.started = func(executions int) {
		if executions == 2 {
			if err := os.WriteFile(filepath.Join(root, "ready"), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}

	d, err := record.Read("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// CloudFormation waits for at most fifteen times the function's timeout, and for as
	// long as the on-failure destination may take.
	body := d.Body
	for before, after := range map[string]string{
		" Timeout: 300\n":                 " Timeout: 7\n",
		"MaximumEventAgeInSeconds: 300\n": "MaximumEventAgeInSeconds: 60\n",
		"ServiceTimeout: 3600\n":          "ServiceTimeout: 97\n",
	} {
		body = replace(t, body, before, after)
	}
	d.Body = change(body)
	command := s.serve(t, program)
	d.Commands, d.Env = map[string]string{"ExportFunction": command, "FailureFunction": command}, map[string]string{"ROOT": root}
	w := new(watcher)
	stack, err := home.CreateOrUpdate(ctx, s.stack, local.Change{Revision: d}, strict{t}, local.Settings{Watcher: w, ExactTimeouts: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(w.lines, "\n"))
	}
	t.Logf("%s after %d executions, %d invocations by them, errors %v", stack.Status, len(s.inputs), len(s.tasks), s.failed)
	return stack, w.lines
}

// replace replaces what stands in a text once.
func replace(t *testing.T, text, before, after string) string {
	t.Helper()
	if strings.Count(text, before) != 1 {
		t.Fatalf("%q stands in the template %d times, want 1", before, strings.Count(text, before))
	}
	return strings.Replace(text, before, after, 1)
}

func decode(t *testing.T, text string) (value map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// A strict reviewer fails the test for each warning about the template.
type strict struct{ t *testing.T }

func (s strict) Planned(plan *template.Plan, _ []string) {
	for _, warning := range plan.Warnings {
		s.t.Errorf("the template has a warning: %s", warning)
	}
}

func (strict) Checked(*local.Checked) {}

// A watcher keeps what the functions write and what is worth a note.
type watcher struct{ lines []string }

func (*watcher) Event(engine.Row)     {}
func (w *watcher) Note(text string)   { w.lines = append(w.lines, text) }
func (w *watcher) Log(_, line string) { w.lines = append(w.lines, line) }
