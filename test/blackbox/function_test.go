package blackbox

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A function is a Lambda function that is invoked asynchronously, as CloudFormation
// does. A failed attempt is retried twice, at once where Lambda waits for minutes, with
// the same event and request ID. Then the on-failure destination, a second function with
// the same binary, gets a record of it. There is no concurrency and no throttling.
type function struct {
	binary  string
	env     []string
	timeout time.Duration
	// newProcess runs every attempt in a process of its own.
	newProcess bool
	// noDestination means that there is no on-failure destination.
	noDestination bool
	beforeAttempt func() // called before each attempt, and before the destination's

	t        testing.TB
	log      logFile
	process  *environment
	attempts []outcome // of this function, in order
	failures []outcome // of the destination
}

const functionARN = "arn:aws:lambda:us-west-2:123456789012:function:provider"

// deliver invokes the function with event until it succeeds, three times at
// most, and then the destination.
func (f *function) deliver(ctx context.Context, requestID string, event []byte) {
	f.t.Helper()
	var last outcome
	tries := 0
	for tries < 3 {
		if f.beforeAttempt != nil {
			f.beforeAttempt()
		}
		last = f.invoke(ctx, requestID, event)
		f.attempts = append(f.attempts, last)
		tries++
		if last.kind == "response" {
			return
		}
	}
	if f.noDestination {
		return
	}
	if f.beforeAttempt != nil {
		f.beforeAttempt()
	}
	destination := &function{binary: f.binary, env: append(slices.Clip(f.env), "AWS_LAMBDA_FUNCTION_NAME=provider-failures"),
		timeout: f.timeout, noDestination: true, t: f.t, log: f.log}
	destination.deliver(ctx, requestID+"-destination", failureRecord(requestID, event, tries, last.payload))
	f.failures = append(f.failures, destination.attempts...)
}

// invoke runs one attempt, in the existing process or a new one.
func (f *function) invoke(ctx context.Context, requestID string, event []byte) outcome {
	f.t.Helper()
	if f.newProcess && f.process != nil {
		f.process.kill()
		f.process = nil
	}
	for {
		started := f.process == nil
		if started {
			f.process = startEnvironment(f.t, f.binary, f.env, f.log.File)
		}
		o, err := f.process.invoke(ctx, requestID, functionARN, event, f.timeout)
		switch {
		case err == nil:
			if o.kind == "crash" || o.kind == "timeout" {
				f.process = nil
			}
			return o
		case errors.Is(err, errExited) && !started: // it ended after its last answer
			f.process = nil
		case errors.Is(err, errExited):
			o = outcome{"crash", f.process.crash(requestID)}
			f.process = nil
			return o
		default:
			f.t.Fatal(err)
		}
	}
}

// failureRecord returns the record that an on-failure destination gets (AWS Lambda
// developer guide, "Capturing records of Lambda asynchronous invocations").
func failureRecord(requestID string, event []byte, tries int, response json.RawMessage) []byte {
	request := json.RawMessage(event)
	if !json.Valid(event) {
		request, _ = json.Marshal(string(event))
	}
	record := map[string]any{
		"version":   "1.0",
		"timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"requestContext": map[string]any{
			"requestId":              requestID,
			"functionArn":            functionARN + ":$LATEST",
			"condition":              "RetriesExhausted",
			"approximateInvokeCount": tries,
		},
		"requestPayload":  request,
		"responseContext": map[string]any{"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
		"responsePayload": response,
	}
	b, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return b
}

// A logFile has the output of a function's processes. They write directly to the file,
// so that everything written before an answer is there.
type logFile struct{ *os.File }

func newLog(t testing.TB) logFile {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return logFile{f}
}

func (l logFile) String() string {
	b, err := os.ReadFile(l.Name())
	if err != nil {
		return err.Error()
	}
	return string(b)
}
