// Package clients reads the local CloudFormation, orders operations of it, and invokes its
// functions, with AWS's own clients: the Go SDK, with its waiters and paginators, the AWS
// CLI, and boto3. What a client of ours would let through because it shares an error with
// the server, these refuse.
//
// The tests with the AWS CLI and boto3 need them, and are skipped without; on Debian, as root,
//
//	.ci/with-awscli go test -v ./cfnlocal/test/clients
//
// installs both and runs them. CLIENTS_LOAD is how many calls each client of
// the test under load makes.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	runtime "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// handlerVariable is the environment variable that makes this program the handler.
const handlerVariable = "CLIENTS_HANDLER"

func TestMain(m *testing.M) {
	if os.Getenv(handlerVariable) != "" {
		runtime.Start(handle)
	}
	if origin := os.Getenv(strangerVariable); origin != "" {
		fmt.Println(orderAsStranger(origin))
		return
	}
	os.Exit(m.Run())
}

// A request is what the handler is asked. It does as its properties say: Id is
// the physical ID, Fail the request type that fails, or a file while which there is every
// request fails, Gate a URL that it asks for before it succeeds with requests of the type
// At, or all, and Links how often it invokes itself before it answers a Create.
type request struct {
	RequestType, ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId string
	ResourceProperties                                                                  struct{ Id, Fail, Gate, At, Links string }
	Link                                                                                int
}

// handle does what CloudFormation asks for, and, when it is asked for Name, tells
// what it was invoked by.
func handle(ctx context.Context, r request) (string, error) {
	lambdaContext, _ := lambdacontext.FromContext(ctx)
	p := r.ResourceProperties
	if p.Gate != "" && (p.At == "" || p.At == r.RequestType) && !fails(r) {
		endpoint := url.Values{"endpoint": {os.Getenv("AWS_ENDPOINT_URL_LAMBDA")}, "arn": {lambdaContext.InvokedFunctionArn}}
		if err := send(ctx, http.MethodGet, p.Gate+"?"+endpoint.Encode(), nil); err != nil {
			return "", err
		}
	}
	if links, _ := strconv.Atoi(p.Links); r.RequestType == "Create" && r.Link < links {
		r.Link++
		return "", invokeAgain(ctx, lambdaContext.InvokedFunctionArn, r)
	}
	switch r.RequestType {
	case "Name":
		return lambdaContext.InvokedFunctionArn, nil
	case "Error":
		return "", errors.New("as it was asked to")
	}
	return "", answer(ctx, r)
}

// fails reports whether a request is to fail.
func fails(r request) bool {
	_, err := os.Stat(r.ResourceProperties.Fail)
	return err == nil || r.ResourceProperties.Fail == r.RequestType
}

// answer answers CloudFormation.
func answer(ctx context.Context, r request) error {
	p := r.ResourceProperties
	answer := map[string]string{"Status": "SUCCESS", "PhysicalResourceId": p.Id, "StackId": r.StackId, "RequestId": r.RequestId, "LogicalResourceId": r.LogicalResourceId}
	if r.RequestType == "Delete" {
		answer["PhysicalResourceId"] = r.PhysicalResourceId
	}
	if fails(r) {
		answer["Status"], answer["Reason"] = "FAILED", "as its properties say"
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return send(ctx, http.MethodPut, r.ResponseURL, body)
}

// invokeAgain has the function invoked with a request once more, by the SDK's
// client, which knows nothing but the variables that the function has.
func invokeAgain(ctx context.Context, arn string, r request) error {
	payload, err := json.Marshal(r)
	if err != nil {
		return err
	}
	c := lambdaClient(os.Getenv("AWS_ENDPOINT_URL_LAMBDA"), os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))
	_, err = c.Invoke(ctx, &lambda.InvokeInput{FunctionName: &arn, InvocationType: types.InvocationTypeEvent, Payload: payload})
	return err
}

func lambdaClient(endpoint, region, key, secret string) *lambda.Client {
	return lambda.New(lambda.Options{
		Region:       region,
		BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
		}),
	})
}

func send(ctx context.Context, method, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

// oneResource is a stack with a custom resource.
const oneResource = `
Description: one thing
Parameters:
  Id: {Type: String, Default: one}
  Fail: {Type: String, Default: ""}
  Gate: {Type: String, Default: ""}
  At: {Type: String, Default: ""}
  Links: {Type: String, Default: ""}
  Token: {Type: String, Default: sesame, NoEcho: true}
Resources:
  Thing:
    Type: Custom::Thing
    Properties: {ServiceToken: !GetAtt Fn.Arn, Id: !Ref Id, Fail: !Ref Fail, Gate: !Ref Gate, At: !Ref At, Links: !Ref Links}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Timeout: 60, Code: {S3Bucket: b, S3Key: k}}
Outputs:
  Id: {Value: !Ref Thing, Description: its physical ID}
`

// A testServer is a directory of stacks with its API server.
type testServer struct {
	*local.Home
	t      *testing.T
	origin string
}

func startServer(t *testing.T) *testServer {
	t.Helper()
	home, err := local.Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := home.Serve("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Close(), home.Close()); err != nil {
			t.Error(err)
		}
	})
	return &testServer{home, t, server.Origin()}
}

var settings = local.Settings{Options: engine.Options{Seed: 1}}

// deploy creates or updates a stack, and returns it. parameters are in pairs.
func (b *testServer) deploy(ctx context.Context, name, body string, parameters ...string) (*engine.Stack, error) {
	return b.deployWith(ctx, settings, name, body, parameters...)
}

func (b *testServer) deployWith(ctx context.Context, s local.Settings, name, body string, parameters ...string) (*engine.Stack, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &record.Revision{File: filepath.Join(b.t.TempDir(), "t.yaml"), Body: body, Parameters: map[string]string{},
		Substitutes: record.Substitutes{
			Commands: map[string]string{"Fn": "'" + program + "'"}, Env: map[string]string{handlerVariable: "yes"},
		}}
	for i := 0; i < len(parameters); i += 2 {
		d.Parameters[parameters[i]] = parameters[i+1]
	}
	return b.CreateOrUpdate(ctx, name, local.Change{Revision: d}, nil, s)
}

// mustDeploy is deploy, which must end in a status.
func (b *testServer) mustDeploy(status, name, body string, parameters ...string) *engine.Stack {
	b.t.Helper()
	s, err := b.deploy(b.t.Context(), name, body, parameters...)
	if err != nil {
		b.t.Fatal(err)
	}
	if s.Status != status {
		b.t.Fatalf("%s is in %s, want %s", name, s.Status, status)
	}
	return s
}

// A gate is what handlers wait at, so that a stack stays in motion.
type gate struct {
	url      string
	requests chan url.Values // what each says of itself
	open     func()
}

func newGate(t *testing.T) *gate {
	g := &gate{requests: make(chan url.Values, 10)}
	opened := make(chan struct{})
	g.open = sync.OnceFunc(func() { close(opened) })
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		g.requests <- r.URL.Query()
		select {
		case <-opened:
		case <-r.Context().Done():
		}
	}))
	g.url = server.URL
	t.Cleanup(func() { g.open(); server.Close() })
	return g
}

// startOperation starts an operation, and returns once the handler waits at the gate.
// rest opens the gate, and returns when the operation has ended.
func startOperation(t *testing.T, g *gate, work func() (*engine.Stack, error)) (rest func() *engine.Stack) {
	t.Helper()
	_, rest = startWaiting(t, g, work)
	return rest
}

// startWaiting is startOperation, and also returns the query of the waiting handler.
func startWaiting(t *testing.T, g *gate, work func() (*engine.Stack, error)) (says url.Values, rest func() *engine.Stack) {
	t.Helper()
	type ended struct {
		stack *engine.Stack
		err   error
	}
	end := make(chan ended, 1)
	go func() {
		s, err := work()
		end <- ended{s, err}
	}()
	select {
	case says = <-g.requests:
	case e := <-end:
		t.Fatalf("the stack did not stay in motion: %v", e.err)
	}
	return says, func() *engine.Stack {
		t.Helper()
		g.open()
		e := <-end
		if e.err != nil {
			t.Fatal(e.err)
		}
		return e.stack
	}
}
