package stackphase_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const describeStacks = `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
	<StackName>shop</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>ROLLBACK_IN_PROGRESS</StackStatus>
</member></Stacks></DescribeStacksResult></DescribeStacksResponse>`

// fromEnvironment asks the real client about a stack, against an endpoint of the test's. A machine
// with much to do gets more than the dispatcher's two seconds.
func fromEnvironment(t *testing.T, endpoint http.HandlerFunc) (phase lifecycle.Phase, requests int, err error) {
	t.Helper()
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		endpoint(w, r)
	}))
	defer server.Close()
	t.Setenv("AWS_REGION", "us-west-2")
	t.Setenv("AWS_ENDPOINT_URL_CLOUDFORMATION", server.URL)
	var o cfnresource.Options
	stackphase.FromEnvironment(&o)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	phase, err = o.Phase(ctx, operation("Delete", "a"))
	return phase, int(n.Load()), err
}

func withCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-key")
	t.Setenv("AWS_SESSION_TOKEN", "session-token")
}

func TestFromEnvironment(t *testing.T) {
	withCredentials(t)
	phase, _, err := fromEnvironment(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		if got := r.Form.Get("Action") + " " + r.Form.Get("StackName"); got != "DescribeStacks "+stackID {
			t.Errorf("asked for %q", got)
		}
		if auth := r.Header.Get("Authorization"); !strings.Contains(auth, "AKIAEXAMPLE/") || !strings.Contains(auth, "/us-west-2/cloudformation/") {
			t.Errorf("signed with %q", auth)
		}
		if r.Header.Get("X-Amz-Security-Token") != "session-token" {
			t.Error("the session's token is not sent")
		}
		_, _ = w.Write([]byte(describeStacks))
	})
	if phase != lifecycle.PhaseCreateRollback || err != nil {
		t.Errorf("%q, %v", phase, err)
	}
}

func refusal(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>` + code +
			`</Code><Message>said no</Message></Error><RequestId>1</RequestId></ErrorResponse>`))
	}
}

// What CloudFormation refuses is not tried again; what it throttles is, once.
func TestFewRetries(t *testing.T) {
	withCredentials(t)
	for _, tt := range []struct {
		status   int
		code     string
		requests int
	}{
		{http.StatusForbidden, "AccessDenied", 1},
		{http.StatusBadRequest, "ValidationError", 1},
		{http.StatusBadRequest, "Throttling", 2},
		{http.StatusServiceUnavailable, "ServiceUnavailable", 2},
	} {
		t.Run(tt.code, func(t *testing.T) {
			phase, requests, err := fromEnvironment(t, refusal(tt.status, tt.code))
			want := "DescribeStacks: " + tt.code + ": said no"
			if phase != lifecycle.PhaseUnknown || err == nil || err.Error() != want {
				t.Errorf("%q, %v; want the error %q", phase, err, want)
			}
			if requests != tt.requests {
				t.Errorf("%d requests, want %d", requests, tt.requests)
			}
		})
	}
}

func TestFromEnvironmentWithoutCredentials(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "")
	}
	_, requests, err := fromEnvironment(t, refusal(http.StatusForbidden, "AccessDenied"))
	if err == nil || requests != 0 || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") || !strings.Contains(err.Error(), "stackphase.Option") {
		t.Errorf("%d requests, %v", requests, err)
	}
}
