package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// TestMain: as a function of cfnlocal, the tests' program is the handler.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		lambda.Start(handle)
	}
	os.Exit(m.Run())
}

// A request is for a handler that does as its properties say: Id is the physical ID,
// Fail the request type that fails, for Reason, Pause how many milliseconds it takes,
// and Links how often it invokes itself before it answers.
type request struct {
	RequestType, ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId string
	ResourceProperties                                                                  struct{ Id, Fail, Reason, Pause, Links, Value string }
	Link                                                                                int
}

func handle(ctx context.Context, event json.RawMessage) error {
	var r request
	if err := json.Unmarshal(event, &r); err != nil {
		return err
	}
	p := r.ResourceProperties
	fmt.Fprintf(os.Stderr, "%s of %s: %s\n", r.RequestType, r.LogicalResourceId, p.Value)
	pause, _ := strconv.Atoi(p.Pause)
	select {
	case <-time.After(time.Duration(pause) * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	if links, _ := strconv.Atoi(p.Links); r.Link < links {
		return r.goOn(ctx, event)
	}
	answer := map[string]any{"Status": "SUCCESS", "PhysicalResourceId": p.Id, "Data": map[string]string{"Value": p.Value},
		"StackId": r.StackId, "RequestId": r.RequestId, "LogicalResourceId": r.LogicalResourceId}
	if p.Fail == r.RequestType {
		answer["Status"], answer["Reason"] = "FAILED", p.Reason
	}
	if r.PhysicalResourceId != "" && (r.RequestType == "Delete" || p.Fail == r.RequestType) {
		answer["PhysicalResourceId"] = r.PhysicalResourceId
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return send(ctx, http.MethodPut, r.ResponseURL, body)
}

// goOn invokes the function once more, with the event and the number of the link.
func (r *request) goOn(ctx context.Context, event json.RawMessage) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(event, &all); err != nil {
		return err
	}
	all["Link"] = json.RawMessage(strconv.Itoa(r.Link + 1))
	body, err := json.Marshal(all)
	if err != nil {
		return err
	}
	url := os.Getenv("AWS_ENDPOINT_URL_LAMBDA") + "/2015-03-31/functions/" + lambdacontext.FunctionName + "/invocations"
	return send(ctx, http.MethodPost, url, body)
}

func send(ctx context.Context, method, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if method == http.MethodPost {
		req.Header.Set("X-Amz-Invocation-Type", "Event")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s: %s", method, resp.Status)
	}
	return err
}
