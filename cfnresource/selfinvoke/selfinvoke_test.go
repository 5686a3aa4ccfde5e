package selfinvoke_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
)

const (
	arn     = "arn:aws:lambda:us-west-2:123456789012:function:shop-Topics-1A2B3C:live"
	payload = `{"ResponseURL":"https://example.com/?X-Amz-Signature=5ec2e7"}`
)

// An endpoint is Lambda's, without a network, so that what the real client waits is virtual time.
// A handler that panics with http.ErrAbortHandler hangs up.
type endpoint http.HandlerFunc

func (e endpoint) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if recover() != nil {
			resp, err = nil, io.ErrUnexpectedEOF
		}
	}()
	w := httptest.NewRecorder()
	e(w, r)
	return w.Result(), nil
}

// send invokes with the real client, against an endpoint of the test's, in virtual time.
func send(ctx context.Context, t *testing.T, handler http.HandlerFunc) (requests int, err error) {
	t.Helper()
	client := lambda.New(lambda.Options{
		Region:      "us-west-2",
		Credentials: aws.AnonymousCredentials{},
		HTTPClient: &http.Client{Transport: endpoint(func(w http.ResponseWriter, r *http.Request) {
			requests++
			handler(w, r)
		})},
	})
	var o cfnresource.Options
	selfinvoke.Option(client)(&o)
	synctest.Test(t, func(*testing.T) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = o.Continue(ctx, []byte(payload))
	})
	return requests, err
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func invocation(t *testing.T) context.Context {
	t.Helper()
	return lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{InvokedFunctionArn: arn})
}

// The function is invoked asynchronously under the ARN that it was invoked with,
// qualifier and all: another version would be other code. The environment says how.
func TestInvoke(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := "/2015-03-31/functions/" + arn + "/invocations"; r.URL.Path != want {
			t.Errorf("the path is %s, want %s", r.URL.Path, want)
		}
		if got := r.Header.Get("X-Amz-Invocation-Type"); got != "Event" {
			t.Errorf("the type is %s", got)
		}
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != payload {
			t.Errorf("the payload is %s, %v", body, err)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	t.Setenv("AWS_REGION", "us-west-2")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-key")
	t.Setenv("AWS_ENDPOINT_URL_LAMBDA", server.URL)
	var o cfnresource.Options
	selfinvoke.FromEnvironment(&o)
	if err := o.Continue(invocation(t), []byte(payload)); err != nil {
		t.Error(err)
	}
}

// An error has a code where Lambda surely has not accepted the event: then it is
// answered. It never holds the payload.
func TestErrors(t *testing.T) {
	refuse := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Errortype", code)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"message":"said no"}`)
		}
	}
	for name, tt := range map[string]struct {
		endpoint http.HandlerFunc
		code     cfnresource.Code
		says     string
		requests int
	}{
		"no permission":        {refuse(403, "AccessDeniedException"), cfnresource.CodeAccessDenied, "AccessDeniedException: said no", 1},
		"no such function":     {refuse(404, "ResourceNotFoundException"), cfnresource.CodeNotFound, "ResourceNotFoundException", 1},
		"too large":            {refuse(413, "RequestTooLargeException"), cfnresource.CodeInvalidRequest, "RequestTooLargeException", 1},
		"throttled":            {refuse(429, "TooManyRequestsException"), cfnresource.CodeThrottling, "TooManyRequestsException", 2},
		"an error of Lambda's": {refuse(500, "ServiceException"), "", "ServiceException", 2},
		"no response":          {hangUp, "", "Invoke: ", 2},
		"a function that ran":  {func(http.ResponseWriter, *http.Request) {}, "", "200", 1},
	} {
		t.Run(name, func(t *testing.T) {
			requests, err := send(invocation(t), t, tt.endpoint)
			if err == nil || cfnresource.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("%v with the code %q, want %q that says %q", err, cfnresource.CodeOf(err), tt.code, tt.says)
			}
			if requests != tt.requests {
				t.Errorf("%d requests, want %d", requests, tt.requests)
			}
			if strings.Contains(err.Error(), "5ec2e7") {
				t.Errorf("the signed URL is in the error: %v", err)
			}
		})
	}
}

// A first try that may have been accepted makes the whole uncertain, though the second is refused.
func TestTriesThatDisagree(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"an error of Lambda's": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"no response":          hangUp,
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			requests, err := send(invocation(t), t, func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1) == 1 {
					first(w, r)
					return
				}
				w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
				w.WriteHeader(http.StatusForbidden)
			})
			if err == nil || cfnresource.CodeOf(err) != "" || requests != 2 {
				t.Errorf("%d requests, %v with the code %q, want none", requests, err, cfnresource.CodeOf(err))
			}
		})
	}
}

// Outside Lambda there is no function to invoke, and nothing is sent.
func TestOutsideLambda(t *testing.T) {
	requests, err := send(t.Context(), t, func(http.ResponseWriter, *http.Request) {})
	if requests != 0 || cfnresource.CodeOf(err) == "" {
		t.Errorf("%d requests, %v", requests, err)
	}
}
