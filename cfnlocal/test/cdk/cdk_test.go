// Package cdk deploys what the AWS CDK makes, with the local CloudFormation:
// templates that aws-cdk-lib synthesises, and a handler that is none of this
// project's, the runtime of the CDK's provider framework, under Node.
//
// The tests need both, and are skipped without them. With Node and npm,
//
//	.ci/with-cdk go test -v ./cfnlocal/test/cdk
//
// installs aws-cdk-lib into a directory of its own and runs the tests with it.
//
// # What stands for what
//
// The framework's files run as the CDK packs them for Lambda. What they reach AWS by is replaced
// (testdata/aws.js): the AWS SDK's client of Lambda invokes the user's function in the same
// process, once, so that Lambda's limits and failures between the two functions are not seen; and
// the framework's PUT, which is https and drops the URL's port, goes by http to the response
// bucket, which verifies its signature as it does for every handler. TLS is not seen.
package cdk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const testTimeout = 2 * time.Minute // far more than any of this takes

// An operationResult is the result of an operation: the stack's status, each request as "TYPE ID:
// STATUS ID (REASON)" with the IDs of the event and of the answer, what the user's function was
// asked, the rows about the resource, and the outputs.
type operationResult struct {
	Status   string
	Requests []string
	Work     []string
	Events   []string
	Outputs  map[string]string
}

// A step is an operation: a deployment with parameters, or a delete without.
type step struct {
	name       string
	parameters map[string]string
	want       operationResult
}

// created is the result of a creation of the thing one.
func created(color string) operationResult {
	return operationResult{
		Status:   "CREATE_COMPLETE",
		Requests: []string{"Create -: SUCCESS one"},
		Work:     []string{"Create - one " + color},
		Events:   []string{"CREATE_IN_PROGRESS []", "CREATE_IN_PROGRESS [one]", "CREATE_COMPLETE [one]"},
		Outputs:  map[string]string{"ThingId": "one", "ThingColor": color},
	}
}

// replaced is the result of an update that replaces one by two.
var replaced = operationResult{
	Status:   "UPDATE_COMPLETE",
	Requests: []string{"Update one: SUCCESS two", "Delete one: SUCCESS one"},
	Work:     []string{"Update one two blue", "Delete one one blue"},
	Events: []string{
		"UPDATE_IN_PROGRESS [one]", "UPDATE_IN_PROGRESS [two]", "UPDATE_COMPLETE [two]", "DELETE_IN_PROGRESS [one]", "DELETE_COMPLETE [one]",
	},
	Outputs: map[string]string{"ThingId": "two", "ThingColor": "blue"},
}

// deleted is the result of a deletion.
func deleted(id string) operationResult {
	return operationResult{
		Status:   "DELETE_COMPLETE",
		Requests: []string{"Delete " + id + ": SUCCESS " + id},
		Work:     []string{"Delete " + id + " " + id + " blue"},
		Events:   []string{"DELETE_IN_PROGRESS [" + id + "]", "DELETE_COMPLETE [" + id + "]"},
	}
}

// TestProviderFramework: a handler that knows nothing of this project lives
// through all that can become of a resource.
func TestProviderFramework(t *testing.T) {
	dir := synthesise(t)
	t.Run("life", func(t *testing.T) {
		runSteps(t, dir, "Framework", []step{{
			"create", map[string]string{"Id": "one"}, created("red"),
		}, {
			"update in place", map[string]string{"Id": "one", "Color": "blue"}, operationResult{
				Status:   "UPDATE_COMPLETE",
				Requests: []string{"Update one: SUCCESS one"},
				Work:     []string{"Update one one blue"},
				Events:   []string{"UPDATE_IN_PROGRESS [one]", "UPDATE_COMPLETE [one]"},
				Outputs:  map[string]string{"ThingId": "one", "ThingColor": "blue"},
			},
		}, {
			"replacement, whose cleanup deletes the old one", map[string]string{"Id": "two", "Color": "blue"}, replaced,
		}, {
			"failed update, which is rolled back", map[string]string{"Id": "two", "Color": "green", "Fail": "Update"}, operationResult{
				Status:   "UPDATE_ROLLBACK_COMPLETE",
				Requests: []string{"Update two: FAILED two (as its properties say)", "Update two: SUCCESS two"},
				Work:     []string{"Update two two green", "Update two two blue"},
				Events: []string{
					"UPDATE_IN_PROGRESS [two]", "UPDATE_FAILED [two]",
					"UPDATE_IN_PROGRESS [two]", "UPDATE_COMPLETE [two]",
				},
				Outputs: map[string]string{"ThingId": "two", "ThingColor": "blue"},
			},
		}, {
			"delete", nil, deleted("two"),
		}})
	})
	// The framework answers a failed Create with an ID of its own, and the Delete
	// of that without the user's function.
	t.Run("failed create", func(t *testing.T) {
		const marker = "AWSCDK::CustomResourceProviderFramework::CREATE_FAILED"
		runSteps(t, dir, "Framework", []step{{
			"create", map[string]string{"Fail": "Create"}, operationResult{
				Status:   "ROLLBACK_COMPLETE",
				Requests: []string{"Create -: FAILED " + marker + " (as its properties say)", "Delete " + marker + ": SUCCESS " + marker},
				Work:     []string{"Create - one red"},
				Events: []string{
					"CREATE_IN_PROGRESS []", "CREATE_IN_PROGRESS [" + marker + "]", "CREATE_FAILED [" + marker + "]",
					"DELETE_IN_PROGRESS [" + marker + "]", "DELETE_COMPLETE [" + marker + "]",
				},
			},
		}, {
			"delete", nil, operationResult{Status: "DELETE_COMPLETE"},
		}})
	})
}

// TestPlainFunction: a synthesised template whose service token is a function
// of one's own deploys as it is.
func TestPlainFunction(t *testing.T) {
	runSteps(t, synthesise(t), "Plain", []step{
		{"create", map[string]string{"Color": "blue"}, created("blue")},
		{"delete", nil, deleted("one")},
	})
}

// TestNestedStack: the CDK's nested stack, whose template is an asset with a name
// that only the metadata tell, is played from its file.
func TestNestedStack(t *testing.T) {
	runSteps(t, synthesise(t), "Nested", []step{
		{"create", map[string]string{"Color": "blue"}, created("blue")},
		{"replacement", map[string]string{"Id": "two", "Color": "blue"}, replaced},
		{"delete", nil, deleted("two")},
	})
}

// synthesise returns a directory with the templates that testdata/app.js makes.
func synthesise(t *testing.T) string {
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	dir := t.TempDir()
	script, err := filepath.Abs("testdata/app.js")
	if err != nil {
		t.Fatal(err)
	}
	node(ctx, t, dir, func() {}, script, dir)
	return dir
}

// runSteps runs a stack's operations, and compares their results.
func runSteps(t *testing.T, dir, stack string, steps []step) {
	home, err := local.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	before := &engine.Stack{}
	for _, step := range steps {
		w := new(watcher)
		settings := local.Settings{Watcher: w}
		began := time.Now()
		var after *engine.Stack
		if step.parameters == nil {
			after, err = home.Delete(ctx, stack, nil, false, settings)
		} else {
			after, err = deploy(ctx, home, dir, stack, step.parameters, settings)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", step.name, err, strings.Join(w.lines, "\n"))
		}
		t.Logf("%s: %s, %d requests in %v", step.name, after.Status, len(after.Sent())-len(before.Sent()), time.Since(began).Round(time.Millisecond))
		if diff := gocmp.Diff(step.want, outcomeSince(before, after, w)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if len(w.notes) > 0 {
			t.Fatalf("%s: notes, of which there should be none: %q\nthe log:\n%s", step.name, w.notes, strings.Join(w.lines, "\n"))
		}
		if before, err = after.Clone(); err != nil {
			t.Fatal(err)
		}
	}
}

// deploy deploys a template of dir, whose functions run from the assets there.
func deploy(ctx context.Context, home *local.Home, dir, stack string, parameters map[string]string, s local.Settings) (*engine.Stack, error) {
	d, err := record.Read(filepath.Join(dir, stack+".template.json"))
	if err != nil {
		return nil, err
	}
	d.Parameters, d.Commands, d.Env = parameters, map[string]string{}, map[string]string{}
	parsed, err := template.Parse(d.File, []byte(d.Body))
	if err == nil {
		err = d.ReadNested()
	}
	if err != nil {
		return nil, err
	}
	for _, f := range d.Functions(&template.Plan{Functions: parsed.Code()}) {
		code := f.CodeURI
		if !filepath.IsAbs(code) { // that of a nested stack is
			code = filepath.Join(dir, code)
		}
		d.Commands[f.LogicalID] = fmt.Sprintf("node --require ./testdata/aws.js testdata/runtime.js %q", code)
		if _, err := os.Stat(filepath.Join(code, "framework.js")); err != nil { // it is not the CDK's own
			d.Env["USER_CODE"] = code
		}
	}
	return home.CreateOrUpdate(ctx, stack, local.Change{Revision: d}, nil, s)
}

// outcomeSince returns what happened between two states of a stack.
func outcomeSince(before, after *engine.Stack, w *watcher) operationResult {
	o := operationResult{Status: after.Status}
	for _, q := range after.Sent()[len(before.Sent()):] {
		var answer struct{ Status, PhysicalResourceId, Reason string }
		_ = json.Unmarshal([]byte(q.Answer), &answer) // none is none, which shows
		request := fmt.Sprintf("%s %s: %s %s", q.RequestType, cmp.Or(q.PhysicalID, "-"), answer.Status, answer.PhysicalResourceId)
		if answer.Status == "FAILED" {
			reason, _, _ := strings.Cut(answer.Reason, "\n") // then comes a stack trace
			request += " (" + reason + ")"
		}
		o.Requests = append(o.Requests, request)
	}
	for _, e := range after.Rows(nil)[len(before.Rows(nil)):] {
		if e.LogicalResourceId == "Thing" {
			o.Events = append(o.Events, fmt.Sprintf("%s [%s]", e.ResourceStatus, e.PhysicalResourceId))
		}
	}
	for _, line := range w.lines {
		if work, ok := strings.CutPrefix(line, "work: "); ok {
			o.Work = append(o.Work, work)
		}
	}
	for _, output := range after.Outputs {
		if o.Outputs == nil {
			o.Outputs = map[string]string{}
		}
		o.Outputs[output.Name] = output.Value
	}
	return o
}

// A watcher keeps what the functions write and what is worth a note.
type watcher struct{ lines, notes []string }

func (*watcher) Event(engine.Row) {}
func (w *watcher) Note(text string) {
	if !strings.HasPrefix(text, "warning: ") { // about the template of a nested stack
		w.notes = append(w.notes, text)
	}
}
func (w *watcher) Log(_, line string) { w.lines = append(w.lines, line) }
