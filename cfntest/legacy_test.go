package cfntest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
)

// Legacy answers what cfn.LambdaWrap sends.
func TestLegacyAnswersAsLambdaWrapDoes(t *testing.T) {
	data := map[string]any{"Address": "a@example.com"}
	for name, handler := range map[string]cfn.CustomResourceFunction{
		"an ID and data": func(context.Context, cfn.Event) (string, map[string]any, error) { return "box-1", data, nil },
		"no ID":          func(context.Context, cfn.Event) (string, map[string]any, error) { return "", nil, nil },
		"an error": func(context.Context, cfn.Event) (string, map[string]any, error) {
			return "box-1", data, errors.New("full")
		},
		"a panic": func(context.Context, cfn.Event) (string, map[string]any, error) { panic("oops") },
		"its own event": func(_ context.Context, e cfn.Event) (string, map[string]any, error) {
			return e.StackID + string(e.RequestType), e.ResourceProperties, nil
		},
	} {
		for kind, event := range map[string][]byte{
			"Create": cfntest.CreateEvent(map[string]any{"Size": 1}),
			"Update": cfntest.UpdateEvent("box-0", map[string]any{"Size": 2}, map[string]any{"Size": 1}),
			"Delete": cfntest.DeleteEvent("box-0", map[string]any{"Size": 2}),
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				wire := &wire{}
				before := http.DefaultTransport
				http.DefaultTransport = wire
				defer func() { http.DefaultTransport = before }()
				panicked := invokes(t.Context(), lambda.NewHandler(cfn.LambdaWrap(handler)), event)
				var got answers
				if p := invokes(hook.WithSender(t.Context(), &got), cfntest.Legacy(handler), event); p != panicked {
					t.Errorf("that it panics is %t, want %t", p, panicked)
				}
				if diff := cmp.Diff(decoded(t, wire.body), decoded(t, got.body)); diff != "" {
					t.Errorf("the answer (-LambdaWrap +Legacy):\n%s", diff)
				}
			})
		}
	}
}

// Outside of a test's tools there is nobody to answer.
func TestLegacyNeedsTheKit(t *testing.T) {
	handler := func(context.Context, cfn.Event) (string, map[string]any, error) {
		t.Error("the handler was called")
		return "", nil, nil
	}
	_, err := cfntest.Legacy(handler).Invoke(t.Context(), cfntest.CreateEvent(nil))
	if err == nil || !strings.Contains(err.Error(), "cfn.LambdaWrap") {
		t.Errorf("the error is %v", err)
	}
}

// invokes reports whether f panics. What f returns differs: LambdaWrap names an error that it did not deliver.
func invokes(ctx context.Context, f cfntest.Function, event []byte) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	_, _ = f.Invoke(ctx, event)
	return false
}

func decoded(t *testing.T, body []byte) (answer map[string]any) {
	t.Helper()
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return answer
}

type answers struct{ body []byte }

func (a *answers) Send(_ context.Context, _ response.URL, body []byte) error {
	a.body = append(a.body, body...)
	return nil
}

// A wire is http.DefaultTransport, and keeps what is PUT.
type wire struct{ answers }

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	w.body = append(w.body, body...)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&bytes.Buffer{}), Request: req}, err
}
