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

// A function is a Lambda function that is invoked asynchronously, as
// CloudFormation does: a failed attempt is tried twice more with the same
// event and request ID, and then the record of it goes to the on-failure
// destination, a second function of the same binary. There is no concurrency
// and no throttling.
type function struct {
	binary  string
	env     []string
	timeout time.Duration
	// retryAfter are the pauses before the second and the third attempt: a
	// minute and two at Lambda.
	retryAfter [2]time.Duration
	// fresh makes every attempt run in a process of its own, as happens when
	// another environment is free.
	fresh bool
	// noDestination leaves the failed event to itself.
	noDestination bool
	begin         func() // called before each attempt, and before the destination's

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
		if tries > 0 {
			<-time.After(f.retryAfter[tries-1])
		}
		if f.begin != nil {
			f.begin()
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
	if f.begin != nil {
		f.begin()
	}
	destination := &function{binary: f.binary, env: append(slices.Clip(f.env), "AWS_LAMBDA_FUNCTION_NAME=provider-failures"),
		timeout: f.timeout, retryAfter: f.retryAfter, noDestination: true, t: f.t, log: f.log}
	destination.deliver(ctx, requestID+"-destination", failureRecord(requestID, event, tries, last.payload))
	f.failures = append(f.failures, destination.attempts...)
}

// invoke runs one attempt, in the process that is there or a new one.
func (f *function) invoke(ctx context.Context, requestID string, event []byte) outcome {
	f.t.Helper()
	if f.fresh && f.process != nil {
		f.process.kill()
		f.process = nil
	}
	for {
		born := f.process == nil
		if born {
			f.process = startEnvironment(f.t, f.binary, f.env, f.log.File)
		}
		o, err := f.process.invoke(ctx, requestID, functionARN, event, f.timeout)
		switch {
		case err == nil:
			if o.kind == "crash" || o.kind == "timeout" {
				f.process = nil
			}
			return o
		case errors.Is(err, errGone) && !born: // it ended after its last answer
			f.process = nil
		case errors.Is(err, errGone):
			o = outcome{"crash", f.process.crash(requestID)}
			f.process = nil
			return o
		default:
			f.t.Fatal(err)
		}
	}
}

// failureRecord is what an on-failure destination gets (AWS Lambda developer
// guide, "Capturing records of Lambda asynchronous invocations").
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

// A logFile keeps what the processes of a function write. They write to the
// file themselves, so that all is there that was written before an answer.
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
