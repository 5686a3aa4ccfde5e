package clients

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// startFunction has a function wait at a gate, and returns what it knows of Lambda. end
// lets it go on.
func startFunction(t *testing.T, b *testServer, g *gate) (says url.Values, end func()) {
	t.Helper()
	says, rest := startWaiting(t, g, func() (*engine.Stack, error) {
		return b.deploy(t.Context(), "shop", oneResource, "Gate", g.url, "At", "Create")
	})
	return says, func() {
		if s := rest(); s.Status != "CREATE_COMPLETE" {
			t.Errorf("in the end the stack is in %s", s.Status)
		}
	}
}

// TestSDKInvokes: the SDK's client finds a function by its name and its ARN, with a
// qualifier too, and tells a function's error and Lambda's from a response.
func TestSDKInvokes(t *testing.T) {
	b, g := startServer(t), newGate(t)
	says, end := startFunction(t, b, g)
	defer end()
	arn := says.Get("arn")
	name := arn[strings.LastIndexByte(arn, ':')+1:]
	c := lambdaClient(says.Get("endpoint"), "us-east-1", "any", "any")

	// Every way to name a function.
	for _, test := range []struct {
		name      string
		qualifier *string
		want      string
	}{
		{name, nil, arn},
		{arn, nil, arn},
		{"123456789012:function:" + name, nil, arn},
		{name, aws.String("live"), arn + ":live"},
		{name + ":live", nil, arn + ":live"},
		{arn + ":live", aws.String("live"), arn + ":live"},
		{arn, aws.String("$LATEST"), arn + ":$LATEST"},
	} {
		out, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &test.name, Qualifier: test.qualifier, Payload: []byte(`{"RequestType":"Name"}`)})
		if err != nil || string(out.Payload) != `"`+test.want+`"` || out.StatusCode != http.StatusOK || out.FunctionError != nil || aws.ToString(out.ExecutedVersion) != "$LATEST" {
			t.Errorf("%s %s: %v, %+v", test.name, aws.ToString(test.qualifier), err, out)
		}
	}

	// Other kinds of invocations.
	failed, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: []byte(`{"RequestType":"Error"}`)})
	if err != nil || aws.ToString(failed.FunctionError) != "Unhandled" || !strings.Contains(string(failed.Payload), "as it was asked to") {
		t.Errorf("a function's error: %v, %+v", err, failed)
	}
	event, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, InvocationType: types.InvocationTypeEvent,
		Payload: []byte(`{"RequestType":"Name","ResourceProperties":{"Gate":"` + g.url + `"}}`)})
	if err != nil || event.StatusCode != http.StatusAccepted || len(event.Payload) > 0 {
		t.Errorf("an event: %v, %+v", err, event)
	}
	if again := <-g.requests; again.Get("arn") != arn {
		t.Errorf("the event came to %s", again.Get("arn"))
	}
	if dry, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, InvocationType: types.InvocationTypeDryRun}); err != nil || dry.StatusCode != http.StatusNoContent {
		t.Errorf("a dry run: %v, %+v", err, dry)
	}

	// What Lambda refuses.
	_, err = c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("nobody")})
	if missing, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok || missing.ErrorMessage() != "Function not found: arn:aws:lambda:us-east-1:123456789012:function:nobody" {
		t.Errorf("an unknown function: %v", err)
	}
	_, err = c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, InvocationType: types.InvocationTypeEvent, Payload: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)})
	if large, ok := errors.AsType[smithy.APIError](err); !ok || large.ErrorCode() != "RequestEntityTooLargeException" {
		t.Errorf("a large event: %v", err)
	}
	_, err = c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: []byte(`{`)})
	if _, ok := errors.AsType[*types.InvalidRequestContentException](err); !ok {
		t.Errorf("no JSON: %v", err)
	}
}

// watcher counts how often a function invokes itself.
type watcher struct{ sent, ended atomic.Int64 }

func (w *watcher) Event(engine.Row)   {}
func (w *watcher) Log(string, string) {}
func (w *watcher) Note(text string) {
	if text == "Fn invokes itself, asynchronously" {
		w.sent.Add(1)
	}
	if strings.HasPrefix(text, "Lambda ends the chain") {
		w.ended.Add(1)
	}
}

// TestSDKChains: a function that goes on by the SDK's client is waited for. The SDK
// hands X-Ray's header on, so that a chain that is too long ends as in Lambda.
func TestSDKChains(t *testing.T) {
	b := startServer(t)
	for _, test := range []struct {
		links, status string
		sent, ended   int64
	}{
		{"9", "CREATE_COMPLETE", 9, 0},
		{"15", "CREATE_COMPLETE", 15, 0},
		{"16", "ROLLBACK_COMPLETE", 16, 1},
	} {
		w := new(watcher)
		s, err := b.deployWith(t.Context(), local.Settings{Options: settings.Options, Watcher: w}, "chain-"+test.links, oneResource, "Links", test.links)
		if err != nil {
			t.Fatal(err)
		}
		if s.Status != test.status || w.sent.Load() != test.sent || w.ended.Load() != test.ended {
			t.Errorf("%s links: %s, %d sent, %d ended", test.links, s.Status, w.sent.Load(), w.ended.Load())
		}
	}
}

// TestCLIInvokes: aws lambda invoke.
func TestCLIInvokes(t *testing.T) {
	awsCLI(t, "lambda", "")
	b, g := startServer(t), newGate(t)
	says, end := startFunction(t, b, g)
	defer end()
	cli := awsCLI(t, "lambda", says.Get("endpoint"))
	arn := says.Get("arn")
	file := filepath.Join(t.TempDir(), "out.json")
	invoke := func(into any, args ...string) {
		t.Helper()
		cli.read(into, append(append([]string{"invoke", "--cli-binary-format", "raw-in-base64-out"}, args...), file)...)
	}
	var out struct {
		StatusCode                     int
		ExecutedVersion, FunctionError string
	}
	invoke(&out, "--function-name", arn, "--qualifier", "live", "--payload", `{"RequestType":"Name"}`)
	if text, err := os.ReadFile(file); err != nil || string(text) != `"`+arn+`:live"` || out.StatusCode != http.StatusOK || out.ExecutedVersion != "$LATEST" || out.FunctionError != "" {
		t.Errorf("invoke: %v, %s, %+v", err, text, out)
	}
	invoke(&out, "--function-name", arn, "--invocation-type", "Event", "--payload", `{"RequestType":"Name","ResourceProperties":{"Gate":"`+g.url+`"}}`)
	if again := <-g.requests; out.StatusCode != http.StatusAccepted || again.Get("arn") != arn {
		t.Errorf("invoke --invocation-type Event: %+v, and the event came to %s", out, again.Get("arn"))
	}
	_, complaint, err := cli.run("invoke", "--function-name", "nobody", file)
	if want := "An error occurred (ResourceNotFoundException) when calling the Invoke operation: Function not found: "; err == nil || !strings.HasPrefix(complaint, want) {
		t.Errorf("invoke of an unknown function: %v, %s\nwant %s", err, complaint, want)
	}
}
