package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cfnresource/sdk-go/cfnresource"
)

const (
	arn     = "arn:aws:lambda:us-east-1:123456789012:function:exports-1A2B3C:live"
	machine = "arn:aws:states:us-east-1:123456789012:stateMachine:Continue-4D5E6F"
	payload = `{"ResponseURL":"https://example.com/?X-Amz-Signature=5ec2e7"}`
)

// send continues with the real client, against an endpoint of the test's.
func send(ctx context.Context, t *testing.T, endpoint http.HandlerFunc) error {
	t.Helper()
	server := httptest.NewServer(endpoint)
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-key",
		"AWS_ENDPOINT_URL_SFN": server.URL, "STATE_MACHINE": machine,
	} {
		t.Setenv(name, value)
	}
	var o cfnresource.Options
	stepFunctions(&o)
	return o.Continue(ctx, []byte(payload))
}

func invocation(t *testing.T) context.Context {
	t.Helper()
	return lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{InvokedFunctionArn: arn})
}

// The state machine gets the event as it is, and the ARN with its qualifier:
// another version would be other code.
func TestStart(t *testing.T) {
	err := send(invocation(t), t, func(w http.ResponseWriter, r *http.Request) {
		var in struct{ StateMachineArn, Input string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if want := `{"FunctionName":"` + arn + `","Payload":` + payload + `}`; in.Input != want || in.StateMachineArn != machine {
			t.Errorf("%s gets %s, want %s", in.StateMachineArn, in.Input, want)
		}
		_, _ = io.WriteString(w, `{"executionArn": "arn", "startDate": 1}`)
	})
	if err != nil {
		t.Error(err)
	}
}

// An error has a code where no execution was started, surely: then the event is
// answered. It never holds the event, which Step Functions may quote.
func TestErrors(t *testing.T) {
	refuse := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			body, err := json.Marshal(map[string]string{"__type": code, "message": "what is " + payload})
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(body)
		}
	}
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}
	for name, tt := range map[string]struct {
		endpoint http.HandlerFunc
		code     cfnresource.Code
	}{
		"no permission":             {refuse(400, "AccessDeniedException"), cfnresource.CodeInvalidRequest},
		"no such machine":           {refuse(400, "StateMachineDoesNotExist"), cfnresource.CodeInvalidRequest},
		"no JSON":                   {refuse(400, "InvalidExecutionInput"), cfnresource.CodeInvalidRequest},
		"an error of the service's": {refuse(500, "InternalFailure"), ""},
		"no response":               {hangUp, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := send(invocation(t), t, tt.endpoint)
			if err == nil || cfnresource.CodeOf(err) != tt.code {
				t.Fatalf("%v with the code %q, want %q", err, cfnresource.CodeOf(err), tt.code)
			}
			if strings.Contains(err.Error(), "5ec2e7") {
				t.Errorf("the signed URL is in the error: %v", err)
			}
		})
	}
}

// Outside Lambda there is no function to invoke, and nothing is sent.
func TestOutsideLambda(t *testing.T) {
	err := send(t.Context(), t, func(http.ResponseWriter, *http.Request) { t.Error("something is sent") })
	if _, ok := errors.AsType[*cfnresource.Error](err); !ok {
		t.Errorf("%v has no code", err)
	}
}
