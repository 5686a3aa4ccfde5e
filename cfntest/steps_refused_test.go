package cfntest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/hook"
)

type replies struct{}

func (replies) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// A service that refuses for good replies so: a client that tries again whatever fails
// on the way gives up.
func TestStepsReplyThatTheServiceRefuses(t *testing.T) {
	for refused := range 2 {
		steps := 0
		ctx := hook.WithSteps(t.Context(), func(context.Context) error {
			if steps++; steps > refused {
				return cfnresource.Errorf(cfnresource.CodeAccessDenied, "the service refuses it")
			}
			return nil
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.example", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := cfntest.Steps(replies{}).RoundTrip(req)
		if err != nil {
			t.Fatalf("step %d: %v", refused+1, err)
		}
		if _ = res.Body.Close(); res.StatusCode != http.StatusForbidden {
			t.Errorf("step %d is answered %d", refused+1, res.StatusCode)
		}
	}
}
