// Handler is the function of the tests of cfnlocal.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

func main() { lambda.Start(handle) }

// A request is what the handler is sent. The properties control it:
//
//	Id       the physical ID
//	Fail     the request type that fails
//	Reason   why it fails
//	Exit     the request type in which the process exits
//	Started  a pipe to write to before it works
//	Go       a pipe to wait for after that
//	Secret   an attribute of an answer with NoEcho
//	Asks     if set, the handler calls DescribeStacks
//	Links    how often the handler invokes itself before it answers a Create
//	Pause    how long it waits before each invocation
//	Invokes  the function that it invokes in place of its own ARN
//
// CODE in its environment is the name of its code, which it writes before it answers. The code
// "repaired" neither fails nor exits.
type request struct {
	RequestType, ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId string
	ResourceProperties                                                                  struct{ Id, Fail, Exit, Started, Go, Secret, Reason, Asks, Links, Pause, Invokes string }
}

// handle handles a request that is sent directly, in an SNS notification, or in the
// on-failure record of a process that exited.
func handle(ctx context.Context, event json.RawMessage) error {
	var in struct {
		request
		Link           int             `json:"link"`
		RequestPayload json.RawMessage `json:"requestPayload"`
		Records        []struct{ Sns struct{ Message string } }
	}
	if err := json.Unmarshal(event, &in); err != nil {
		return err
	}
	code := os.Getenv("CODE")
	switch r := &in.request; {
	case len(in.Records) > 0:
		return handle(ctx, json.RawMessage(in.Records[0].Sns.Message))
	case in.RequestPayload != nil:
		if err := json.Unmarshal(in.RequestPayload, r); err != nil {
			return err
		}
		return r.answer(ctx, "FAILED", "its process ended")
	case r.ResourceProperties.Exit == r.RequestType && code != "repaired":
		os.Exit(7)
	case r.ResourceProperties.Started != "" && r.RequestType != "Delete":
		if err := os.WriteFile(r.ResourceProperties.Started, []byte(r.RequestType+"\n"), 0); err != nil {
			return err
		}
		if _, err := os.ReadFile(r.ResourceProperties.Go); err != nil {
			return err
		}
	}
	if in.ResourceProperties.Asks != "" {
		if err := in.describeStack(ctx); err != nil {
			return err
		}
	}
	if links, _ := strconv.Atoi(in.ResourceProperties.Links); in.RequestType == "Create" && in.Link < links {
		return in.invokeSelf(ctx, event, in.Link+1)
	}
	if code != "" {
		fmt.Println("code", code, "answers the", in.RequestType)
	}
	if in.ResourceProperties.Fail == in.RequestType && code != "repaired" {
		return in.answer(ctx, "FAILED", cmp.Or(in.ResourceProperties.Reason, "as its properties say"))
	}
	return in.answer(ctx, "SUCCESS", "")
}

func (r *request) answer(ctx context.Context, status, reason string) error {
	a := map[string]any{"Status": status, "Reason": reason, "PhysicalResourceId": r.ResourceProperties.Id,
		"StackId": r.StackId, "RequestId": r.RequestId, "LogicalResourceId": r.LogicalResourceId}
	if r.PhysicalResourceId != "" && (status == "FAILED" || r.RequestType == "Delete") {
		a["PhysicalResourceId"] = r.PhysicalResourceId
	}
	if secret := r.ResourceProperties.Secret; secret != "" {
		a["NoEcho"], a["Data"] = true, map[string]string{"Secret": secret}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	fmt.Println("answers", status, "to", r.ResponseURL) // cfnlocal must hide the signature
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, r.ResponseURL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	_, err = send(req, http.StatusOK)
	return err
}

// send sends a request, whose answer must have a status.
func send(req *http.Request, status int) (text []byte, err error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	text, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return text, errors.Join(err, resp.Body.Close())
}

// describeStack calls DescribeStacks for the request's stack, as a handler does
// that looks up the phase.
func (r *request) describeStack(ctx context.Context) error {
	form := url.Values{"Action": {"DescribeStacks"}, "Version": {"2010-05-15"}, "StackName": {r.StackId}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("AWS_ENDPOINT_URL_CLOUDFORMATION"), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text, err := send(req, http.StatusOK)
	if err == nil && !bytes.Contains(text, []byte("<StackStatus>")) {
		err = fmt.Errorf("no status in %s", text)
	}
	return err
}

// invokeSelf invokes the function asynchronously with the same event and its link
// number, with the same HTTP request as the AWS SDKs.
func (r *request) invokeSelf(ctx context.Context, event json.RawMessage, link int) error {
	if pause, err := time.ParseDuration(r.ResourceProperties.Pause); err == nil {
		<-time.After(pause)
	}
	lambdaContext, _ := lambdacontext.FromContext(ctx)
	target := cmp.Or(r.ResourceProperties.Invokes, lambdaContext.InvokedFunctionArn)
	fmt.Println("link", link, "by", target)
	body := fmt.Appendf(bytes.TrimSuffix(event, []byte("}")), `,"link":%d}`, link) // encoding/json takes the last of duplicate members
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("AWS_ENDPOINT_URL_LAMBDA")+"/2015-03-31/functions/"+url.PathEscape(target)+"/invocations", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Amz-Invocation-Type", "Event")
	req.Header.Set("X-Amzn-Trace-Id", os.Getenv("_X_AMZN_TRACE_ID"))
	_, err = send(req, http.StatusAccepted)
	return err
}
